import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A server on loopback that speaks whatever the test says, and ends with the test.
 *
 * @param hear - called for what comes in on a connection.
 */
export async function listenTcp(
  hear: (socket: Socket, bytes: Buffer) => void,
  connected: (socket: Socket) => void = () => {},
) {
  const sockets = new Set<Socket>();
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      heard.push(bytes);
      hear(socket, bytes);
    });
    connected(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    /** `127.0.0.1:PORT` */
    place: `127.0.0.1:${port}`,
    /** Every connection that there ever was. */
    sockets,
    heard: () => Buffer.concat(heard).toString("latin1"),
  };
}

/** A server on loopback that answers as the test says, and ends with the test: `http://127.0.0.1:PORT`. */
export async function listenHttp(respond: RequestListener): Promise<string> {
  const server = createHttpServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
