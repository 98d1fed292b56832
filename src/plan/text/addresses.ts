import { toSafeUrl } from "./web-address.ts";

/** An address in a text, up to whatever ends one in Markdown or HTML. */
const ADDRESS = /https?:\/\/[^\s<>"'`()[\]|\\*]+/gi;

/** What a sentence may put behind an address. */
const ENDINGS = ".,;:!?_~";

/**
 * The addresses that a text names, spelt as `addressKey` does; also without their fragment, which leads to a place in the same
 * page. An address is taken whole, so that one is never found in a longer one.
 */
export function listAddresses(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [written] of text.matchAll(ADDRESS)) {
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
