import { type Dispatcher, EnvHttpProxyAgent, fetch } from "undici";
import { ConfigError } from "../errors.ts";

/** Proxies as they stand in the environment; passed in, never read here. */
export interface ProxySettings {
  /** `HTTP_PROXY`. */
  readonly http?: string | undefined;
  /** `HTTPS_PROXY`. */
  readonly https?: string | undefined;
  /** `NO_PROXY`. */
  readonly none?: string | undefined;
}

/** The ways to one side. */
export interface Connections {
  /** Keeps connections for the next read. */
  readonly reads: Dispatcher;
  /**
   * A connection of its own for each request. A write never rides on an idle connection, which the server, or a balancer
   * before it, may be closing at that moment: the outcome of such a request is unknown, and has to be looked up.
   */
  readonly writes: Dispatcher;
}

/**
 * The ways to one side, through the proxies where there are any.
 *
 * @throws ConfigError where a proxy has no address.
 */
export function openConnections(
  { http = "", https = "", none = "" }: ProxySettings,
  options: Omit<EnvHttpProxyAgent.Options, "pipelining"> = {},
): Connections {
  // Zero pipelining means a connection for each request.
  const open = (pipelining: 0 | 1): Dispatcher =>
    // An empty string stands for "no proxy"; undefined would make undici read the environment by itself.
    new EnvHttpProxyAgent({ ...options, pipelining, httpProxy: http, httpsProxy: https, noProxy: none });
  try {
    return { reads: open(1), writes: open(0) };
  } catch {
    // The library's error quotes the address, and with it the proxy's password.
    throw new ConfigError(["HTTP_PROXY or HTTPS_PROXY is not the address of a proxy."]);
  }
}

/**
 * A fetch that honours the proxies, and gives every write a connection of its own: the one of Node.js does neither, and undici
 * has one owner, this folder.
 *
 * @throws ConfigError where a proxy has no address.
 */
export function createProxiedFetch(
  proxy: ProxySettings,
): (url: string, init: { readonly method: string }) => ReturnType<typeof fetch> {
  const { reads, writes } = openConnections(proxy);
  return (url, init) => fetch(url, { ...init, dispatcher: isRead(url, init.method) ? reads : writes });
}

/** A query of GraphQL is a POST that changes nothing. */
function isRead(url: string, method: string): boolean {
  return method === "GET" || new URL(url).pathname.endsWith("/graphql");
}
