import { BREAK, toPlainCharacters } from "./characters.ts";
import { closeFences } from "./fence.ts";
import { encodeAddresses, redirectHosts } from "./web-address.ts";

/**
 * Makes what a stranger wrote on the board safe to publish in an issue: it can ping nobody, leave a trace on no other
 * issue, hold no hidden comment, no HTML, no image and no command, and it ends where it should. Ordinary Markdown stays.
 *
 * | in the text | becomes |
 * |---|---|
 * | what is not shown, what hides a sign (`&#64;`) | removed, decoded (`characters.ts`) |
 * | `@`, `#1`, `GH-1`, `/command`, a commit's hash | the same with a break (U+200B) behind the sign, in code as well |
 * | addresses of GitHub, `@` in any address | `redirect.github.com`, `%40` (`web-address.ts`) |
 * | HTML, comments | the same with a break behind `<`, so that it is shown as text; `<https://…>` stays a link |
 * | an image | a link to it: it would be fetched as soon as somebody looks at the issue |
 * | `javascript:`, `data:`, `vbscript:`, links that begin with `/` | the same with a break, so that they lead nowhere |
 * | an open code fence | closed (`fence.ts`) |
 *
 * Everything but fences is done without a look at where it stands, so that there is no second reading of Markdown which
 * could disagree with GitHub's. Every step takes linear time, and doing it all twice gives the same as doing it once.
 * Sources: https://github.github.com/gfm and the page on references that `web-address.ts` names.
 */

export interface SanitiseOptions {
  /** Hosts of the tracker's web pages other than github.com, such as an Enterprise Server's. */
  readonly webHosts?: readonly string[];
}

/** Makes a text of several lines safe for an issue's body. */
export function sanitiseText(text: string, options: SanitiseOptions = {}): string {
  return closeFences(takeMeaning(toPlainCharacters(text), options));
}

/** Makes a text safe for one line: an issue's title, a name. Blank when nothing is left to be seen. */
export function sanitiseTitle(text: string, options: SanitiseOptions = {}): string {
  return takeMeaning(toPlainCharacters(text).replace(/\s+/gu, " ").trim(), options);
}

function takeMeaning(text: string, options: SanitiseOptions): string {
  const withoutImages = text.replace(IMAGE, "").replace(/!(?=\[)/g, `!${BREAK}`);
  const withAddresses = encodeAddresses(redirectHosts(withoutImages, options.webHosts ?? []));
  return SIGNS.reduce((current, sign) => current.replace(sign, `$&${BREAK}`), withAddresses).replace(
    COMMIT,
    (hash) => hash.replace(/.{6}(?=.)/g, `$&${BREAK}`),
  );
}

/** The sign that makes an image of a link, where it is not part of a word (`vec![1]`). */
const IMAGE = /(?<=^|[\s([>*_~|-])!(?=\[)/gm;

/** Behind each of these a break is put. */
const SIGNS: readonly RegExp[] = [
  // Addresses that run a script or are a document themselves.
  /(?<=^|[\s(<:"'[])(?:javascript|vbscript|data)(?=\\?:)/gi,
  // HTML and comments, but not a link in angle brackets.
  /<(?!https?:\/\/[^\s<>]*>)(?=[a-z/!?])/gi,
  // Links into the tracker's own pages.
  /\](?:\(|:)\s*<?(?=\\?\/)/g,
  // Mentions and `user@hash`; also at the end, where something may be put behind the text.
  /[@＠﹫](?![^\S\n])/gu,
  // References. With their number gone, closing keywords close nothing.
  /[#＃﹟](?=\p{Nd})/gu,
  /(?<![0-9a-z])gh\\?-(?=\p{Nd})/giu,
  // Commands that bots read at the start of a line.
  /^(?:[^\S\n]|[>*+-])*\\?\/(?=[^\s/])/gm,
];

/** A full commit hash. Pieces of six are too short to be taken for an abbreviated one. */
const COMMIT = /(?<![0-9a-z])[0-9a-f]{40}(?![0-9a-z])/gi;
