import { BlockList, isIP } from "node:net";
import { ConfigError } from "../errors.ts";
import { type Environment, readVariable } from "./environment.ts";

/** The proxies that the environment names, as addresses; undefined where there is none. */
export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are asked directly, by names alone. */
  readonly none: string | undefined;
}

/**
 * The proxies of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, by any case of their names. An address without a scheme is one of
 * http, as curl has it. Of networks in `NO_PROXY` (`10.0.0.0/8`) those of the given hosts that lie in them count.
 *
 * @param hosts - the addresses that are going to be asked.
 * @throws ConfigError where one is no address of a proxy; its words hold nothing of the value, which may have a password.
 */
export function readProxies(environment: Partial<Environment>, hosts: readonly string[]): Proxies {
  const read = (name: string): string | undefined =>
    readVariable(environment as Environment, name.toLowerCase()) ??
    readVariable(environment as Environment, name);
  const problems: string[] = [];
  const judge = (name: string): string | undefined => {
    const value = read(name)?.trim();
    if (value === undefined || value === "") return undefined;
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
    if (!URL.canParse(address) || new URL(address).hostname === "")
      problems.push(`${name} is not the address of a proxy: write it as http://host:port`);
    else if (!/^https?:$/.test(new URL(address).protocol))
      problems.push(
        `${name} names a proxy of another kind (${new URL(address).protocol}//): boardsync speaks to proxies of http and https, as http://host:port`,
      );
    return address;
  };
  const proxies = { http: judge("HTTP_PROXY"), https: judge("HTTPS_PROXY") };
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...proxies, none: expandNetworks(read("NO_PROXY"), hosts) };
}

function expandNetworks(none: string | undefined, hosts: readonly string[]): string | undefined {
  const networks = (none ?? "").split(/[\s,]+/).filter((entry) => entry.includes("/"));
  const inside = hosts.filter((address) => {
    const host = hostOf(address);
    return networks.some((network) => isInNetwork(host, network));
  });
  return inside.length === 0 ? none : [none, ...inside.map(hostOf)].join(",");
}

/** IPv6 in an address stands in brackets. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, "") : "";
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
