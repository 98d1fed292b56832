import type { PersonRequest } from "../../ledger/orders.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import { type Cause, isPausedAsWhole } from "../../model/causes.ts";
import { lookUpAt } from "../../model/waiting.ts";
import { withLate } from "../../plan/fields/late.ts";
import type { Decision } from "../../plan/ground/action.ts";
import { settingsPrint, writeRules } from "../../plan/ground/identity.ts";
import { isUnknown, pauseOf, reasonOf } from "../../plan/ground/obstacle.ts";
import type { PlanContext } from "../../plan/ground/settings.ts";
import { planRow } from "../../plan/plan.ts";
import { TemplateError } from "../../plan/text/template.ts";
import { command, remedyOf } from "../../sync/ground/remedy.ts";
import type { PlannedAction } from "../../sync/ground/reports.ts";
import { countVoters, describeNotified } from "../../sync/ground/voters.ts";
import { postsOf } from "../../sync/orders/foresight.ts";
import { awaitsEarlierLife, stampOf } from "../../sync/read/old-state.ts";
import { readReport } from "../../sync/tell/stored-report.ts";
import { beginSentence } from "../../sync/tell/words.ts";
import { explainActions } from "./actions.ts";
import type { Explaining } from "./explaining.ts";

/** One thing that waits. */
export interface ExplainedWait {
  readonly kind: "paused" | "held" | "parked" | "quarantined" | "unknown" | "asked" | "said";
  /** null for what a person has asked for. */
  readonly cause: Cause | null;
  readonly code: string | null;
  readonly message: string;
  readonly since: string;
  /** The command that ends it; null for what ends by itself. */
  readonly command: string | null;
}

/**
 * What the next run makes of the facts as they are: the same plan as every run's. A run looks at both sides first, so it may
 * find that one of them has moved by then.
 *
 * @param unlooked - what kept the last run from looking, as sentences.
 */
export function explainNext(
  explaining: Explaining,
  context: PlanContext,
  waits: readonly ExplainedWait[],
  unlooked: readonly string[],
) {
  const decision = tryPlan(explaining, context);
  if (typeof decision === "string") {
    const standing = { kind: "linked", reason: decision } as const;
    return { standing, actions: [], next: [...unlooked, decision] };
  }
  const recovery = recoveryOf(explaining);
  const actions = explainActions(explaining, decision, recovery.length > 0);
  const before = [...unlooked, ...recovery, ...changesOfConfig(explaining)];
  const open = waits.filter(({ kind }) => kind === "unknown" || kind === "asked");
  const pauses =
    decision.pauses === undefined
      ? []
      : [
          `The next run pauses the post until \`boardsync resume\` (\`conflict: pause\`): ${decision.pauses}.`,
        ];
  const coming = [
    ...absences(explaining, context),
    ...open.map(({ message }) => message),
    ...pauses,
    ...actions.coming.map(describePlanned),
    ...notesOf(explaining, decision),
    ...answersOf(explaining, waits),
  ];
  const next = [...before, ...(coming.length > 0 ? coming : [restOf(explaining, decision)])];
  return { standing: decision.standing, actions: [...actions.coming, ...actions.later], next };
}

/** What kept the last run of the project from looking at both sides, or from taking what it saw, as sentences; none where nothing did. */
export async function explainUnlooked({
  ledger,
  project,
}: Pick<Explaining, "ledger" | "project">): Promise<readonly string[]> {
  const last = await ledger.runs.last(project.key);
  if (last === undefined) return [];
  const { errors, putOff, hold } = readReport(last.report);
  if (hold !== undefined) return [`The last run has held all of the project: ${hold}.`];
  const reasons = [...errors.filter(({ post, issue }) => (post ?? issue) === undefined), ...putOff]
    .filter(({ code }) =>
      /^run\.|\.(?:limited|unreachable|unauthorized|unreadable|aborted|refused)$/.test(code),
    )
    .map(({ message }) => message.replace(/\.$/, ""));
  if (reasons.length === 0) return [];
  return [`The last run did not get through, so this goes by older facts: ${reasons.join("; ")}.`];
}

function tryPlan({ row }: Explaining, context: PlanContext): Decision | string {
  try {
    return planRow(row, context);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `A template of the config fails on this post, so nothing is written for it: ${error.message}. Correct the template; the next run tries again.`;
  }
}

/** After the return of a copy both sides are taken as they are, whatever they show. */
function recoveryOf({ ledger, policy, settings, memory }: Explaining): readonly string[] {
  const stamp = stampOf(ledger, memory);
  if (stamp === undefined || memory.recoveredFrom === stamp) {
    if (!awaitsEarlierLife({ world: { ledger, policy }, settings, memory })) return [];
    return [
      "This state was lost or restored from a copy. Until the first run after `waits.create`, boardsync takes what changed on the issue or the post as it is, and writes nothing for it.",
    ];
  }
  return [
    "This state was restored from a copy: the next run takes both sides as they are, once, and writes nothing to the post.",
  ];
}

/** All of this goes by the config as it is now; what was recorded went by the one of the last run. */
function changesOfConfig({ project, memory, settings }: Explaining): readonly string[] {
  if (memory.settingsPrint === undefined) return [];
  if (memory.settingsPrint === settingsPrint(settings, project.templates)) return [];
  const isRuled = memory.rules !== undefined && memory.rules !== writeRules(project.settings);
  const held = isRuled
    ? ` Its rules have, too: what they alone would change needs you: \`${command("approve", project.key)}\` lets it go.`
    : "";
  return [`The config has changed since the last run, and this goes by the new one.${held}`];
}

function absences({ row }: Explaining, context: PlanContext): readonly string[] {
  if (isUnknown(row))
    return [
      "The board said of the last change that it does not know the post: it is sent again when a list shows the post.",
    ];
  if (row.missing > 0) {
    const times = row.missing === 1 ? "the last complete list" : "two complete lists or more";
    return [`The post was missing from ${times}: nothing is written to it until it is listed again.`];
  }
  if (withLate(row, context).late !== undefined) {
    return [
      "boardsync has just written to the post, and the board's list still shows what was there before. It decides again with the next run; what a list shows after `waits.patch` counts.",
    ];
  }
  return row.seenAt === undefined && row.links.length > 0
    ? [
        "boardsync has just written to the post. It decides again when the next list of posts shows the result.",
      ]
    : [];
}

function describePlanned({
  kind,
  issue,
  fields,
  reason,
  notifies,
  when,
  letGoBy,
  notBefore,
}: PlannedAction): string {
  const values = Object.entries(fields).map(
    ([field, value]) => `${field} → ${[value].flat().map(String).join(", ")}`,
  );
  const what = {
    "create-issue": `opens an issue in ${issue}`,
    "update-issue": `edits the text of ${issue}`,
    "change-issue": `changes ${issue}: ${values.join(", ")}`,
    "comment-issue": `comments on ${issue}`,
    "create-post": `makes a post of ${issue}`,
    "patch-note": "writes the line that names its issues into the post's internal note",
    "patch-post": `writes to the post: ${values.join(", ")}`,
  }[kind];
  const notified = describeNotified(countVoters([notifies]));
  const sentence = `${notBefore === undefined ? "the next run" : "a run"} ${what} (${reason})${notified === "" ? "" : `; ${notified}`}.`;
  if (letGoBy !== undefined) return `When a person lets it go, ${sentence}`;
  if (notBefore !== undefined) return `Not before ${notBefore}, ${sentence}`;
  return when === "now" ? `T${sentence.slice(1)}` : `Once nothing is in its way any more, ${sentence}`;
}

/** A disagreement lasts until somebody changes a side; the planner's other notes say themselves what comes. */
function notesOf({ row, project }: Explaining, { notes, settling }: Decision): readonly string[] {
  const isPaused = pauseOf(row) !== undefined;
  const said = notes.map((note) => {
    const sentence = `${note.message}.`.replace(/\.\.$/, ".");
    if (note.kind === "settling" && isPaused) return `Not while the post is paused: ${sentence}`;
    return note.kind === "undecided" && note.cause !== "template"
      ? `Nothing is decided until that is known: ${sentence}`
      : sentence;
  });
  const notified =
    isPaused || settling === undefined ? "" : describeNotified(countVoters([settling.notifies]));
  const pause = command("pause", `${project.key}/${row.post.id}`);
  return notified === "" ? said : [...said, beginSentence(`${notified}, unless \`${pause}\` stops it.`)];
}

/** What a person can do about it, and what the config says. */
function answersOf({ settings }: Explaining, waits: readonly ExplainedWait[]): readonly string[] {
  const commands = waits.flatMap(({ kind, command: typed }) =>
    typed === null ? [] : [`It ${kind === "paused" ? "is paused" : "needs you"}: \`${typed}\`.`],
  );
  const isStopped = settings.writes !== "all";
  const stop =
    settings.writes === "none" ? "nothing is written to either side" : "nothing is written to the board";
  return [...new Set(commands), ...(isStopped ? [`\`writes: ${settings.writes}\`: ${stop}.`] : [])];
}

function restOf({ row, project }: Explaining, { standing, dueAt }: Decision): string {
  if (row.unlinkedAt !== undefined && row.links.length === 0) {
    const place = command("link", `${project.key}/${row.post.id}`, "OWNER/REPO#NUMBER");
    return `Nothing, until \`${place}\` gives it an issue.`;
  }
  if (standing.kind === "skipped") {
    const time =
      dueAt === undefined ? "" : `, and at ${timeOf(dueAt)}, when it is old enough for another answer`;
    return `Nothing, until the post fulfils every condition of \`select\`; it is looked at again whenever it changes${time}.`;
  }
  if (standing.kind === "wanted") {
    return "It becomes an issue as soon as what waits above is over.";
  }
  const sides =
    row.links.length === 1 ? "the post or its issue changes" : "the post or one of its issues changes";
  return `Nothing: what the rules ask for is done. It is looked at again when ${sides}.`;
}

/** Everything about a post that waits for a person or a time, and what ends it: what `status` lists of it, and what was asked for. */
export async function explainWaits(explaining: Explaining): Promise<readonly ExplainedWait[]> {
  const { ledger, memory, row } = explaining;
  const waiting = await ledger.rows.waiting(memory.id, Number.MAX_SAFE_INTEGER, undefined, row.post.id);
  const told = [
    ...pausedAsWhole(explaining),
    ...waiting.flatMap((one) => (isPausedAsWhole(one.cause) ? [] : [toWait(explaining, one)])),
  ];
  const waits = told.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  const shown = new Map(waits.map((wait) => [`${wait.kind} ${wait.message}`, wait]));
  return [...shown.values(), ...(await asked(explaining))];
}

/** Said once, also before a run has noted it of any action. */
function pausedAsWhole({ row, project }: Explaining): readonly ExplainedWait[] {
  const { wholePause, post } = row;
  if (wholePause === undefined) return [];
  const { cause, why: message } = reasonOf(wholePause);
  const typed = remedyOf({ cause, post: post.id }, project.key) ?? null;
  const since = timeOf(wholePause.since);
  return [{ kind: "paused", cause, code: null, message, since, command: typed }];
}

const order: readonly ExplainedWait["kind"][] = [
  "paused",
  "held",
  "parked",
  "quarantined",
  "unknown",
  "said",
];

function toWait({ policy, project }: Explaining, waiting: WaitingRow): ExplainedWait {
  const { cause, code, message, since, intent } = waiting;
  const kind = kindOf(waiting.kind);
  const until = intent === undefined ? undefined : timeOf(lookUpAt(intent, since, policy.waits));
  return {
    kind,
    cause,
    code: code ?? null,
    message: until === undefined ? message : `${message} It is looked up from ${until} on.`,
    since: timeOf(since),
    command: remedyOf(waiting, project.key) ?? null,
  };
}

function kindOf(kind: WaitingRow["kind"]): ExplainedWait["kind"] {
  if (kind === "paused" || kind === "held" || kind === "parked" || kind === "quarantined") return kind;
  return kind === "intent" ? "unknown" : "said";
}

/** What a person has asked for and no run has taken up yet. */
async function asked({ ledger, memory, row }: Explaining): Promise<readonly ExplainedWait[]> {
  return (await ledger.requests.pending(memory.id))
    .filter((request) => request.kind === "resume-project" || postsOf(request).includes(row.post.id))
    .map(({ kind, at }) => {
      const message = `The next run carries out \`boardsync ${commandOf(kind)}\`.`;
      return { kind: "asked", cause: null, code: null, message, since: timeOf(at), command: null };
    });
}

/** As a person has typed it. */
function commandOf(kind: PersonRequest["kind"]): string {
  if (kind === "resume-project") return "resume PROJECT";
  if (kind === "discard") return "approve --discard";
  return kind === "resume-discard" ? "resume --discard" : kind;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
