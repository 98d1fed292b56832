import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A proxy that shows a server below `/sync/` and nowhere else, as nginx does with `location /sync/ { proxy_pass SERVER/; }`: it
 * decodes a path before it passes it on, and encodes again what has to be.
 *
 * @returns `http://host:port`.
 */
export async function startPrefixProxy(
  server: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { hostname, port } = new URL(server);
  const proxy = createServer((incoming, outgoing) => {
    const [, path = "", query = ""] = /^\/sync(\/[^?]*)(\?.*)?$/.exec(incoming.url ?? "") ?? [];
    if (path === "") {
      outgoing.writeHead(404).end();
      return;
    }
    const passed = encodeURI(decodeURIComponent(path)).replaceAll("?", "%3F").replaceAll("#", "%23");
    const asked = request(
      {
        hostname,
        port,
        method: incoming.method,
        path: `${passed}${query}`,
        headers: { ...incoming.headers, ...headers },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
