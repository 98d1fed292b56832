import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Answers instead of the server behind, to the byte. */
export type Act = (response: ServerResponse) => void;

/** A server that passes requests on, but for those that somebody else answers. */
export interface Front {
  /** Address of a server behind it, as a client of the front would write it. */
  pass(url: string): string;
  /** The next requests of this method whose path and query contain `part` are answered by `act`, `times` of them. */
  instead(method: string, part: string, act: Act, times?: number): void;
  /** How many requests were answered instead. */
  readonly taken: number;
}

/** Starts it; the end of the test ends it, with all that still hangs. */
export async function startFront(): Promise<Front> {
  const acts: { method: string; part: string; act: Act; left: number }[] = [];
  let behind = 0;
  let taken = 0;
  const server = createServer((incoming, response) => {
    const { method = "", url = "" } = incoming;
    const found = acts.find((one) => one.left > 0 && one.method === method && url.includes(one.part));
    if (found === undefined) {
      forward(incoming, response, behind);
      return;
    }
    found.left -= 1;
    taken += 1;
    // As after any server, a client may have gone before the answer is complete.
    response.on("error", () => undefined);
    found.act(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    pass(url) {
      const address = new URL(url);
      behind = Number(address.port);
      address.port = String(port);
      return address.href;
    },
    instead(method, part, act, times = 1) {
      acts.push({ method, part, act, left: times });
    },
    get taken() {
      return taken;
    },
  };
}

function forward(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  incoming.pipe(outgoing);
}

/** Takes the request, and is silent. */
export const saysNothing: Act = () => undefined;

/** Begins an answer, and is silent. */
export const stopsAfterHead: Act = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
};

/** Goes on without an end, in pieces that keep every idle timer quiet. */
export const trickles: Act = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const drip = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(drip));
};

/** An answer of 200 with these bytes. */
export function says(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Act {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(body);
  };
}
