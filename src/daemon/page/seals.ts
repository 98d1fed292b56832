import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

/** What every process on one state knows, so that each takes what another one has handed out. */
export type PageState = ReturnType<typeof stateOf>;

/** Of a state. @param secret - what all processes on the state know, and it does not. */
export function stateOf(
  { pageKey, identity }: { readonly pageKey: string; readonly identity: string },
  secret: string,
) {
  return {
    /**
     * Seals cookies and forms. Whoever reads the state alone (a colleague's role, a backup) must not be able to make them: so the
     * secret is in it.
     */
    pageKey: sealOf(pageKey, "page", secret),
    /** Seals the codes of `boardsync page`, which may know no secret: a code is good only where it was written into the state. */
    codeKey: pageKey,
    identity,
  };
}

/** What tells that these very words were put together by a process on the state. */
export function sealOf(key: string, ...words: readonly string[]): string {
  return createHmac("sha256", key).update(JSON.stringify(words)).digest("base64url");
}

/** Takes as long whatever is given. */
export function isSameSecret(given: string, right: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer"));
}

/** What somebody is handed, to come back with it. */
export interface Pass {
  /** What it is good for, and whose it is. */
  readonly purpose: string;
  readonly session: string;
  /** How long it is good, ms. */
  readonly lifeMs: number;
}

/** @param now - epoch ms. */
export function hand(key: string, { purpose, session, lifeMs }: Pass, text: string, now: number): string {
  const nonce = randomBytes(9).toString("base64url");
  const payload = Buffer.from(JSON.stringify([now + lifeMs, nonce, text])).toString("base64url");
  return `${payload}.${sealOf(key, purpose, session, payload)}`;
}

/**
 * What somebody came back with: `print` tells it from every other one, `until` is epoch ms. undefined where nobody on the state has
 * handed it out for this, or it is too old; or far newer than anything can be: a clock was ahead then. (Those of two machines differ a
 * little.)
 */
export function takeBack(key: string, { purpose, session, lifeMs }: Pass, given: string, now: number) {
  const [payload = "", seal = ""] = given.split(".");
  if (!isSameSecret(seal, sealOf(key, purpose, session, payload))) return undefined;
  const [until, , text]: [number, string, string] = JSON.parse(Buffer.from(payload, "base64url").toString());
  return now < until && until - now <= 2 * lifeMs ? { text, until, print: hash("sha256", given) } : undefined;
}
