import type { FieldValue } from "../../model/post.ts";
import type {
  Age,
  ExplainedField,
  ExplainedIssue,
  ExplainedRule,
  ExplainedWrite,
  Explanation,
} from "../../story/explain/explanation.ts";
import { type Column, printRecords } from "../print/table.ts";
import type { Output } from "../print/terminal.ts";
import { type Look, oneLine, paint, printLine } from "../print/text.ts";
import { describeAge } from "./status.ts";

/** The story of a post for a person. */
export function printExplanation(
  out: Output,
  story: Explanation & { readonly nextRun: string | null },
): void {
  const { nextRun, project, post, title, standing, facts, issues, next } = story;
  out.write(
    `${paint(out, "bold", oneLine(`${project}/${post}`))}${title === null ? "" : `  ${oneLine(title)}`}\n`,
  );
  printLine(out, "", oneLine(`${standing.kind}: ${standing.reason}`));
  printLine(out, "", `As last seen: the board ${showAge(facts.board)}, GitHub ${showAge(facts.tracker)}.`);
  printSelection(out, story);
  for (const issue of issues) printIssue(out, issue);
  if (issues.length > 0) printFields(out, story);
  printBoardRules(out, story);
  printWaits(out, story);
  heading(out, "What happens next");
  for (const sentence of next) printLine(out, "→ ", oneLine(sentence));
  if (nextRun !== null)
    printLine(out, "", `The daemon runs this project next at ${nextRun}, or when a webhook asks.`);
  printWrites(out, story.writes);
  out.write("\n");
}

function showAge(age: Age | null): string {
  return age === null ? "never" : `${describeAge(age.ageSeconds)} (${age.at})`;
}

function printSelection(out: Output, { select, standing }: Explanation): void {
  const opens = select.isSelected ? `selected, for ${select.repo}` : "not selected";
  const past = standing.kind === "linked" ? "; it has its issue, so that decides nothing any more" : "";
  heading(out, `Select: ${opens}${past}`);
  for (const { name, wants, shows, holds } of select.conditions) {
    printLine(out, sign(out, holds ? "holds" : "fails"), oneLine(`${name} wants ${wants}; ${shows}`));
  }
}

function printIssue(out: Output, { issue, facts, duplicateOf, remarks, match, rules }: ExplainedIssue): void {
  heading(out, `Issue ${issue}`);
  if (facts !== null) printLine(out, "", oneLine(describeFacts(facts)));
  for (const remark of remarks) printLine(out, "", oneLine(remark));
  if (duplicateOf !== null)
    printLine(out, "", `It was closed in favour of ${duplicateOf}, which counts for it.`);
  for (const rule of rules) printRule(out, rule, match);
}

function describeFacts(facts: NonNullable<ExplainedIssue["facts"]>): string {
  const { state, stateReason, labels, assignees, milestone, type, updatedAt } = facts;
  const parts = [
    stateReason === null ? state : `${state} as ${stateReason.replaceAll("_", " ")}`,
    labels.length > 0 && `labels ${labels.join(", ")}`,
    assignees.length > 0 && `assigned to ${assignees.join(", ")}`,
    milestone !== null && `milestone ${milestone.title} (${milestone.state})`,
    type !== null && `type ${type}`,
    `changed last at ${updatedAt}`,
  ];
  return `It is ${parts.filter((part) => part !== false).join("; ")}.`;
}

/** A rule of either direction. */
type AnyRule = Omit<ExplainedRule, "set"> & { readonly set: object };

function printRule(out: Output, { rule, verdict, conditions, set }: AnyRule, match: number | null): void {
  const what = Object.entries(set).map(([field, value]) => `${field}: ${String(value)}`);
  const first = rule === match ? paint(out, "bold", " ← decides") : "";
  printLine(out, sign(out, verdict), `rule ${rule} sets ${oneLine(what.join(", "))}${first}`);
  if (conditions.length === 0) printLine(out, "    ", "it names no condition, so it always holds");
  for (const { name, wants, shows, verdict: each } of conditions) {
    printLine(out, `    ${sign(out, each)}`, oneLine(`${name}: ${wants} – it shows: ${shows}`));
  }
}

function printFields(out: Output, { rules, fields }: Explanation): void {
  heading(out, "What the rules make of it");
  printLine(out, "", oneLine(rules.message));
  if (fields.length > 0) printRecords(out, columns, fields);
}

const columns: readonly Column<ExplainedField>[] = [
  { title: "field", show: ({ field }) => field },
  { title: "rules ask for", show: ({ asks }) => (asks === null ? "?" : showTarget(asks)) },
  { title: "post shows", show: ({ shows, isSeen }) => (isSeen ? showValue(shows) : "not shown") },
  { title: "rules asked", show: ({ agreed }) => (agreed === null ? "–" : showTarget(agreed.asks)) },
  { title: "post showed", show: ({ agreed }) => (agreed === null ? "–" : showValue(agreed.shows)) },
  { title: "last not ours", show: ({ lastNotOurs }) => showValue(lastNotOurs) },
];

function printBoardRules(out: Output, { boardRules, issueFields }: Explanation): void {
  if (boardRules.length === 0) return;
  const first = boardRules.find(({ verdict }) => verdict !== "fails");
  heading(out, "What the board rules make of its issues");
  for (const rule of boardRules) printRule(out, rule, first?.verdict === "holds" ? first.rule : null);
  if (issueFields.length > 0) printRecords(out, issueColumns, issueFields);
}

const issueColumns: readonly Column<Explanation["issueFields"][number]>[] = [
  { title: "issue", show: ({ issue }) => issue },
  { title: "field", show: ({ field }) => field },
  { title: "rules ask for", show: ({ asks }) => (asks === null ? "?" : showTarget(asks)) },
  { title: "issue shows", show: ({ shows, isSeen }) => (isSeen ? showValue(shows) : "not shown") },
  { title: "rules asked", show: ({ agreed }) => (agreed === null ? "–" : showTarget(agreed.asks)) },
  { title: "issue showed", show: ({ agreed }) => (agreed === null ? "–" : showValue(agreed.shows)) },
];

function showTarget(target: NonNullable<ExplainedField["asks"]>): string {
  return target.kind === "none" ? "nothing" : showValue(target.value);
}

function showValue(value: FieldValue): string {
  return value === null ? "–" : String(value);
}

function printWaits(out: Output, { waits }: Explanation): void {
  if (waits.length === 0) return;
  heading(out, "What waits, or was said of it");
  for (const { kind, code, message, since, command } of waits) {
    const time = since === null ? "" : `, since ${since}`;
    const end = code === null ? "" : ` [${code}]`;
    printLine(out, paint(out, "yellow", "! "), oneLine(`${kind}${time}: ${message}${end}`));
    if (command !== null) printLine(out, "→ ", oneLine(command));
  }
}

function printWrites(out: Output, writes: readonly ExplainedWrite[]): void {
  if (writes.length === 0) return;
  heading(out, "Last writes");
  for (const write of writes) printLine(out, "", oneLine(describeWrite(write)));
}

/** One line of the history. */
export function describeWrite(write: ExplainedWrite): string {
  const { at, run, kind, issue, reason, outcome, message } = write;
  const what = showChanges(write);
  const place = issue === null ? "" : ` ${issue}`;
  const said = message === null ? "" : `: ${message}`;
  return `${at} run ${run}: ${kind}${place} ${outcome}${said}${what === "" ? "" : `; ${what}`} (${reason})`;
}

/** The fields of a write, each with what was there before where that is known. */
export function showChanges({ fields }: Pick<ExplainedWrite, "fields">): string {
  return fields
    .map(({ field, before, value }) =>
      before === undefined
        ? `${field}: ${showValue(value)}`
        : `${field}: ${showValue(before)} → ${showValue(value)}`,
    )
    .join(", ");
}

const signs: Readonly<Record<ExplainedRule["verdict"], readonly [sign: string, look: Look]>> = {
  holds: ["✓ ", "green"],
  fails: ["✗ ", "red"],
  unknown: ["? ", "yellow"],
};

function sign(out: Output, verdict: ExplainedRule["verdict"]): string {
  const [text, look] = signs[verdict];
  return paint(out, look, text);
}

function heading(out: Output, text: string): void {
  out.write("\n");
  printLine(out, "", paint(out, "bold", oneLine(text)));
}
