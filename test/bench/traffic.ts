import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What one program asked of both servers. */
export interface Traffic {
  /** By side, method and kind of path, such as `tracker POST /issues`; other answers than 200 to 299 have a line of their own. */
  readonly requests: Readonly<Record<string, number>>;
  /** Both directions, heads included, as they went over the sockets. */
  readonly bytes: number;
}

/** Counts what the servers of this process serve, without standing between them and the programs. */
export interface TrafficCounter {
  /** What came since the last call. */
  take(): Traffic;
}

/** What Node publishes on `http.server.request.start` and `http.server.response.finish`. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

/** Counts every HTTP server of this process; `sides` names them by port. */
export function countTraffic(sides: ReadonlyMap<number, string>): TrafficCounter {
  let requests: Record<string, number> = {};
  /** Bytes of each socket that have been counted already. */
  const counted = new Map<Socket, number>();
  subscribe("http.server.request.start", (message) => {
    // The shape is Node's own, documented for this channel.
    const { socket } = message as Exchange;
    if (!counted.has(socket)) counted.set(socket, 0);
  });
  subscribe("http.server.response.finish", (message) => {
    const { request, response, socket } = message as Exchange;
    const name = `${sides.get(socket.localPort ?? 0) ?? "?"} ${nameRequest(request, response)}`;
    requests[name] = (requests[name] ?? 0) + 1;
  });
  return {
    take() {
      let bytes = 0;
      for (const [socket, before] of counted) {
        const now = socket.bytesRead + socket.bytesWritten;
        bytes += now - before;
        if (socket.destroyed) counted.delete(socket);
        else counted.set(socket, now);
      }
      const taken = { requests, bytes };
      requests = {};
      return taken;
    },
  };
}

/** Ids and names in a path say nothing about the kind of request. */
function nameRequest({ method, url = "" }: IncomingMessage, { statusCode }: ServerResponse): string {
  const path = url
    .replace(/\?.*$/, "")
    .replace(/^\/api\/v1/, "")
    .replace(/^\/repos\/[^/]+\/[^/]+|^\/repositories\/\d+/, "/repo")
    .replace(/\/(issues|feedback|labels)\/[^/]+/, "/$1/*");
  return `${method} ${path || "/"}${statusCode < 300 ? "" : ` ${statusCode}`}`;
}
