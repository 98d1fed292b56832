import { toPlainCharacters } from "../text/characters.ts";
import { withoutComments } from "../text/outward.ts";

/**
 * Takes out of a release's notes what is said among developers and is nothing to customers. Words stay, so that each line reads on:
 *
 * | in the notes | becomes |
 * |---|---|
 * | the list of new contributors, the line of the full changelog, hidden comments, HTML | nothing |
 * | `by @ann`, `thanks to @ann`, `@acme/team`, `in #12`, `fixes acme/app#12`, `(#12)`, `GH-12`, a commit's hash | nothing |
 * | a link into the tracker, `in https://github.com/acme/app/pull/12` | its text, nothing |
 * | a line of a list of which nothing is left | nothing |
 *
 * @param pages the address at which the tracker's pages begin: `https://github.com/`.
 */
export function publicNotes(notes: string, pages: string): string {
  const plain = withoutSections(withoutTags(toPlainCharacters(notes.slice(0, mostRead))));
  const lines = plain.split("\n").map((line) => clean(line.slice(0, mostLine), pages));
  return lines
    .filter((line) => line !== undefined)
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** More than this is not even looked at; GitHub takes 125,000 characters. */
const mostRead = 131_072;
const mostLine = 4_096;

/** Comments and tags; what is left of one that was broken up shows as text. */
function withoutTags(text: string): string {
  return withoutComments(text).replace(/<\/?[a-z][^<>]{0,500}>/gi, "");
}

const heading = /^ {0,3}#{1,6}\s/;
const ofPeople = /^ {0,3}#{1,6}\s+(?:new contributors|contributors|credits)\s*#*\s*$/i;
const wholeList = /^\s*(?:\*\*)?full changelog/i;

function withoutSections(text: string): string {
  let isLeftOut = false;
  const lines = text.split("\n").filter((line) => {
    if (heading.test(line)) isLeftOut = ofPeople.test(line);
    return !isLeftOut && !wholeList.test(line);
  });
  return lines.join("\n");
}

/** undefined for a line that is to go. */
function clean(line: string, pages: string): string | undefined {
  if (line.trim() === "") return "";
  const without = forms.reduce((rest, form) => rest.replace(form, ""), withoutLinks(line, pages));
  const tidy = without
    .replace(/\(\s*[,;\s]*\)/g, "")
    .replace(/(?<=\S)[ \t]{2,}/g, " ")
    .replace(/(?<=\S)[ \t]+(?=[.,;:!?)](?:\s|$))/g, "")
    .trimEnd();
  if (tidy === line.trimEnd()) return tidy;
  // Of a list's line, or a heading, of which only signs are left.
  return /^\s*(?:[-*+>#]+|\d+[.)])?\s*[.,;:!]*$/.test(tidy) ? undefined : withoutEnding(tidy);
}

function withoutEnding(text: string): string {
  let end = text.length;
  while (",; \t".includes(text.charAt(end - 1)) && end > 0) end -= 1;
  return text.slice(0, end);
}

const lead = "(?:(?:by|from|in|via|see|cc|thanks(?: to)?|fix(?:es|ed)?|close[sd]?|resolve[sd]?):? {1,3})?";

const forms: readonly RegExp[] = [
  // People and teams.
  new RegExp(
    `${lead}(?<![\\p{L}\\p{N}_.\`])[@＠﹫][\\p{L}\\p{N}][\\p{L}\\p{N}_-]{0,60}(?:/[\\p{L}\\p{N}_.-]{1,100})?(?:\\[bot\\])?`,
    "giu",
  ),
  // Issues and pull requests, with their repository or without.
  new RegExp(
    `${lead}(?<![\\p{L}\\p{N}_/&])(?:[\\p{L}\\p{N}_.-]{1,100}/[\\p{L}\\p{N}_.-]{1,100})?[#＃﹟]\\d{1,9}(?![\\p{L}\\p{N}])`,
    "giu",
  ),
  new RegExp(`${lead}(?<![\\p{L}\\p{N}])gh-\\d{1,9}(?![\\p{L}\\p{N}])`, "giu"),
  // Commits.
  /(?<![\p{L}\p{N}])`?[0-9a-f]{40}`?(?![\p{L}\p{N}])/giu,
];

/** Where the tracker's pages and pictures are, too. */
const others = ["(?:[\\w-]{1,60}\\.)?github\\.com", "[\\w.-]{0,100}githubusercontent\\.com"];

/** Links into the tracker keep their text, where they have one of their own; a bare address goes. */
function withoutLinks(line: string, pages: string): string {
  const host = pages.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
  const hosts = [`(?:[\\w-]{1,60}\\.)?${escapeForPattern(host)}`, ...others].map(
    (one) => `<?https?://${one}(?:[/?#][^\\s<>()\\]]{0,1000})?>?`,
  );
  return hosts.reduce((rest, one) => {
    const linked = new RegExp(`!?\\[([^\\[\\]]{0,500})\\]\\(${one}(?:\\s+"[^"]{0,200}")?\\)`, "gi");
    return rest.replace(linked, "$1").replace(new RegExp(lead + one, "gi"), "");
  }, line);
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
