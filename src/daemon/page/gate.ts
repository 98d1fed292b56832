import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** What opens the page. */
export interface Gate {
  /** `BOARDSYNC_HTTP_TOKEN`; undefined where nobody has set it. */
  readonly token: string | undefined;
  /** `BOARDSYNC_HTTP_READ_TOKEN`, likewise. */
  readonly readToken: string | undefined;
}

/** Who asks for the page. */
export interface Visitor {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** Whom `boardsync page` has let in, as `Guests` knows this browser; undefined for everybody else. */
  readonly guest: string | undefined;
}

/**
 * `open`: to read, and to give orders where `mayOrder`. `session` tells who it is from others, and is no secret. `ask`: the token
 * is wanted. `closed`: only `boardsync page` opens it.
 */
export type Entry =
  | { readonly kind: "open"; readonly mayOrder: boolean; readonly session: string }
  | { readonly kind: "ask" | "closed" };

/**
 * The token opens the page, and so does an address of `boardsync page`. Nothing else does, where it was asked for from least of
 * all: a proxy on this machine asks for the whole world.
 */
export function judgeVisitor({ authorization, guest }: Visitor, { token, readToken }: Gate): Entry {
  if (guest !== undefined) return { kind: "open", mayOrder: true, session: guest };
  if (token === undefined && readToken === undefined) return { kind: "closed" };
  const given = readGiven(authorization);
  const mayOrder = given !== undefined && token !== undefined && isSame(given, token);
  const mayRead = given !== undefined && readToken !== undefined && isSame(given, readToken);
  if (!mayOrder && !mayRead) return { kind: "ask" };
  return { kind: "open", mayOrder, session: hash("sha256", `token ${given}`) };
}

/** `Bearer TOKEN`, or the password of `Basic`: a browser can ask for that. */
function readGiven(authorization: string | undefined): string | undefined {
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

const cookieName = "boardsync";
const dayMs = 24 * 3_600_000;
/** Who was let in first goes when more come. */
const mostGuests = 100;

/** Browsers that `boardsync page` has let in. They are remembered by the daemon alone, and forgotten with it. */
export interface Guests {
  /** Lets a browser in for a day; what it is given is the value of `Set-Cookie`. */
  admit(isSecure: boolean): string;
  /**
   * Who it is, for `Visitor`; undefined for a browser that was not let in.
   *
   * @param cookies - the header `Cookie`.
   */
  recognise(cookies: string | undefined): string | undefined;
}

/** @param monotonic - milliseconds since some moment, by a clock that nobody can set. */
export function createGuests(monotonic: () => number): Guests {
  /** Until when, by the hash of what the cookie holds. */
  const known = new Map<string, number>();
  return {
    admit(isSecure) {
      const secret = randomBytes(32).toString("base64url");
      known.set(hash("sha256", secret), monotonic() + dayMs);
      const [first] = known.keys();
      if (known.size > mostGuests && first !== undefined) known.delete(first);
      const secure = isSecure ? "; Secure" : "";
      return `${cookieName}=${secret}; Max-Age=${dayMs / 1000}; HttpOnly; SameSite=Strict${secure}`;
    },
    recognise(cookies = "") {
      const prints = cookies.split(/; */).flatMap((cookie) => {
        const [name, secret] = cookie.split("=");
        return name === cookieName && secret !== undefined ? [hash("sha256", secret)] : [];
      });
      return prints.find((print) => monotonic() < (known.get(print) ?? 0));
    },
  };
}

/** How long the code of an address of `boardsync page` is good, ms. */
export const codeMs = 60_000;

/** A new code, and what the state keeps of it. */
export function createCode(): { readonly code: string; readonly print: string } {
  const code = randomBytes(16).toString("base64url");
  return { code, print: printOf(code) };
}

/** By this a code is known again; whoever reads the state can't make the code of it. */
export function printOf(code: string): string {
  return hash("sha256", code);
}
