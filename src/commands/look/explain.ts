import { policyOf, syncProjects } from "../../app.ts";
import { ConfigError } from "../../errors.ts";
import { inOrder } from "../../select.ts";
import {
  type ExplainedIssue,
  type ExplainedWrite,
  type Explanation,
  explainPost,
} from "../../story/explain/explain.ts";
import {
  type AnyRule,
  comingOf,
  describeCondition,
  describeDecided,
  describeFacts,
  describeSelection,
  describeSet,
  fieldColumns,
  findDeciding,
  nameWait,
  remarksOn,
  stateOfExplained,
  tellRules,
} from "../../story/explain/explanation.ts";
import { type ToldTimes, tellTimes } from "../../sync/tell/times.ts";
import { showOrDash } from "../../sync/tell/waiting-lines.ts";
import { beginSentence } from "../../sync/tell/words.ts";
import { describeUnlisted, findPosts, readBeside } from "../open/beside.ts";
import { readMoment } from "../open/next-run.ts";
import { timeOf } from "../open/status.ts";
import { printRecords } from "../print/table.ts";
import { type CommandCall, exitCodes, type Output } from "../print/terminal.ts";
import { hintCommand, oneLine, paint, printJson, printLine, type TextStyle } from "../print/text.ts";
import { signs as signsOfState } from "../reports/waits.ts";
import { printWrite } from "./history.ts";

/** `boardsync explain POST|OWNER/REPO#N`: the story of one post, or of every post of one issue. Only reads the state. */
export function explain(called: CommandCall): Promise<number> {
  const { terminal, options } = called;
  const [text = ""] = called.args;
  return readBeside(called, async (beside) => {
    const { config, ledger, now } = beside;
    const sources = { ledger, policy: policyOf(config), now };
    const projects = syncProjects(config);
    const posts = await inOrder(await findPosts(beside, text), async ({ key, post }) => {
      const project = projects.find((one) => one.key === key);
      const story = project && (await explainPost(project, post, sources));
      if (story === undefined) throw new ConfigError([describeUnlisted(key, post)]);
      return { ...story, nextRun: timeOf((await readMoment(config, key, ledger)).nextRunAt) };
    });
    if (options.json === true) printJson(terminal.out, { posts });
    else if (options.quiet !== true) {
      const times = tellTimes(beside.now, config.timezone);
      for (const one of posts) printExplanation(terminal.out, times, one);
    }
    return exitCodes.ok;
  });
}

/** The story of a post for a person. */
export function printExplanation(
  out: Output,
  times: ToldTimes,
  story: Explanation & { readonly nextRun: string | null },
): void {
  const { nextRun, project, post, title, standing, facts, issues } = story;
  const named = title === null ? "" : `  ${oneLine(title)}`;
  out.write(`${paint(out, "bold", oneLine(`${project}/${post}`))}${named}\n`);
  printLine(out, "", oneLine(tellStanding(standing)));
  const [board, tracker] = [showAge(times, facts.board), showAge(times, facts.tracker)];
  printLine(out, "", `As last seen: the board ${board}, GitHub ${tracker}.`);
  printSelection(out, story);
  for (const issue of issues) printIssue(out, times, issue);
  if (issues.length > 0) printFields(out, story);
  printBoardRules(out, story);
  printWaits(out, times, story);
  const coming = comingOf(story);
  if (coming.length > 0 || nextRun !== null) heading(out, "What happens next");
  for (const sentence of coming) printLine(out, "→ ", oneLine(times.tell(sentence)));
  if (nextRun !== null) {
    const at = times.show(Date.parse(nextRun));
    printLine(out, "", `The daemon runs this project next ${at}, or when a webhook asks.`);
  }
  printWrites(out, times, story.writes);
  out.write("\n");
}

/** Some reasons begin with the kind themselves: it is said once. */
export function tellStanding({ kind, reason }: Explanation["standing"]): string {
  const sentence = reason.startsWith(kind) ? reason : `${kind}: ${reason}`;
  return beginSentence(sentence);
}

function showAge(times: ToldTimes, age: Explanation["facts"]["board"]): string {
  return age === null ? "never" : times.show(Date.parse(age.at));
}

function printSelection(out: Output, story: Explanation): void {
  heading(out, `Select: ${describeSelection(story)}`);
  for (const { name, wants, shows, holds } of story.select.conditions) {
    printLine(out, sign(out, holds ? "holds" : "fails"), oneLine(`${name} wants ${wants}; ${shows}`));
  }
}

function printIssue(out: Output, times: ToldTimes, explained: ExplainedIssue): void {
  const { issue, facts, rules } = explained;
  heading(out, `Issue ${issue}`);
  if (facts !== null) {
    const changed = times.show(Date.parse(facts.updatedAt));
    printLine(out, "", oneLine(`It is ${describeFacts(facts)}; changed last ${changed}.`));
  }
  for (const remark of remarksOn(explained)) printLine(out, "", oneLine(times.tell(remark)));
  for (const rule of rules) printRule(out, rule);
}

function printRule(out: Output, tried: AnyRule, deciding: number | null = null): void {
  const { rule, verdict, conditions } = tried;
  const decided = describeDecided(tried, deciding);
  const mark = decided === undefined ? "" : paint(out, "bold", ` ← ${decided}`);
  printLine(out, sign(out, verdict), `rule ${rule} sets ${oneLine(describeSet(tried))}${mark}`);
  if (conditions.length === 0) printLine(out, "    ", "it names no condition, so it always holds");
  for (const condition of conditions) {
    printLine(out, `    ${sign(out, condition.verdict)}`, oneLine(describeCondition(condition)));
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
        ...fieldColumns("post"),
        { title: "value before boardsync wrote", show: ({ lastNotOurs }) => showOrDash(lastNotOurs) },
      ],
      fields,
    );
}

function printBoardRules(out: Output, { boardRules, issueFields }: Explanation): void {
  if (boardRules.length === 0 && issueFields.length === 0) return;
  heading(out, "What the post makes of its issues");
  const deciding = findDeciding(boardRules);
  for (const rule of boardRules) printRule(out, rule, deciding);
  if (issueFields.length > 0)
    printRecords(
      out,
      [{ title: "issue", show: ({ issue }) => issue }, ...fieldColumns("issue")],
      issueFields,
    );
}

function printWaits(out: Output, times: ToldTimes, { waits }: Explanation): void {
  if (waits.length === 0) return;
  heading(out, "What waits");
  for (const wait of waits) {
    const { code, message, since, command } = wait;
    const time = times.name(Date.parse(since));
    const [sign, look] = signsOfState[stateOfExplained(wait)];
    const end = code === null ? "" : ` [${code}]`;
    printLine(
      out,
      paint(out, look, sign),
      oneLine(`${nameWait(wait)}, since ${time}: ${times.tell(message)}${end}`),
    );
    if (command !== null) printLine(out, "→ ", hintCommand(out, oneLine(command)));
  }
}

function printWrites(out: Output, times: ToldTimes, writes: readonly ExplainedWrite[]): void {
  if (writes.length === 0) return;
  heading(out, "Last writes");
  for (const write of writes) printWrite(out, times, write, write.issue ?? "the post");
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
