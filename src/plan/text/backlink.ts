/** Only a line of exactly this form may be ours: see `findOurs`. */
const form = /^Tracked in [\w.-]+\/[\w.-]+#\d+(?:, [\w.-]+\/[\w.-]+#\d+)*$/;

/** The line that names a post's issues in its internal note; undefined for a post without any. */
export function backlinkLine(issues: readonly string[]): string | undefined {
  return issues.length === 0 ? undefined : `Tracked in ${issues.join(", ")}`;
}

/** Whether a note has a line, whatever ends it. */
export function hasLine(note: string, line: string): boolean {
  return note.split("\n").some((one) => withoutReturn(one) === line);
}

/**
 * The note with our line as it is now, or without it; everything else stays to the letter.
 *
 * @param previous our line as the state knows it.
 * @param names of the repositories of the post's issues, former ones as well.
 */
export function replaceLine(
  note: string,
  previous: string | undefined,
  line: string | undefined,
  names: readonly string[],
): string {
  const lines = note.split("\n");
  const at = findOurs(lines, previous, names);
  const found = lines[at];
  if (found === undefined) return line === undefined ? note : append(note, line);
  const ending = found.endsWith("\r") ? "\r" : "";
  if (line !== undefined) return lines.with(at, line + ending).join("\n");
  const rest = lines.toSpliced(at, 1);
  const isLast = at === lines.length - 1;
  return isLast ? withoutReturn(rest.join("\n")) : rest.join("\n");
}

/**
 * The line that the state knows; else the one line of our form, if there is no other, that names a repository of the post's issues: so
 * after the state was lost, or an old copy put back, it is not written twice. -1 without any.
 */
function findOurs(lines: readonly string[], previous: string | undefined, names: readonly string[]): number {
  const known = lines.findIndex((line) => withoutReturn(line) === previous);
  if (known !== -1) return known;
  const isAlike = (one: string): boolean =>
    form.test(withoutReturn(one)) && repositoriesIn(one).some((name) => names.includes(name));
  const first = lines.findIndex(isAlike);
  return first === lines.findLastIndex(isAlike) ? first : -1;
}

function repositoriesIn(line: string): readonly string[] {
  return [...line.matchAll(/[\w.-]+\/[\w.-]+(?=#)/g)].map(([name]) => name);
}

function append(note: string, line: string): string {
  if (note === "" || note.endsWith("\n")) return note + line;
  return note + (note.includes("\r\n") ? "\r\n" : "\n") + line;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
