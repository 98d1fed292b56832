import { Agent, type Dispatcher, fetch, ProxyAgent } from "undici";
import { ConfigError, ProxyError } from "../errors.ts";
import { blameProxy, type NamedProxy, type ProxySettings, proxyOf, showProxy } from "./proxies.ts";

/** How one address is asked. */
export interface Way {
  readonly dispatcher: Dispatcher;
  /** What it goes through; undefined where it leads there directly. */
  readonly proxy: NamedProxy | undefined;
}

/**
 * The ways to one side, through the proxies where there are any. A read keeps its connection for the next one. A write never rides
 * on an idle connection, which the server, or a balancer before it, may be closing at that moment: the outcome of such a request is
 * unknown, and has to be looked up.
 */
export type Connections = (url: URL, isRead: boolean) => Way;

/** @throws ConfigError where a proxy has no address. */
export function openConnections(
  settings: ProxySettings,
  options: Omit<Agent.Options, "pipelining"> = {},
): Connections {
  // Zero pipelining means a connection for each request.
  const [reads, writes] = [
    openAgents(settings, { ...options, pipelining: 1 }),
    openAgents(settings, { ...options, pipelining: 0 }),
  ];
  return (url, isRead) => {
    const proxy = proxyOf(url, settings);
    const { direct, proxies } = isRead ? reads : writes;
    return { dispatcher: (proxy && proxies.get(proxy.address)) ?? direct, proxy };
  };
}

function openAgents({ http = "", https = "" }: ProxySettings, options: Agent.Options) {
  try {
    const addresses = [http, https].filter((address) => address !== "");
    const proxies = new Map(addresses.map((uri) => [uri, new ProxyAgent({ ...options, uri })] as const));
    return { direct: new Agent(options), proxies };
  } catch {
    // The library's error quotes the address, and with it the proxy's password.
    throw new ConfigError(["HTTP_PROXY or HTTPS_PROXY is not the address of a proxy."]);
  }
}

/** An answer, and what it came through where that could read it, and answer in the target's place. */
type Fetched = Awaited<ReturnType<typeof fetch>> & { readonly via?: string };

/**
 * A fetch that honours the proxies, and gives every write a connection of its own: the one of Node.js does neither, and undici
 * has one owner, this folder. What goes wrong on the way through a proxy is a `ProxyError`.
 *
 * @throws ConfigError where a proxy has no address.
 */
export function createProxiedFetch(
  settings: ProxySettings,
): (url: string, init: { readonly method: string }) => Promise<Fetched> {
  const connections = openConnections(settings);
  return async (address, init) => {
    const url = new URL(address);
    const { dispatcher, proxy } = connections(url, isRead(url, init.method));
    if (proxy === undefined) return fetch(url, { ...init, dispatcher });
    const shown = showProxy(proxy);
    const answer = await fetch(url, { ...init, dispatcher }).catch((cause: unknown) => {
      const blame = blameProxy(cause, url.host);
      throw new ProxyError(blame === undefined ? shown : `${shown} ${blame}`, {
        cause,
        isToBlame: blame !== undefined,
      });
    });
    return url.protocol === "http:" ? Object.assign(answer, { via: shown }) : answer;
  };
}

/** A query of GraphQL is a POST that changes nothing. */
function isRead({ pathname }: URL, method: string): boolean {
  return method === "GET" || pathname.endsWith("/graphql");
}
