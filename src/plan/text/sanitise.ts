import { BREAK, type Dialect } from "../../model/dialect.ts";
import { toPlainCharacters } from "./characters.ts";
import { closeFences } from "./fence.ts";

/**
 * Makes what a stranger wrote on the board safe to publish in an issue: it can ping nobody, leave a trace on no other
 * issue, hold no hidden comment, no HTML, no image and no command, and it ends where it should. Ordinary Markdown stays.
 *
 * | in the text | becomes |
 * |---|---|
 * | what is not shown, what hides a sign (`&#64;`) | removed, decoded (`characters.ts`) |
 * | an image | a link to it: it would be fetched as soon as somebody looks at the issue |
 * | the query of an address that is signed for a short time | removed: it lets anybody in, and is another one each time that the board is read |
 * | what the tracker would act on: mentions, references, commands, its own addresses | harmless, as its `Dialect` knows how |
 * | `javascript:`, `data:`, `vbscript:` | the same with a break (U+200B), so that they lead nowhere |
 * | HTML, comments | the same with a break behind `<`, so that it is shown as text; `<https://…>` stays a link |
 * | an open code fence | closed (`fence.ts`) |
 *
 * Everything but fences is done without a look at where it stands, so that there is no second reading of Markdown which
 * could disagree with the tracker's. Every step takes linear time, and doing it all twice gives the same as doing it once.
 * Source: https://github.github.com/gfm
 */

/** Makes a text of several lines safe for an issue's body. */
export function sanitiseText(text: string, dialect: Pick<Dialect, "silence">): string {
  return closeFences(takeMeaning(toLastingText(text), dialect));
}

/** Makes a text safe for one line: an issue's title, a name. Blank when nothing is left to be seen. */
export function sanitiseTitle(text: string, dialect: Pick<Dialect, "silence">): string {
  return takeMeaning(toLastingText(text).replace(/\s+/gu, " ").trim(), dialect);
}

function toLastingText(text: string): string {
  return withoutSignatures(toPlainCharacters(text));
}

/** Comes before e-mail addresses are covered: some stores of files name an account by one in the query, which would be parted there. */
export function withoutSignatures(text: string): string {
  return text.replace(ADDRESS, (address) => address.replace(SIGNED_QUERY, ""));
}

/** An address up to its fragment, or whatever ends one in Markdown. */
const ADDRESS = /https?:\/\/[^\s<>()[\]"'`*|#]+/gi;

/**
 * A query as stores of files make it: with a signature (in Base64 or hexadecimal), the second in which it ends, or a JSON Web Token.
 * Other addresses have a word for `signature`, a day for `expires` or JSON in Base64. What ends a sentence stays, and so do letters
 * that no query holds: in some languages no space stands between an address and the text behind it.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
const SIGNED_QUERY =
  /\?(?:[^?]*&(?:amp;)?)?(?:(?:[\w-]*[_-])?(?:(?:signature|sig)=(?:[\w~\\-]|%(?:2B|2F|3D|7E)){16}|(?:expires|expiry)=\d{9})|[\w-]+=eyJ[\w\\-]+\.[\w\\-]+\.)(?:[!-~]*[\w%+/=&~-])?/gi;

function takeMeaning(text: string, dialect: Pick<Dialect, "silence">): string {
  const withoutImages = text.replace(IMAGE, "").replace(/!(?=\[)/g, `!${BREAK}`);
  const silent = dialect.silence(withoutImages);
  return SIGNS.reduce((current, sign) => current.replace(sign, `$&${BREAK}`), silent);
}

/** The sign that makes an image of a link, where it is not part of a word (`vec![1]`). */
const IMAGE = /(?<=^|[\s([>*_~|-])!(?=\[)/gm;

/** Behind each of these a break is put. */
const SIGNS: readonly RegExp[] = [
  // Addresses that run a script or are a document themselves.
  /(?<=^|[\s(<:"'[])(?:javascript|vbscript|data)(?=\\?:)/gi,
  // HTML and comments, but not a link in angle brackets; also at the end.
  /<(?!https?:\/\/[^\s<>]*>)(?=[a-z/!?\n]|$)/gi,
  // What another value behind it could make a character of: `&#` and `64;`.
  /&(?=#[0-9a-z]*(?:\n|$))/gi,
];
