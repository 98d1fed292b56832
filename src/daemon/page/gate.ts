import { hash, timingSafeEqual } from "node:crypto";

/** What opens the page. */
export interface Gate {
  /** `BOARDSYNC_HTTP_TOKEN`; undefined where nobody has set it. */
  readonly token: string | undefined;
}

/** Who asks for the page. */
export interface Visitor {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** Whether `boardsync page` has let this browser in. */
  readonly isGuest: boolean;
}

/** `ask`: the token is wanted. `closed`: only `boardsync page` opens it. */
export type Entry = "open" | "ask" | "closed";

/**
 * The token opens the page, and so does an address of `boardsync page`. Nothing else does, where it was asked for from least of
 * all: a proxy on this machine asks for the whole world.
 */
export function judgeVisitor({ authorization, isGuest }: Visitor, { token }: Gate): Entry {
  if (isGuest) return "open";
  if (token === undefined) return "closed";
  const given = readToken(authorization);
  return given !== undefined && isSame(given, token) ? "open" : "ask";
}

/** `Bearer TOKEN`, or the password of `Basic`: a browser can ask for that. */
function readToken(authorization: string | undefined): string | undefined {
  const [, scheme, value] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization ?? "") ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return value;
  const pair = Buffer.from(value, "base64").toString("utf8");
  return pair.includes(":") ? pair.slice(pair.indexOf(":") + 1) : undefined;
}

/** Takes as long whatever is given. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}
