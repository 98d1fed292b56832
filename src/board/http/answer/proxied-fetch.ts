import { fetch } from "undici";
import { openProxies, type ProxySettings } from "./transport.ts";

/**
 * A fetch that honours the proxies, for the tracker's adapter: the one of Node.js takes none as an argument, and undici has
 * one owner, this folder.
 */
export function createProxiedFetch(
  proxy: ProxySettings,
): (url: string, init: object) => ReturnType<typeof fetch> {
  const dispatcher = openProxies(proxy);
  return (url, init) => fetch(url, { ...init, dispatcher });
}
