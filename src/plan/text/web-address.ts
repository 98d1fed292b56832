import type { Dialect } from "../../model/dialect.ts";

/** Longer addresses are dropped: a line that nobody can read is no help. */
const MAX_URL_LENGTH = 2_000;

/** What Markdown or HTML could read as its own behind the host of an address. */
const MARKUP = /[()[\]<>`'"*|\\]|&(?=#?\w{1,40};)/g;

/**
 * An address that may stand in a public text, spelt so that it means nothing else there; undefined for anything but http
 * and https, for one that carries a user name or password, and for one that is too long.
 */
export function toSafeUrl(text: string, dialect: Dialect): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return undefined;
  }
  const path = (url.pathname + url.search + url.hash).replace(MARKUP, encodeCharacter);
  const safe = dialect.silenceAddress(url.origin + path);
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
export function listAddresses(text: string, dialect: Dialect): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [written] of text.matchAll(NAMED)) {
    let end = written.length;
    while (ENDINGS.includes(written.charAt(end - 1))) end -= 1;
    const address = written.slice(0, end);
    for (const one of [address, address.replace(/#.*$/, "")]) {
      const key = addressKey(one, dialect);
      if (key !== undefined) found.add(key);
    }
  }
  return found;
}

/** The same text for every spelling of an address; undefined for one that is no address of the web. */
export function addressKey(address: string, dialect: Dialect): string | undefined {
  return toSafeUrl(address, dialect)?.replace(/\/$/, "");
}
