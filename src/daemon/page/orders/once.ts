import { hash, randomBytes } from "node:crypto";

/** Nobody looks at a question for longer than this, ms. */
const lifeMs = 15 * 60_000;
/** Who asked first goes when more come. */
const mostKept = 500;

/** What is kept for somebody under a random token, and is given back once. It is remembered by the daemon alone. */
export interface Once<Thing> {
  /** @returns the token. */
  keep(session: string, thing: Thing): string;
  /** undefined for a token that is used up, too old, of nobody, or of somebody else; that one stays good for whom it was made. */
  take(session: string, token: string): Thing | undefined;
}

/** @param monotonic - milliseconds since some moment, by a clock that nobody can set. */
export function createOnce<Thing>(monotonic: () => number): Once<Thing> {
  /** By the hash of the token and its session. */
  const kept = new Map<string, { readonly thing: Thing; readonly until: number }>();
  const nameOf = (session: string, token: string): string => hash("sha256", JSON.stringify([session, token]));
  return {
    keep(session, thing) {
      const token = randomBytes(24).toString("base64url");
      kept.set(nameOf(session, token), { thing, until: monotonic() + lifeMs });
      const [first] = kept.keys();
      if (kept.size > mostKept && first !== undefined) kept.delete(first);
      return token;
    },
    take(session, token) {
      const name = nameOf(session, token);
      const found = kept.get(name);
      kept.delete(name);
      return found !== undefined && monotonic() < found.until ? found.thing : undefined;
    },
  };
}
