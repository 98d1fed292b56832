import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server. */
export interface TcpProxy {
  readonly port: number;
  /** How many messages clients have sent. */
  readonly messages: number;
  /** Whether it has cut a connection. */
  readonly isCut: boolean;
  /** Cuts the connection when the client sends a message with this text: before it is passed on, or before it is answered. */
  cutAt(text: string, when: "before" | "after"): void;
  /** Nothing more gets through, and nobody is told. */
  freeze(): void;
  close(): Promise<void>;
}

/** Passes everything on, until it is told otherwise. */
export async function openProxy(target: number): Promise<TcpProxy> {
  let cut: { readonly text: string; readonly when: "before" | "after" } | undefined;
  const sockets = new Set<Socket>();
  let messages = 0;
  let isCut = false;
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    // Else what does not fill a packet waits for the answer to the one before.
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    let isMute = false;
    sockets.add(client).add(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => isFrozen || to.destroy());
    }
    client.on("data", (bytes) => {
      if (isFrozen) return;
      messages += 1;
      if (cut === undefined || !bytes.includes(cut.text)) {
        upstream.write(bytes);
        return;
      }
      const { when } = cut;
      cut = undefined;
      isCut = true;
      if (when === "before") {
        client.destroy();
        return;
      }
      // The server has done it by the time of its answer; nobody hears that.
      isMute = true;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (isMute) client.destroy();
      else if (!isFrozen) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  return {
    port: address.port,
    get messages() {
      return messages;
    },
    get isCut() {
      return isCut;
    },
    cutAt(text, when) {
      cut = { text, when };
    },
    freeze() {
      isFrozen = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
