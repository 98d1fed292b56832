import { type AuditEntry, votersWhoHeard } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Issue } from "../../model/issue.ts";
import type { LinkedIssue, LinkOrigin, Row } from "../../model/link.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { viewBoardRules } from "../../plan/board-rules/board-rules.ts";
import { asWritten } from "../../plan/fields/late.ts";
import type { Decision } from "../../plan/ground/action.ts";
import { viewIssue } from "../../plan/rules/explain.ts";
import { type Derivation, type DerivedField, type Doubt, deriveTarget } from "../../plan/rules/rules.ts";
import { routePost, selectPost, viewSelection } from "../../plan/select.ts";
import { inOrder } from "../../select.ts";
import { createContext } from "../../sync/ground/context.ts";
import { nameIssue } from "../../sync/ground/cycle-state.ts";
import { withMove } from "../../sync/ground/rows.ts";
import { settingsNow } from "../../sync/ground/settings-now.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import type { Explaining, ExplainSources } from "./explaining.ts";
import { explainFields, explainIssueFields } from "./fields.ts";
import { explainNext, explainUnlooked, explainWaits } from "./next.ts";

/** The story of one post, as `explain --json` prints it: everything that is known of it, and what comes next. */
export type Explanation = Awaited<ReturnType<typeof explainRow>>;
/** A linked issue, held against every rule. */
export type ExplainedIssue = Awaited<ReturnType<typeof explainIssue>>;
/** One write to either side. */
export type ExplainedWrite = ReturnType<typeof explainWrite>;

/** So many of its last writes belong to the story of a post. */
const writesShown = 10;

/**
 * The story of one post: why it is (not) selected, which rule matches and why, what both sides say, what was written, what
 * waits, and what happens next. Nothing is asked of either side and nothing is written, so it works beside a running daemon.
 *
 * @returns undefined where the project never ran, or has no such post.
 */
export async function explainPost(
  project: SyncProject,
  post: PostId,
  sources: ExplainSources,
): Promise<Explanation | undefined> {
  const { ledger, now } = sources;
  const memory = ledger.memory.project(project.key);
  const known = memory && (await ledger.rows.row(memory.id, post, now));
  if (memory === undefined || known === undefined) return undefined;
  const settings = settingsNow(project, memory.id, ledger.memory);
  const row = await withMove(
    { settings, memory, world: sources },
    await withLastLook(ledger, memory.id, known),
  );
  return explainRow({ ...sources, project, memory, settings, row, seen: new Set(memory.seen) });
}

/** When a list showed the post last is known to the process that read it; others know when a whole list was read. */
async function withLastLook(ledger: Ledger, project: ProjectId, row: Row): Promise<Row> {
  const pull =
    row.missing === 0 && row.seenAt !== undefined ? await ledger.lookup.lastPull(project) : undefined;
  if (pull?.kind !== "complete") return row;
  return { ...row, seenAt: Math.max(pull.beganAt, row.seenAt ?? 0) };
}

async function explainRow(explaining: Explaining) {
  const { ledger, project, memory, settings, row, seen } = explaining;
  const derived = row.links.length === 0 ? undefined : deriveTarget(row.links, settings);
  const waits = await explainWaits(explaining);
  const world = { ledger, policy: explaining.policy };
  const context = createContext(
    { project, world, run: { order: { kind: "sync" } }, course: { pins: undefined }, memory, settings },
    seen,
  );
  const { standing, actions, next } = explainNext(
    explaining,
    await context(explaining.now),
    waits,
    await explainUnlooked(explaining),
  );
  const { title } = row.post.values;
  return {
    /** `project` of the config. */
    project: project.key,
    post: String(row.post.id),
    title: typeof title === "string" ? title : null,
    standing: (await standingOfImport(explaining)) ?? standing,
    /** How old the facts are that all of this rests on: null before the first. */
    facts: {
      /** The last list that showed all that the board has. */
      board: ageOf((await ledger.lookup.lastPull(memory.id))?.beganAt, explaining.now),
      /** The last run without a failure, which has read every changed issue. */
      tracker: ageOf(memory.lastSuccessAt, explaining.now),
    },
    /** Whether the post would become an issue, condition by condition; it decides about opening only. */
    select: explainSelection(explaining),
    issues: await inOrder(row.links, async (linked) => explainIssue(explaining, linked)),
    /** What the rules make of all of its issues together. */
    rules: explainRules(explaining, derived),
    fields: derived === undefined ? [] : explainFields(explaining, derived),
    /** The post, held against every board rule; the first that holds is the one. */
    boardRules: viewBoardRules(row, settings, seen),
    issueFields: explainIssueFields(explaining),
    waits,
    /** What the next run would do as far as can be told from the recorded facts. */
    actions,
    /** What happens next and when, as sentences. */
    next,
    /** Newest first; `boardsync history` has them all. */
    writes: (await ledger.journal.history(memory.id, row.post.id, writesShown)).map(explainWrite),
  };
}

/** Of an issue that may become a post. */
async function standingOfImport({
  ledger,
  memory,
  row,
}: Explaining): Promise<Decision["standing"] | undefined> {
  if (!row.isImport) return undefined;
  const known = (await ledger.imports.known(memory.id)).find(({ post }) => post === row.post.id);
  if (known?.isDiscarded) return { kind: "skipped", reason: "a person wants no post of this issue" };
  return known?.reason === undefined
    ? { kind: "wanted", reason: "the issue is to become a post (`import`)" }
    : { kind: "skipped", reason: known.reason };
}

/** A time, and how long ago that is. */
function ageOf(at: number | undefined, now: number) {
  if (at === undefined) return null;
  return { at: new Date(at).toISOString(), ageSeconds: Math.max(0, Math.round((now - at) / 1000)) };
}

function explainSelection({ row, settings, ...look }: Explaining) {
  const { post } = row.links.length === 0 ? row : asWritten(row);
  if (row.isImport) return { isSelected: false, repo: settings.repo, conditions: [] };
  const { isSelected } = selectPost(post, settings, look);
  return { isSelected, repo: routePost(post, settings), conditions: viewSelection(post, settings, look) };
}

function explainRules(explaining: Explaining, derived: Derivation | undefined) {
  if (derived === undefined)
    return { issue: null, rule: null, message: "No issue is linked, so no rule is asked." };
  const found = [...derived];
  const decided = found.map(([, one]) => one).filter((one) => one.kind === "derived");
  const doubtful = found.flatMap(([field, one]) => (one.kind === "derived" ? [] : [[field, one] as const]));
  const ruleOf = ({ rule = Number.POSITIVE_INFINITY }: DerivedField): number => rule;
  const [first] = decided.toSorted((one, other) => ruleOf(one) - ruleOf(other));
  const doubts = Map.groupBy(doubtful, ([, { kind, message }]) =>
    kind === "unknown" ? `Undecided: ${message}` : `Stays as it is: ${message}`,
  );
  const told = [...doubts].map(([doubt, of]) =>
    endSentence(of.length === found.length ? doubt : `${of.map(([field]) => field).join(", ")}: ${doubt}`),
  );
  return {
    /** The issue that decides, of the fields with the most advanced rule; null where there is none, or while that can't be said. */
    issue: first === undefined ? null : nameIssue({ world: explaining }, first.issue),
    /** The first rule that decides about any field, counted from 1; null likewise. */
    rule: first?.rule === undefined ? null : first.rule + 1,
    message: [...tellSources(explaining, decided), ...told].join(" "),
  };
}

/** Which rule decides; where several do, about which field. One sentence an issue. */
function tellSources(explaining: Explaining, decided: readonly DerivedField[]): readonly string[] {
  const { row, settings } = explaining;
  const decides = row.links.length > 1 ? ` (\`several: ${settings.several}\`)` : "";
  const issues = Map.groupBy(decided, ({ issue, duplicate }) => {
    const place =
      duplicate === undefined
        ? ""
        : `, of which ${nameIssue({ world: explaining }, duplicate)} is a duplicate`;
    return `${nameIssue({ world: explaining }, issue)}${place}${decides}`;
  });
  return [...issues].map(([name, fields]) => {
    const rules = Map.groupBy(fields, ({ rule }) => rule);
    const matching = [...rules.keys()].filter((rule) => rule !== undefined);
    const [only, ...others] = matching;
    if (only === undefined) return `No rule matches ${name}.`;
    if (others.length === 0) return `Rule ${only + 1} matches ${name}.`;
    const each = matching
      .toSorted((one, other) => one - other)
      .map((rule) => {
        const named = rules.get(rule) ?? [];
        return `rule ${rule + 1} decides ${named.map(({ field }) => field).join(", ")}`;
      });
    return `Of ${name}, ${each.join(", and ")}.`;
  });
}

/** A line of the audit as a person and a script read it. */
export function explainWrite(entry: AuditEntry) {
  const { at, run, side, kind, issue, fields, reason, outcome, message } = entry;
  return {
    at: new Date(at).toISOString(),
    run,
    side,
    kind,
    issue: issue === undefined ? null : `${issue.repository}#${issue.number}`,
    fields,
    reason,
    outcome,
    message: message ?? null,
    /** How many voters were notified of it: 0 where nobody was notified, null where it is not known how many they were. */
    voters: votersWhoHeard(entry),
  };
}

async function explainIssue(explaining: Explaining, linked: LinkedIssue) {
  // What an issue that is gone showed last counts for nothing.
  const known = linked.isGone ? undefined : linked.known;
  const { counts, match, rules, doubts } = viewIssue({ ...linked, known }, explaining.settings);
  const { link } = linked;
  const issue = known?.issue;
  const isDuplicate = counts !== undefined && counts !== issue;
  return {
    issue: nameIssue({ world: explaining }, link.issue),
    origin: link.origin,
    /** What was read of it last; null while nothing of it can be relied on. */
    facts: factsOf(issue),
    /** The issue in whose place it was closed, and that counts for it. */
    duplicateOf: isDuplicate ? nameIssue({ world: explaining }, counts) : null,
    /** What is special about it, as sentences. */
    remarks: [...(await remarksOn(explaining, linked)), ...doubts.map(remarkOn)],
    /** The first rule that decides about any field, counted from 1; null where none does, or while that can't be said. */
    match: match ?? null,
    rules,
  };
}

function remarkOn({ kind, message }: Doubt): string {
  const what = kind === "unknown" ? "Can't be decided" : "What hangs on its reason stays as it is";
  return endSentence(`${what}: ${message}`);
}

/** What others have said may end as a sentence already. */
function endSentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

function factsOf(issue: Issue | undefined) {
  if (issue === undefined) return null;
  const { state, stateReason, labels, assignees, milestone, type, updatedAt } = issue;
  return { state, stateReason, labels, assignees, milestone, type, updatedAt };
}

const origins: Readonly<Record<LinkOrigin, string>> = {
  opened: "boardsync opened it.",
  adopted: "It was there already, and was linked by its mark or by a person.",
  imported: "The post was made of it (`import`).",
};

async function remarksOn(explaining: Explaining, linked: LinkedIssue): Promise<readonly string[]> {
  const { link, text } = linked;
  const { origin } = link;
  const others = typeof text === "string" ? [] : text.others;
  const paused = explaining.ledger.memory.repositoryById(link.issue.repositoryId)?.pausedAt;
  const remarks = [
    origins[origin],
    await describeAbsence(explaining, linked),
    paused !== undefined &&
      `Many issues of its repository were not found at ${new Date(paused).toISOString()}, which looks like lost access: nothing is decided there until they are found again.`,
    text === "read-only" &&
      "An account of `tracker.trustedAuthors` opened it: boardsync reads it and never writes to it.",
    linked.isChanging && "boardsync is changing it, so what it shows may be that change.",
    linked.mayArrive &&
      "It shows a change of boardsync that got no answer, so the same change may arrive once more. Until that is ruled out, nothing is written to it, and what people do about that change waits.",
    linked.known?.canonical?.isChanging &&
      "boardsync is changing the issue that it is a duplicate of, so what that one shows may be that change.",
    others.length > 0 && `It is the issue of other posts, too: ${others.map(({ id }) => id).join(", ")}.`,
  ];
  return remarks.filter((remark) => typeof remark === "string");
}

async function describeAbsence({ ledger }: Explaining, { link }: LinkedIssue): Promise<string | undefined> {
  const absence = await ledger.absences.of(link.issue);
  if (absence === undefined) return undefined;
  const when = absence.since === 0 ? "" : ` at ${new Date(absence.since).toISOString()}`;
  switch (absence.kind) {
    case "missing":
      return `It was not found${when}; it is asked for again before that counts.`;
    case "refused":
      return `GitHub refuses to show it${when}; it is asked for again by each run, and nothing is decided before that.`;
    case "lost":
      return `It is not found any more, first seen${when}: deleted, made a discussion, or hidden from the token.`;
    case "deleted":
      return `It is deleted, seen${when}.`;
    case "moved":
      return `It was moved to ${absence.name}#${absence.to.number}, seen${when}.`;
  }
}
