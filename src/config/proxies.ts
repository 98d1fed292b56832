import { ConfigError } from "../errors.ts";
import { type Environment, readVariable } from "./environment.ts";

/** The proxies that the environment names, as addresses; undefined where there is none. */
export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts and networks that are asked directly. */
  readonly none: string | undefined;
}

/**
 * The proxies of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, by any case of their names. An address without a scheme is one of
 * http, as curl has it.
 *
 * @throws ConfigError where one is no address of a proxy; its words hold nothing of the value, which may have a password.
 */
export function readProxies(environment: Partial<Environment>): Proxies {
  const read = (name: string): string | undefined =>
    readVariable(environment as Environment, name.toLowerCase()) ??
    readVariable(environment as Environment, name);
  const problems: string[] = [];
  const judge = (name: string): string | undefined => {
    const value = read(name)?.trim();
    if (value === undefined || value === "") return undefined;
    const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
    if (!isAddress(address))
      problems.push(
        `${name} is not the address of a proxy: write it as http://host:port${address.includes("@") ? signs : ""}`,
      );
    else if (!/^https?:$/.test(new URL(address).protocol))
      problems.push(
        `${name} names a proxy of another kind (${new URL(address).protocol}//): boardsync speaks to proxies of http and https, as http://host:port`,
      );
    return address;
  };
  const proxies = { http: judge("HTTP_PROXY"), https: judge("HTTPS_PROXY") };
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...proxies, none: read("NO_PROXY") };
}

/** What a name or a password may not hold as it is. */
const signs = String.raw`, and % in its name or password as %25, @ as %40, # as %23, ? as %3F, / as %2F, \ as %5C`;

function isAddress(address: string): boolean {
  if (!URL.canParse(address) || address.includes("\\")) return false;
  const { hostname, pathname, search, hash, username, password } = new URL(address);
  try {
    for (const part of [username, password]) decodeURIComponent(part);
    return hostname !== "" && !`${pathname}${search}${hash}`.includes("@");
  } catch {
    return false;
  }
}
