/**
 * What a text is made of, before anybody looks for meaning in it: whole code points, one kind of line end, nothing that
 * can't be seen, and no character reference that hides a sign from whoever looks for it.
 */

/** Nobody encodes a sign more often than this with good intentions. */
const DECODING_ROUNDS = 8;

/** Carriage returns and the line ends that only Unicode knows. */
const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;

/** C0 but tab and line feed, DEL, C1, interlinear annotations. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFF9-\uFFFB]/g;

/**
 * Characters that are not drawn (bidi controls, zero-width spaces and joiners, tags, fillers), but not where they belong
 * to what is: a joiner inside an emoji or between letters of a script that needs it, a variation selector on an emoji.
 */
const JOINER_IN_EMOJI =
  "(?<=\\p{Extended_Pictographic}\\uFE0F?|\\p{Emoji_Modifier})\\u200D(?=\\p{Extended_Pictographic})";
const LETTER = "[[\\p{L}\\p{M}]--\\p{Script=Latin}--\\p{Default_Ignorable_Code_Point}]";
const JOINER_IN_WORD = `(?<=${LETTER})[\\u200C\\u200D](?=${LETTER})`;
const SELECTOR = "(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]|\\uFE0F(?=\\u20E3)";
const INVISIBLE = new RegExp(
  `(${JOINER_IN_EMOJI}|${JOINER_IN_WORD}|${SELECTOR})|\\p{Default_Ignorable_Code_Point}`,
  "gv",
);

const REFERENCE = /&(?:#(\d+)|#x([0-9a-f]+)|([a-z][a-z0-9]{1,31}));/gi;

/**
 * The names of HTML that stand for ASCII or for something invisible. All others are left as they are: they can only stand
 * for characters that mean nothing to Markdown or to a tracker. Source: https://html.spec.whatwg.org/entities.json
 */
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "\t": "Tab",
    "\n": "NewLine",
    "!": "excl",
    '"': "quot QUOT",
    "#": "num",
    $: "dollar",
    "%": "percnt",
    "&": "amp AMP",
    "'": "apos",
    "(": "lpar",
    ")": "rpar",
    "*": "ast midast",
    "+": "plus",
    ",": "comma",
    ".": "period",
    "/": "sol",
    ":": "colon",
    ";": "semi",
    "<": "lt LT",
    "=": "equals",
    ">": "gt GT",
    "?": "quest",
    "@": "commat",
    "[": "lsqb lbrack",
    "\\": "bsol",
    "]": "rsqb rbrack",
    "^": "Hat",
    _: "lowbar UnderBar",
    "`": "grave DiacriticalGrave",
    "{": "lcub lbrace",
    "|": "verbar vert VerticalLine",
    "}": "rcub rbrace",
    fj: "fjlig",
    "\u200C": "zwnj",
    "\u200D": "zwj",
    "": "shy lrm rlm ZeroWidthSpace NegativeVeryThinSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace NoBreak af ApplyFunction it InvisibleTimes ic InvisibleComma",
  }).flatMap(([character, names]) => names.split(" ").map((name) => [name, character] as const)),
);

/**
 * The text in its plainest form. References are decoded until none is left that stands for a sign, so `&amp;#64;` becomes
 * `@`; a text that is encoded deeper than anybody would has its ampersands replaced by full-width ones. Lone surrogates
 * become U+FFFD. Doing it twice changes nothing.
 */
export function toPlainCharacters(text: string): string {
  let current = removeUnseen(text);
  for (let round = 0; round < DECODING_ROUNDS; round++) {
    const next = removeUnseen(current.replace(REFERENCE, decodeReference));
    if (next === current) return current;
    current = next;
  }
  return REFERENCE.test(current) ? current.replaceAll("&", "＆") : current;
}

function removeUnseen(text: string): string {
  return text
    .toWellFormed()
    .replace(LINE_END, "\n")
    .replace(CONTROL, "")
    .replace(INVISIBLE, (_, wanted: string | undefined) => wanted ?? "");
}

function decodeReference(
  reference: string,
  decimal: string | undefined,
  hexadecimal: string | undefined,
  name: string | undefined,
): string {
  if (name !== undefined) return NAMED.get(name) ?? reference;
  const code = decimal === undefined ? Number.parseInt(`${hexadecimal}`, 16) : Number.parseInt(decimal, 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
}
