import { hash, randomBytes } from "node:crypto";
import type { HttpSecrets } from "../../config/secrets.ts";
import { dayMs, minuteMs } from "../../model/time.ts";
import { hand, isSameSecret, type PageState, type Pass, sealOf, takeBack } from "./seals.ts";

/** What opens the page. */
export type Gate = Pick<HttpSecrets, "token" | "readToken">;

/** Who asks for the page. */
export interface Visitor {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** Whom `boardsync page` has let in, as `recogniseGuest` knows this browser; undefined for everybody else. */
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
  const mayOrder = given !== undefined && token !== undefined && isSameSecret(given, token);
  const mayRead = given !== undefined && readToken !== undefined && isSameSecret(given, readToken);
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

const guest: Pass = { purpose: "guest", session: "", lifeMs: dayMs };

/**
 * The name of the cookie: of each state another one, since a browser keeps cookies by the name of a host, whatever the port. With
 * TLS it begins so that no other host, no plain page and no script can have set it.
 */
function cookieOf({ identity }: PageState, isSecure: boolean): string {
  return `${isSecure ? "__Host-" : ""}boardsync-${hash("sha256", identity).slice(0, 8)}`;
}

/**
 * Lets a browser in for a day; what it is given is the value of `Set-Cookie`. Without TLS it names no path: the browser then takes
 * that of the address that was opened, also behind a proxy.
 *
 * @param now - epoch ms.
 */
export function admitGuest(state: PageState, isSecure: boolean, now: number): string {
  const value = hand(state.pageKey, guest, "", now);
  const secure = isSecure ? "; Path=/; Secure" : "";
  return `${cookieOf(state, isSecure)}=${value}; Max-Age=${dayMs / 1000}; HttpOnly; SameSite=Strict${secure}`;
}

/** Who it is, for `Visitor`; undefined for a browser that was not let in. `cookies`: the header `Cookie`; `now`: epoch ms. */
export function recogniseGuest(
  state: PageState,
  isSecure: boolean,
  cookies: string | undefined,
  now: number,
): string | undefined {
  const name = cookieOf(state, isSecure);
  for (const cookie of (cookies ?? "").split(/; */)) {
    const [given, value = ""] = cookie.split("=");
    const passed = given === name ? takeBack(state.pageKey, guest, value, now) : undefined;
    if (passed !== undefined) return passed.print;
  }
  return undefined;
}

/** Whether the browser speaks TLS, to a proxy. Who lies about it gets a cookie of another name, and opens nothing. @param url - `http.url`. */
export function isSecureRequest(
  { "x-forwarded-proto": told, host }: Readonly<Record<string, string | readonly string[] | undefined>>,
  url: string | undefined,
): boolean {
  const [first = ""] = String(told ?? "").split(",", 1);
  if (first.trim() !== "") return first.trim().toLowerCase() === "https";
  if (url === undefined) return false;
  const { protocol, host: known } = new URL(url);
  return protocol === "https:" && known === String(host).toLowerCase();
}

/** How long the code of an address of `boardsync page` is good, ms. */
export const codeMs = minuteMs;
const codeBytes = 16;
const nonceBytes = 8;

/**
 * A new code, and what the state keeps of it. Half of it says that it was made with the key, so that a guess is known for one
 * without a look at the state.
 *
 * @param key - `PageState.codeKey`.
 */
export function createCode(key: string): { readonly code: string; readonly print: string } {
  const code = completeCode(key, randomBytes(nonceBytes));
  return { code, print: printOf(code) };
}

/** Whether it was made with the key; whether it is good is the state's to say. */
export function isCode(key: string, given: string): boolean {
  const nonce = Buffer.from(given, "base64url").subarray(0, nonceBytes);
  return isSameSecret(given, completeCode(key, nonce));
}

function completeCode(key: string, nonce: Buffer): string {
  const seal = Buffer.from(sealOf(key, "code", nonce.toString("hex")), "base64url");
  return Buffer.concat([nonce, seal]).subarray(0, codeBytes).toString("base64url");
}

/** By this a code is known again; whoever reads this alone can't make the code of it. */
export function printOf(code: string): string {
  return hash("sha256", code);
}

const mostOfAddress = 10;
const mostInAll = 100;

/**
 * Counts what strangers try, and when it is enough. Keeps a hundred addresses in mind at most: those of one minute.
 *
 * @param monotonic - milliseconds since some moment, by a clock that nobody can set.
 */
export function createTries(monotonic: () => number) {
  const counts = new Map<string, number>();
  let begunAt = monotonic();
  let inAll = 0;
  return {
    /** Counts one more of an address; false where it had enough in this minute, or all together had. */
    isRoom(address: string): boolean {
      if (monotonic() - begunAt >= minuteMs) {
        counts.clear();
        inAll = 0;
        begunAt = monotonic();
      }
      const count = counts.get(address) ?? 0;
      if (inAll >= mostInAll || count >= mostOfAddress) return false;
      counts.set(address, count + 1);
      inAll += 1;
      return true;
    },
  };
}
