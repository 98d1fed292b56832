import { BlockList, isIP } from "node:net";
import { Agent, type Dispatcher, Pool, ProxyAgent } from "undici";
import { ConfigError } from "../errors.ts";

/** Proxies as they stand in the environment; passed in, never read here. */
export interface ProxySettings {
  /** Address of `HTTP_PROXY`. */
  readonly http?: string | undefined;
  /** Address of `HTTPS_PROXY`. */
  readonly https?: string | undefined;
  /** `NO_PROXY`: hosts and networks that are asked directly. */
  readonly none?: string | undefined;
}

/** A proxy, and the variable that names it. */
interface NamedProxy {
  readonly address: string;
  readonly variable: string;
}

/** How one address is asked. */
export interface Way {
  readonly dispatcher: Dispatcher;
  /** What it goes through, as it is shown; undefined where it leads there directly. */
  readonly proxy: string | undefined;
}

/**
 * The ways to one side, through the proxies where there are any. A read keeps its connection for the next one. A write never rides
 * on an idle connection, which the server, or a balancer before it, may be closing at that moment: the outcome of such a request is
 * unknown, and has to be looked up.
 */
export type Connections = (url: URL, isRead: boolean) => Way;

/**
 * Node.js gives up each address of a host but the last after 250 ms, and asks none twice: where a connection takes longer, a host
 * whose last address leads nowhere, such as its IPv6 one, could never be reached. https://github.com/nodejs/node/issues/54359
 * Of a short deadline each has half, so that there is time for another.
 */
const addressTimeoutMs = 2_000;

/** Of all headers of an answer. With the 16 KiB of Node.js a write that was answered would be in doubt each time; curl takes more, too. */
const headerBytes = 256 * 1024;

/** @throws ConfigError where a proxy has no address. */
export function openConnections(settings: ProxySettings, connectTimeout: number): Connections {
  const attemptMs = Math.min(addressTimeoutMs, Math.ceil(connectTimeout / 2));
  const connect = { autoSelectFamilyAttemptTimeout: attemptMs };
  const options = {
    // HTTP/1.1 only: a connection that carries several requests at once blurs which of them were sent.
    allowH2: false,
    // One overall deadline rules (see `send.ts`); undici's own three would only blur it.
    connectTimeout,
    connect,
    // To a proxy, too.
    proxyTls: connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: headerBytes,
  };
  // Zero pipelining means a connection for each request.
  const [reads, writes] = [
    openAgents(settings, { ...options, pipelining: 1 }),
    openAgents(settings, { ...options, pipelining: 0 }),
  ];
  return (url, isRead) => {
    const proxy = proxyOf(url, settings);
    const { direct, proxies } = isRead ? reads : writes;
    const dispatcher = (proxy && proxies.get(proxy.address)) ?? direct;
    return { dispatcher, proxy: proxy && showProxy(proxy) };
  };
}

function openAgents({ http = "", https = "" }: ProxySettings, options: Agent.Options) {
  try {
    const addresses = [http, https].filter((address) => address !== "");
    // By itself it forgets the options of what goes to a proxy without a tunnel.
    const factory = (origin: URL, own: object) => new Pool(origin, { ...options, ...own });
    const proxies = new Map(
      addresses.map((uri) => [uri, new ProxyAgent({ ...options, uri, factory })] as const),
    );
    return { direct: new Agent(options), proxies };
  } catch {
    // The library's error quotes the address, and with it the proxy's password.
    throw new ConfigError(["HTTP_PROXY or HTTPS_PROXY is not the address of a proxy."]);
  }
}

/** The proxy that an address is asked through; undefined where it is asked directly. */
export function proxyOf(
  url: URL,
  { http = "", https = "", none = "" }: ProxySettings,
): NamedProxy | undefined {
  const isSecure = url.protocol === "https:" && https !== "";
  const proxy = isSecure
    ? { address: https, variable: "HTTPS_PROXY" }
    : { address: http, variable: "HTTP_PROXY" };
  return proxy.address === "" || isExcepted(url, none) ? undefined : proxy;
}

/** A proxy as it is shown: without its password. */
function showProxy({ address, variable }: NamedProxy): string {
  return `the proxy ${new URL(address).origin} of ${variable}`;
}

/** An entry is a host with all below it (`*.` leaves the host itself out), with or without a port, or a network. */
function isExcepted(url: URL, none: string): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/(?<=.)\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return none
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry.includes("/")) return isInNetwork(host, entry);
      // Colons without brackets are those of IPv6.
      const parts = /^\[(.+)\](?::(\d+))?$/.exec(entry) ?? /^([^:]+)(?::(\d+))?$/.exec(entry);
      const [, named = entry, only] = parts ?? [];
      if (only !== undefined && only !== port) return false;
      if (named === "*") return true;
      const name = named.replace(/^\*?\./, "").replace(/\.$/, "");
      return (host === name && !named.startsWith("*")) || host.endsWith(`.${name}`);
    });
}

function isInNetwork(host: string, network: string): boolean {
  const [base = "", length = ""] = network.split("/");
  const kind = isIP(base);
  const bits = Number(length);
  if (kind === 0 || isIP(host) !== kind || !/^\d{1,3}$/.test(length) || bits > (kind === 4 ? 32 : 128))
    return false;
  const list = new BlockList();
  const family = kind === 4 ? "ipv4" : "ipv6";
  list.addSubnet(base, bits, family);
  return list.check(host, family);
}

const causeDepthLimit = 10;

const codesOfProxies: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ENOTFOUND: "could not be found: the name is not known",
  EAI_AGAIN: "could not be found: the look-up of the name failed",
  UND_ERR_CONNECT_TIMEOUT: "gave no connection in time",
  UND_ERR_PRX_CONN: "cut the connection",
  UND_ERR_PRX_TLS: "has a certificate that is not its own",
};

/**
 * What a proxy did that a request could not go through it, as words for a sentence; undefined where the failure may be the
 * target's. Nothing of the request has reached the target then.
 *
 * A tunnel's inside makes no connection and looks up no name: whatever fails with that on the way through a proxy is the proxy.
 */
export function blameProxy(error: unknown, host: string): string | undefined {
  let link: unknown = error;
  for (let depth = 0; depth < causeDepthLimit && link instanceof Error; depth += 1) {
    const status = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(link.message)?.[1];
    if (status !== undefined) return `${describeStatus(Number(status), host)} (${status})`;
    const code = "code" in link && typeof link.code === "string" ? link.code : link.name;
    const isConnect = "syscall" in link && /^(?:connect|getaddrinfo)$/.test(String(link.syscall));
    if (Object.hasOwn(codesOfProxies, code)) return `${codesOfProxies[code]} (${code})`;
    if (isConnect || link instanceof AggregateError) return `could not be reached (${code})`;
    link = link.cause;
  }
  return undefined;
}

function describeStatus(status: number, host: string): string {
  if (status === 407) return "wants a name and a password, or other ones than it got";
  return status < 500 ? `does not let boardsync through to ${host}` : `could not reach ${host}`;
}
