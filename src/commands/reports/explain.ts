import {
  type Age,
  type AnyRule,
  comingOf,
  describeDecided,
  describeFacts,
  describeSet,
  type ExplainedField,
  type ExplainedIssue,
  type ExplainedWrite,
  type Explanation,
  findDeciding,
  tellRules,
  waitNames,
} from "../../story/explain/explanation.ts";
import type { ToldTimes } from "../../sync/tell/times.ts";
import { showChange, showOrDash } from "../../sync/tell/waiting-lines.ts";
import { type Column, printRecords } from "../print/table.ts";
import type { Output } from "../print/terminal.ts";
import { hintCommand, oneLine, paint, printLine, type TextStyle } from "../print/text.ts";

/** The story of a post for a person. */
export function printExplanation(
  out: Output,
  times: ToldTimes,
  story: Explanation & { readonly nextRun: string | null },
): void {
  const { nextRun, project, post, title, standing, facts, issues } = story;
  out.write(
    `${paint(out, "bold", oneLine(`${project}/${post}`))}${title === null ? "" : `  ${oneLine(title)}`}\n`,
  );
  printLine(out, "", oneLine(tellStanding(standing)));
  printLine(
    out,
    "",
    `As last seen: the board ${showAge(times, facts.board)}, GitHub ${showAge(times, facts.tracker)}.`,
  );
  printSelection(out, story);
  for (const issue of issues) printIssue(out, times, issue);
  if (issues.length > 0) printFields(out, story);
  printBoardRules(out, story);
  printWaits(out, times, story);
  const coming = comingOf(story);
  if (coming.length > 0 || nextRun !== null) heading(out, "What happens next");
  for (const sentence of coming) printLine(out, "→ ", oneLine(times.tell(sentence)));
  if (nextRun !== null)
    printLine(
      out,
      "",
      `The daemon runs this project next ${times.show(Date.parse(nextRun))}, or when a webhook asks.`,
    );
  printWrites(out, times, story.writes);
  out.write("\n");
}

/** Some reasons begin with the kind themselves: it is said once. */
function tellStanding({ kind, reason }: Explanation["standing"]): string {
  const sentence = reason.startsWith(kind) ? reason : `${kind}: ${reason}`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

function showAge(times: ToldTimes, age: Age | null): string {
  return age === null ? "never" : times.show(Date.parse(age.at));
}

function printSelection(out: Output, { select, standing }: Explanation): void {
  const opens = select.isSelected ? `selected, for ${select.repo}` : "not selected";
  const past =
    standing.kind === "linked" ? ". The post has its issue already, so this no longer matters" : "";
  heading(out, `Select: ${opens}${past}`);
  for (const { name, wants, shows, holds } of select.conditions) {
    printLine(out, sign(out, holds ? "holds" : "fails"), oneLine(`${name} wants ${wants}; ${shows}`));
  }
}

function printIssue(
  out: Output,
  times: ToldTimes,
  { issue, facts, duplicateOf, remarks, rules }: ExplainedIssue,
): void {
  heading(out, `Issue ${issue}`);
  if (facts !== null)
    printLine(
      out,
      "",
      oneLine(`It is ${describeFacts(facts)}; changed last ${times.show(Date.parse(facts.updatedAt))}.`),
    );
  for (const remark of remarks) printLine(out, "", oneLine(times.tell(remark)));
  if (duplicateOf !== null)
    printLine(out, "", `It was closed in favour of ${duplicateOf}, which counts for it.`);
  for (const rule of rules) printRule(out, rule);
}

function printRule(out: Output, tried: AnyRule, deciding: number | null = null): void {
  const { rule, verdict, conditions } = tried;
  const decided = describeDecided(tried, deciding);
  const mark = decided === undefined ? "" : paint(out, "bold", ` ← ${decided}`);
  printLine(out, sign(out, verdict), `rule ${rule} sets ${oneLine(describeSet(tried))}${mark}`);
  if (conditions.length === 0) printLine(out, "    ", "it names no condition, so it always holds");
  for (const { name, wants, shows, verdict: each } of conditions) {
    printLine(out, `    ${sign(out, each)}`, oneLine(`${name}: ${wants} – it shows: ${shows}`));
  }
}

function printFields(out: Output, { issues, rules, fields }: Explanation): void {
  heading(out, "What the rules make of it");
  const message = tellRules({ issues, rules });
  if (message !== undefined) printLine(out, "", oneLine(message));
  if (fields.length > 0)
    printRecords(
      out,
      [
        ...columnsOf("post"),
        { title: "value before boardsync wrote", show: ({ lastNotOurs }) => showOrDash(lastNotOurs) },
      ],
      fields,
    );
}

/** What the rules and one side say of a field, now and when they agreed last. */
function columnsOf(side: "post" | "issue"): readonly Column<ExplainedField>[] {
  return [
    { title: "field", show: ({ field }) => field },
    { title: "rules ask now", show: showAsked },
    { title: `${side} shows now`, show: ({ shows, isSeen }) => (isSeen ? showOrDash(shows) : "not shown") },
    {
      title: "rules asked when last in step",
      show: ({ agreed }) => (agreed === null ? "–" : showTarget(agreed.asks)),
    },
    {
      title: `${side} showed when last in step`,
      show: ({ agreed }) => (agreed === null ? "–" : showOrDash(agreed.shows)),
    },
  ];
}

function printBoardRules(out: Output, { boardRules, issueFields }: Explanation): void {
  if (boardRules.length === 0) return;
  heading(out, "What the board rules make of its issues");
  const deciding = findDeciding(boardRules);
  for (const rule of boardRules) printRule(out, rule, deciding);
  if (issueFields.length > 0)
    printRecords(out, [{ title: "issue", show: ({ issue }) => issue }, ...columnsOf("issue")], issueFields);
}

function showAsked({ asks, rule }: ExplainedField): string {
  if (asks === null) return "?";
  return rule === null ? showTarget(asks) : `${showTarget(asks)} (rule ${rule})`;
}

function showTarget(target: NonNullable<ExplainedField["asks"]>): string {
  return target.kind === "none" ? "nothing" : showOrDash(target.value);
}

function printWaits(out: Output, times: ToldTimes, { waits }: Explanation): void {
  if (waits.length === 0) return;
  heading(out, "What waits");
  for (const { kind, code, message, since, command } of waits) {
    const time = since === null ? "" : `, since ${times.name(Date.parse(since))}`;
    const end = code === null ? "" : ` [${code}]`;
    printLine(
      out,
      paint(out, "yellow", "! "),
      oneLine(`${waitNames[kind]}${time}: ${times.tell(message)}${end}`),
    );
    if (command !== null) printLine(out, "→ ", hintCommand(out, oneLine(command)));
  }
}

function printWrites(out: Output, times: ToldTimes, writes: readonly ExplainedWrite[]): void {
  if (writes.length === 0) return;
  heading(out, "Last writes");
  for (const write of writes) printLine(out, "", oneLine(describeWrite(times, write)));
}

/** One line of the history. */
function describeWrite(times: ToldTimes, write: ExplainedWrite): string {
  const { at, run, kind, issue, reason, outcome, message } = write;
  const what = showChanges(write);
  const place = issue === null ? "" : ` ${issue}`;
  const said = message === null ? "" : `: ${times.tell(message)}`;
  return `${times.show(Date.parse(at))}, run ${run}: ${kind}${place} ${outcome}${said}${what === "" ? "" : `; ${what}`} (${reason})`;
}

/** The fields of a write, each with what was there before where that is known. */
export function showChanges({ fields }: Pick<ExplainedWrite, "fields">): string {
  return fields.map(({ field, before, value }) => showChange(field, before, value)).join(", ");
}

const signs: Readonly<Record<AnyRule["verdict"], readonly [sign: string, look: TextStyle]>> = {
  holds: ["✓ ", "green"],
  fails: ["✗ ", "red"],
  unknown: ["? ", "yellow"],
};

function sign(out: Output, verdict: AnyRule["verdict"]): string {
  const [text, look] = signs[verdict];
  return paint(out, look, text);
}

function heading(out: Output, text: string): void {
  out.write("\n");
  printLine(out, "", paint(out, "bold", oneLine(text)));
}
