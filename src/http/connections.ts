import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { ConfigError } from "../errors.ts";
import { type NamedProxy, type ProxySettings, proxyOf } from "./proxies.ts";

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
export function openConnections(settings: ProxySettings, connectTimeout: number): Connections {
  const options = {
    // HTTP/1.1 only: a connection that carries several requests at once blurs which of them were sent.
    allowH2: false,
    // One overall deadline rules (see `send.ts`); undici's own three would only blur it.
    connectTimeout,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
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
