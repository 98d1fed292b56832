import { BREAK, type Dialect, webSiteOf } from "../../model/dialect.ts";

/**
 * What GitHub reads out of a text, and how it is kept from that:
 *
 * | in the text | becomes |
 * |---|---|
 * | `@`, `#1`, `GH-1`, `/command`, a commit's hash | the same with a break (U+200B) behind the sign, in code as well |
 * | addresses of GitHub, `@` in any address | `redirect.github.com`, `%40` |
 * | links that begin with `/` | the same with a break, so that they lead nowhere |
 *
 * Source: https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
 *
 * @param url - the API's address, as in the config.
 */
export function createDialect(url: string): Dialect {
  const pages = pageHosts(url);
  const site = webSiteOf(url);
  /**
   * Percent-encodes what would be a mention or a reference behind the host of an http address. The address still leads to
   * the same page, which it would not with a break inside.
   */
  const silenceAddress = (text: string) =>
    redirectHosts(text, pages).replace(
      ADDRESS,
      (_, start: string, rest: string) => start + encodeSigns(rest),
    );
  return {
    titleLength: 256,
    // GitHub takes fewer than 65,536 characters; bytes are counted, to be on the safe side.
    bodyBytes: 65_535,
    silence: (text) =>
      SIGNS.reduce((current, sign) => current.replace(sign, `$&${BREAK}`), silenceAddress(text)).replace(
        COMMIT,
        (hash) => hash.replace(/.{6}(?=.)/g, `$&${BREAK}`),
      ),
    silenceAddress,
    issueAddress: (repository, number) => `${site}/${repository}/issues/${number}`,
  };
}

/** Behind each of these a break is put. */
const SIGNS: readonly RegExp[] = [
  // Links into the server's own pages.
  /\](?:\(|:)\s*<?(?=\\?\/)/g,
  // Mentions and `user@hash`; also at the end, where something may be put behind the text.
  /[@＠﹫](?![^\S\n])/gu,
  // References, likewise. With their number gone, closing keywords close nothing.
  /[#＃﹟](?=\p{Nd}|\n|$)/gu,
  /(?<![0-9a-z])gh\\?-(?=\p{Nd}|\n|$)/giu,
  // Commands that bots read at the start of a line.
  /^(?:[^\S\n]|[>*+-])*\\?\/(?=[^\s/])/gm,
];

/** A full commit hash. Pieces of six are too short to be taken for an abbreviated one. */
const COMMIT = /(?<![0-9a-z])[0-9a-f]{40}(?![0-9a-z])/gi;

/** GitHub's own host that leads to the same page and leaves no trace on the issue that it leads to. */
const REDIRECT_HOST = "redirect.github.com";

/** A host with whatever escapes Markdown and URLs allow in it, and the slash that begins a path. */
const HOST = "((?:\\\\[.:-]|[\\p{L}\\p{N}\\p{M}.:%。．｡-]){0,255})(?=\\\\?/)";

/** Where a host begins: behind slashes or user information, or with `www` where GitHub would make a link of it. */
const HOSTS = [
  new RegExp(`((?<!/)(?:\\\\?/){2,}|@)${HOST}`, "gu"),
  new RegExp(`((?<![a-z0-9.-])www(?=\\\\?[.。．｡]))${HOST}`, "giu"),
];

const ADDRESS = /(https?:\/\/[^\s/?#@<>()[\]]+[/?#])([^\s<>)\]]*)/gi;

/** Hosts of web pages beside github.com. An Enterprise Server's API and pages share a host; a sandbox on loopback has no pages. */
function pageHosts(url: string): ReadonlySet<string> {
  const { hostname } = new URL(url);
  const hasOwnPages = hostname !== "api.github.com" && !/^(127\.|\[::1\]|localhost$)/.test(hostname);
  return new Set(hasOwnPages ? [plainHost(hostname)] : []);
}

/**
 * Takes the back-link out of addresses of GitHub: those of github.com lead over `redirect.github.com`. For hosts that have
 * no such detour (Enterprise Server, and `*.ghe.com`) the address is broken up and remains as text.
 */
function redirectHosts(text: string, pages: ReadonlySet<string>): string {
  const redirect = (whole: string, before: string, written: string) => {
    const host = plainHost(written);
    if (host === "github.com") return `${before.toLowerCase() === "www" ? "" : before}${REDIRECT_HOST}`;
    if (pages.has(host) || host.endsWith(".ghe.com")) return whole.charAt(0) + BREAK + whole.slice(1);
    return whole;
  };
  return HOSTS.reduce((current, host) => current.replace(host, redirect), text);
}

/** The host as a browser would understand it, without `www.`, port and final dot. */
function plainHost(written: string): string {
  return written
    .replaceAll("\\", "")
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .normalize("NFKC")
    .replaceAll("。", ".")
    .toLowerCase()
    .replace(/:\d*$/, "")
    .replace(/\.+$/, "")
    .replace(/^(?:www)?\.+/, "");
}

function encodeSigns(rest: string): string {
  return rest
    .replaceAll("@", "%40")
    .replace(/#(?=\d)(.)/g, (_, digit: string) => `#%3${digit}`)
    .replace(/(?<![0-9a-z])gh-(?=\d)/gi, (match) => `${match.slice(0, 2)}%2D`)
    .replace(
      /(?<![0-9a-z])([0-9a-f]{20})([0-9a-f])(?=[0-9a-f]{19}(?![0-9a-z]))/gi,
      (_, start: string, next: string) => `${start}%${next.charCodeAt(0).toString(16)}`,
    );
}
