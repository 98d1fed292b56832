import { BREAK } from "./characters.ts";

/** GitHub's own host that leads to the same page and leaves no trace on the issue that it leads to. */
const REDIRECT_HOST = "redirect.github.com";

/** Longer addresses are dropped: a line that nobody can read is no help. */
const MAX_URL_LENGTH = 2_000;

/** A host with whatever escapes Markdown and URLs allow in it, and the slash that begins a path. */
const HOST = "((?:\\\\[.:-]|[\\p{L}\\p{N}\\p{M}.:%。．｡-]){0,255})(?=\\\\?/)";

/** Where a host begins: behind slashes or user information, or with `www` where GitHub would make a link of it. */
const HOSTS = [
  new RegExp(`((?<!/)(?:\\\\?/){2,}|@)${HOST}`, "gu"),
  new RegExp(`((?<![a-z0-9.-])www(?=\\\\?[.。．｡]))${HOST}`, "giu"),
];

const ADDRESS = /(https?:\/\/[^\s/?#@<>()[\]]+[/?#])([^\s<>)\]]*)/gi;

/** What Markdown or HTML could read as its own behind the host of an address. */
const MARKUP = /[()[\]<>`'"*|\\]|&(?=#?\w{1,40};)/g;

/**
 * Takes the back-link out of addresses of GitHub: those of github.com lead over `redirect.github.com`. For hosts that have
 * no such detour (Enterprise Server, as `webHosts` names them, and `*.ghe.com`) the address is broken up and remains as text.
 * Source: https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
 */
export function redirectHosts(text: string, webHosts: readonly string[]): string {
  const broken = new Set(webHosts.map(plainHost));
  const redirect = (whole: string, before: string, written: string) => {
    const host = plainHost(written);
    if (host === "github.com") return `${before.toLowerCase() === "www" ? "" : before}${REDIRECT_HOST}`;
    if (broken.has(host) || host.endsWith(".ghe.com")) return whole.charAt(0) + BREAK + whole.slice(1);
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

/**
 * Percent-encodes what would be a mention or a reference behind the host of an http address. The address still leads to
 * the same page, which it would not with a break inside.
 */
export function encodeAddresses(text: string): string {
  return text.replace(ADDRESS, (_, start: string, rest: string) => start + encodeSigns(rest));
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

/**
 * An address that may stand in a public text, spelt so that it means nothing else there; undefined for anything but http
 * and https, for one that carries a user name or password, and for one that is too long.
 */
export function toSafeUrl(text: string, webHosts: readonly string[] = []): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return undefined;
  }
  const path = (url.pathname + url.search + url.hash).replace(MARKUP, encodeCharacter);
  const safe = encodeAddresses(redirectHosts(url.origin + path, webHosts));
  return safe.length > MAX_URL_LENGTH ? undefined : safe;
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** An address in a text, up to whatever ends one in Markdown or HTML. */
const NAMED = /https?:\/\/[^\s<>"'`()[\]|\\*]+/gi;

/** What a sentence may put behind an address. */
const ENDINGS = ".,;:!?_~";

/**
 * The addresses that a text names, spelt as `addressKey` does; also without their fragment, which leads to a place in the same
 * page. An address is taken whole, so that one is never found in a longer one.
 */
export function listAddresses(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [written] of text.matchAll(NAMED)) {
    let end = written.length;
    while (ENDINGS.includes(written.charAt(end - 1))) end -= 1;
    const address = written.slice(0, end);
    for (const one of [address, address.replace(/#.*$/, "")]) {
      const key = addressKey(one);
      if (key !== undefined) found.add(key);
    }
  }
  return found;
}

/** The same text for every spelling of an address; undefined for one that is no address of the web. */
export function addressKey(address: string): string | undefined {
  return toSafeUrl(address)?.replace(/\/$/, "");
}
