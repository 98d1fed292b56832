import { hash, randomBytes } from "node:crypto";

const cookieName = "boardsync";
const dayMs = 24 * 3_600_000;
/** Who was let in first goes when more come. */
const mostGuests = 100;

/** Browsers that `boardsync page` has let in. They are remembered by the daemon alone, and forgotten with it. */
export interface Guests {
  /** Lets a browser in for a day; what it is given is the value of `Set-Cookie`. */
  admit(isSecure: boolean): string;
  /** @param cookies - the header `Cookie`. */
  isGuest(cookies: string | undefined): boolean;
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
      return `${cookieName}=${secret}; Path=/; Max-Age=${dayMs / 1000}; HttpOnly; SameSite=Strict${secure}`;
    },
    isGuest(cookies = "") {
      return cookies.split(/; */).some((cookie) => {
        const [name, secret] = cookie.split("=");
        if (name !== cookieName || secret === undefined) return false;
        const until = known.get(hash("sha256", secret));
        return until !== undefined && monotonic() < until;
      });
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
