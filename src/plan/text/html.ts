import { createRequire } from "node:module";
import type Turndown from "turndown";

/** Loaded with the first description in HTML: it brings an HTML parser along, and most boards have none. */
const load = createRequire(import.meta.url);

/** More of a description in HTML than this is not read. */
const mostRead = 65_536;
/** Elements in elements. Nobody's text goes deeper, and each level costs the reading of all levels above it. */
const deepest = 100;

const blocks = "p|div|ul|ol|li|h[1-6]|blockquote|pre|table|thead|tbody|tr|td|th|section|article|figure|hr|br";
const inline = "a|abbr|b|code|del|em|i|ins|img|kbd|mark|s|small|span|strong|sub|sup|u";

/** A text that begins with such an element is HTML, as editors of boards write it. */
const beginsWithBlock = new RegExp(`^\\s*<(?:${blocks})(?:\\s[^<>]*)?/?>`, "i");
/** Markdown may have such an element, too. */
const hasElement = new RegExp(`<(?:br\\s*/?|/(?:${blocks}|${inline}))>`, "i");
/** In HTML a line break follows an element or means nothing; in Markdown it follows a word. */
const breaksLine = /[^>\s][^\S\n]*\n/;

/** A file inside of the text, as of a pasted picture: nobody can read it, and what follows it would be cut off. Shorter ones are examples. */
const INLINE_FILE = /\bdata:[a-z]+\/[\w.+-]+(?:;[\w.=-]+)*;base64,[\w+/=%-]{256,}/gi;

/**
 * A description as Markdown: one in HTML is turned into it, any other one stays as it is. The text is not safe yet.
 *
 * @param most - the most characters that are read of any other one.
 * @param hide - takes out of a plain text what nobody may see. Later is too late: a sign that is escaped parts an address.
 * @returns `isCut` where there is more of it than was read.
 */
export function readDescription(raw: string, most: number, hide: (text: string) => string) {
  const text = raw.replace(INLINE_FILE, "");
  const limit = isHtml(text) ? Math.min(most, mostRead) : most;
  const read = text.slice(0, limit);
  const isRead = !isHtml(read) || isDeep(read);
  return { text: isRead ? read : createReader(hide).turndown(read), isCut: text.length > limit };
}

function isHtml(text: string): boolean {
  if (beginsWithBlock.test(text)) return true;
  return hasElement.test(text) && !breaksLine.test(text.trim()) && !text.includes("`");
}

function createReader(hide: (text: string) => string): Turndown {
  const Reader: typeof Turndown = load("turndown");
  const reader = new Reader({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  })
    .remove(["script", "style", "title", "noscript", "template", "iframe", "object"])
    .addRule("struck", { filter: ["del", "s"], replacement: (content) => `~~${content}~~` })
    .addRule("cell", {
      filter: ["td", "th"],
      replacement: (content, node) => `${content.trim()}${node.nextSibling === null ? "" : " | "}`,
    })
    .addRule("row", { filter: "tr", replacement: (content) => `\n\n${content.trim()}\n\n` });
  const quote = reader.escape.bind(reader);
  reader.escape = (text) => quote(hide(text));
  return reader;
}

/** These end by themselves where the next one begins, or have nothing in them. */
const flat = /^(?:p|li|dt|dd|tr|td|th|option|br|hr|img|input|meta|link|wbr|col)$/;

/** Whether elements stand in elements too deeply, as far as one can tell without reading them; linear in the text's length. */
function isDeep(html: string): boolean {
  const open = new Map<string, number>();
  let depth = 0;
  for (const [, slash, written = ""] of html.matchAll(/<(\/?)([a-z][^\s<>/]*)/gi)) {
    const name = written.toLowerCase();
    if (flat.test(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash === "/" && count === 0) continue;
    const step = slash === "/" ? -1 : 1;
    open.set(name, count + step);
    depth += step;
    if (depth > deepest) return true;
  }
  return false;
}
