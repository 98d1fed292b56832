import { duration, instant } from "../../config/values.ts";
import { ConfigError } from "../../errors.ts";
import { type AuditEntry, entryTag } from "../../ledger/journal.ts";
import { inOrder } from "../../select.ts";
import { type ExplainedWrite, explainWrite } from "../../story/explain/explain.ts";
import { nameEntry } from "../../sync/ground/entries.ts";
import { countVoters, nameVoters } from "../../sync/ground/voters.ts";
import type { NamedPost, NamedProject } from "../../sync/orders/foresight.ts";
import { type ToldTimes, tellTimes } from "../../sync/tell/times.ts";
import { showChanges } from "../../sync/tell/waiting-lines.ts";
import { count } from "../../sync/tell/words.ts";
import { type Beside, findPosts, knownProjects, readBeside } from "../open/beside.ts";
import { describeSince } from "../open/status.ts";
import { indent, printWrapped } from "../print/blocks.ts";
import { type CommandCall, type CommonOptions, exitCodes, type Output } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";

interface HistoryOptions extends CommonOptions {
  readonly limit: number;
  /** As it was typed. */
  readonly since?: string;
}

/** One write, as `history --json` prints it. */
type HistoryLine = ReturnType<typeof lineOf>;

/** `boardsync history [POST]`: every write to either side, newest first. Only reads the state. */
export function history(called: CommandCall<HistoryOptions>): Promise<number> {
  const { terminal, options } = called;
  const [text] = called.args;
  return readBeside(called, async (beside) => {
    const since = options.since === undefined ? 0 : parseSince(options.since, beside.now);
    const { lines, hasMore } = await readHistory(beside, options.limit, since, text);
    const { out } = terminal;
    const times = tellTimes(beside.now, beside.config.timezone);
    const historySince = describeSince((await beside.ledger.upkeep.size()).pruned);
    if (options.json === true) printJson(out, { writes: lines, hasMore, historySince });
    if (options.json === true || options.quiet === true) return exitCodes.ok;
    for (const line of lines) printWrite(out, times, line, nameSides(line));
    const end = hasMore ? "; there are more, `--limit` shows them" : "";
    const told = lines.length === 0 ? "Nothing was written." : `${count(lines.length, "write")}${end}.`;
    printLine(out, "", told);
    if (historySince !== null && !hasMore && since < Date.parse(historySince)) {
      const lost = `What was written before ${historySince} was deleted (\`keep\` in the config).`;
      printLine(out, "", times.tell(lost));
    }
    return exitCodes.ok;
  });
}

/** @throws ConfigError when it is neither a time nor a duration. */
function parseSince(text: string, now: number): number {
  const ago = duration("1s", "9999d").safeParse(text);
  if (ago.success) return now - ago.data;
  const time = instant().safeParse(text);
  if (time.success) return Date.parse(time.data);
  throw new ConfigError([
    `\`--since ${text}\` is no time. Write a day such as \`2026-01-31\`, a time such as \`2026-01-31T09:00:00Z\`, or how long ago, as \`2h\` or \`7d\`.`,
  ]);
}

async function readHistory(
  beside: Beside,
  limit: number,
  since: number,
  text: string | undefined,
): Promise<{ readonly lines: readonly HistoryLine[]; readonly hasMore: boolean }> {
  const sources: readonly (NamedProject & Partial<NamedPost>)[] =
    text === undefined ? knownProjects(beside) : await findPosts(beside, text);
  const found = (
    await inOrder(sources, async ({ key, project, post }) =>
      (await beside.ledger.journal.history(project, post, limit + 1)).map((entry) => ({ key, entry })),
    )
  )
    .flat()
    .filter(({ entry }) => entry.at >= since)
    .toSorted((one, other) => other.entry.at - one.entry.at);
  const lines = found.slice(0, limit).map(({ key, entry }) => lineOf(key, entry));
  return { lines, hasMore: found.length > limit };
}

function lineOf(project: string, entry: AuditEntry) {
  const tag = entryTag(entry);
  return {
    project,
    post: entry.post ?? null,
    ...(tag !== undefined && { changelog: tag }),
    ...explainWrite(entry),
    /** Whether a person let it go; of writes to the board. */
    approved: entry.isApproved,
  };
}

/** When, by which run and of what; then what was written, why, and what came of it. @param sides - what was written to. */
export function printWrite(
  out: Output,
  times: ToldTimes,
  write: ExplainedWrite & { readonly approved?: boolean },
  sides: string,
): void {
  const { at, run, kind, fields, reason, approved, voters, outcome, message } = write;
  printWrapped(out, "", `${times.show(Date.parse(at))}, run ${run}: ${sides}`, "bold");
  const what = [kind, showChanges(fields)].filter((part) => part !== "").join(": ");
  const notified = voters === 0 ? "" : `; ${nameVoters(countVoters([voters]))} notified`;
  printWrapped(out, indent, `${what}${notified}`);
  printWrapped(out, indent, approved === true ? `${reason}; approved` : reason);
  if (outcome === "applied") return;
  printWrapped(out, indent, message === null ? outcome : `${outcome}: ${times.tell(message)}`);
}

function nameSides({ project, post, issue, changelog }: HistoryLine): string {
  const named = changelog === undefined ? project : `${project}, ${nameEntry(changelog)}`;
  return [post === null ? named : `${project}/${post}`, issue].filter((name) => name !== null).join(" → ");
}
