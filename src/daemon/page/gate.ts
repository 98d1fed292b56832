import { hash, timingSafeEqual } from "node:crypto";

/** Where the page is served, and what opens it. */
export interface Gate {
  /** As `http.host` names it. */
  readonly host: string;
  /** `BOARDSYNC_HTTP_TOKEN`; undefined where nobody has set it. */
  readonly token: string | undefined;
}

/** Who asks for the page. */
export interface Visitor {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** The header `Host`: the name by which a browser knows this place. */
  readonly host: string | undefined;
  /** Whether a proxy says that it asks for somebody else. */
  readonly isProxied: boolean;
}

/** `ask`: the token is wanted. `closed`: nothing opens it, with the reason. */
export type Verdict =
  | { readonly kind: "open" }
  | { readonly kind: "ask" }
  | { readonly kind: "closed"; readonly reason: string };

const remedy =
  "Set BOARDSYNC_HTTP_TOKEN (or BOARDSYNC_HTTP_TOKEN_FILE), start the daemon again, and give the token as the password.";

/**
 * With a token everybody needs it. Without one the page is for this machine alone, and the name in `Host` has to be one of this
 * machine, too: a page of the web whose name leads here would otherwise be let in by the browser of whoever sits here.
 */
export function judgeVisitor(visitor: Visitor, { host, token }: Gate): Verdict {
  if (token !== undefined) {
    const given = readToken(visitor.authorization);
    return given !== undefined && isSame(given, token) ? { kind: "open" } : { kind: "ask" };
  }
  if (!isLoopback(host)) {
    const reason = `The status page is off, because the daemon listens on ${host}, which other machines may reach, and no token guards it.`;
    return { kind: "closed", reason: `${reason} ${remedy}` };
  }
  if (!isLoopback(hostnameOf(visitor.host)) || visitor.isProxied) {
    const reason =
      "Without a token the status page is for this machine alone, asked for as localhost, 127.0.0.1 or [::1] and not through a proxy.";
    return { kind: "closed", reason: `${reason} ${remedy}` };
  }
  return { kind: "open" };
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

function hostnameOf(host: string | undefined): string {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return "";
  }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
