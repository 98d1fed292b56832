import type { AuditEntry } from "../../ledger/journal.ts";
import type { PostId } from "../../model/post.ts";
import { viewBoardRules } from "../../plan/board-rules/board-rules.ts";
import { type Derivation, deriveTarget } from "../../plan/rules/rules.ts";
import { routePost, viewSelection } from "../../plan/select.ts";
import type { Settings } from "../../plan/settings.ts";
import { createContext } from "../../sync/ground/context.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import type { Age, ExplainedWrite, Explanation } from "./explanation.ts";
import { explainFields, explainIssueFields } from "./fields.ts";
import { explainIssue } from "./issues.ts";
import { explainNext } from "./next.ts";
import { type Explaining, type ExplainSources, nameOf } from "./sources.ts";
import { explainWaits } from "./waits.ts";

/** So many of its last writes belong to the story of a post. */
const writesShown = 10;

/**
 * The story of one post: why it is (not) selected, which rule matches and why, what both sides say, what was written, what
 * waits, and what happens next. Nothing is asked of either side and nothing is written, so it works beside a running daemon.
 *
 * @returns undefined where the project never ran, or has no such post.
 */
export function explainPost(
  project: SyncProject,
  post: PostId,
  sources: ExplainSources,
): Explanation | undefined {
  const { ledger, now } = sources;
  const memory = ledger.memory.project(project.key);
  const row = memory && ledger.rows.row(memory.id, post, now);
  if (memory === undefined || row === undefined) return undefined;
  const settings: Settings = { ...project.settings, project: memory.id };
  return explainRow({ ...sources, project, memory, settings, row, seen: new Set(memory.seen) });
}

function explainRow(explaining: Explaining): Explanation {
  const { ledger, project, memory, settings, row, seen } = explaining;
  const derived = row.links.length === 0 ? undefined : deriveTarget(row.links, settings);
  const waits = explainWaits(explaining);
  const world = { ledger, policy: explaining.policy };
  const context = createContext({ project, world, run: { order: { kind: "sync" } }, memory, settings }, seen);
  const { standing, actions, next } = explainNext(explaining, context(explaining.now), waits);
  const { title } = row.post.values;
  return {
    project: project.key,
    post: row.post.id,
    title: typeof title === "string" ? title : null,
    standing,
    facts: explainAges(explaining),
    select: explainSelection(explaining),
    issues: row.links.map((linked) => explainIssue(explaining, linked)),
    rules: explainRules(explaining, derived),
    fields: derived === undefined ? [] : explainFields(explaining, derived),
    boardRules: viewBoardRules(row, settings, seen),
    issueFields: explainIssueFields(explaining),
    waits,
    actions,
    next,
    writes: ledger.journal.history(memory.id, row.post.id, writesShown).map(explainWrite),
  };
}

function explainAges({ ledger, memory, now }: Explaining): Explanation["facts"] {
  const pull = ledger.lookup.lastPull(memory.id);
  return {
    board: pull === undefined ? null : ageOf(pull.beganAt, now),
    tracker: memory.lastSuccessAt === undefined ? null : ageOf(memory.lastSuccessAt, now),
  };
}

function ageOf(at: number, now: number): Age {
  return { at: new Date(at).toISOString(), ageSeconds: Math.max(0, Math.round((now - at) / 1000)) };
}

function explainSelection({ row: { post }, settings, seen }: Explaining): Explanation["select"] {
  const conditions = viewSelection(post, settings, seen).map(({ field, shows, ...view }) => ({
    ...view,
    shows: `${field} is ${shows}`,
  }));
  const isSelected = conditions.every(({ holds }) => holds);
  return { isSelected, repo: routePost(post, settings), conditions };
}

function explainRules(explaining: Explaining, derived: Derivation | undefined): Explanation["rules"] {
  if (derived === undefined)
    return { issue: null, rule: null, message: "No issue is linked, so no rule is asked." };
  if (derived.kind === "undecided")
    return { issue: null, rule: null, message: `Undecided: ${derived.message}.` };
  const { rule, issue, duplicate } = derived;
  const name = nameOf(explaining, issue);
  const decides = explaining.row.links.length > 1 ? ` (\`several: ${explaining.settings.several}\`)` : "";
  const place = duplicate === undefined ? "" : `, of which ${nameOf(explaining, duplicate)} is a duplicate`;
  const message =
    rule === undefined
      ? `No rule matches ${name}${place}${decides}.`
      : `Rule ${rule + 1} matches ${name}${place}${decides}.`;
  return { issue: name, rule: rule === undefined ? null : rule + 1, message };
}

/** A line of the audit as a person and a script read it. */
export function explainWrite({ at, run, side, kind, issue, ...entry }: AuditEntry): ExplainedWrite {
  const { fields, reason, outcome, message } = entry;
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
  };
}
