import type { World } from "./world.ts";

/** Whether an issue's author is our own account, or one whose markers count like ours. */
export function isOurLogin({ policy }: World, account: string, author: string | null): boolean {
  return [account, ...policy.trustedAuthors].some((login) => isSameLogin(author, login));
}

/** Whether two logins are the same account; that of a deleted one is null. */
export function isSameLogin(one: string | null, other: string): boolean {
  return one !== null && fold(one) === fold(other);
}

/** Logins have no case. */
export function fold(login: string): string {
  return login.toLowerCase();
}
