import { RemoteError } from "../../../errors.ts";
import { webSiteOf } from "../../../model/dialect.ts";
import type { ClientAnswer } from "./client.ts";
import type { Quote } from "./words.ts";

/**
 * Resolves an address that an answer named, and refuses one on another origin: the token must not travel.
 *
 * @throws RemoteError `refused`, or `unreadable` for what is no address.
 */
export function resolveOnOrigin(address: string, base: string, quote: Quote): string {
  if (!URL.canParse(address, base)) {
    throw new RemoteError("tracker", "unreadable", "GitHub names a next page whose address can't be read.");
  }
  const url = new URL(address, base);
  if (url.origin === new URL(base).origin && url.username === "" && url.password === "") return url.href;
  throw new RemoteError(
    "tracker",
    "refused",
    `GitHub's answer leads to another server (${quote(url.host)}); it is not followed, so that the token stays here.`,
  );
}

/** Longer ones are none of GitHub's. */
const longestAddress = 1000;

/**
 * Where a person lets the token in to an organisation with SAML single sign-on, as the answer names it; undefined where it names none,
 * or one that is not the server's own.
 * https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api#authenticating-with-saml-single-sign-on
 */
export function readSsoAddress({ headers, url }: ClientAnswer): string | undefined {
  const address = /^required;\s*url=(\S+)$/i.exec(String(headers["x-github-sso"] ?? "").trim())?.[1];
  if (address === undefined || address.length > longestAddress || !URL.canParse(address)) return undefined;
  const found = new URL(address);
  const isOwn = found.origin === webSiteOf(url) && found.username === "" && found.password === "";
  return isOwn ? found.href : undefined;
}

/** The numeric repository id in an address such as `/repositories/42/issues`; undefined where it has none. */
export function readRepositoryId(url: string): number | undefined {
  const id = /\/repositories\/(\d{1,15})(?:\/|$)/.exec(new URL(url).pathname)?.[1];
  return id === undefined ? undefined : Number(id);
}
