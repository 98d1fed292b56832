import { isPassing } from "../../model/causes.ts";
import type { IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import { type Action, countIssues, type Decision, isNotifying } from "../../plan/ground/action.ts";
import { approvalSignature, planSignature } from "../../plan/ground/identity.ts";
import { isAllowed, pauseOf } from "../../plan/ground/obstacle.ts";
import { issueKey, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction } from "../ground/describe.ts";
import { lanesOf } from "../ground/lane.ts";
import { isPreview, namesActions, showsIssue } from "../ground/order.ts";
import type { IssueDraft, PlannedAction } from "../ground/reports.ts";
import { isLetGoByPerson, tellAction } from "../ground/standing.ts";
import { isSameAsked, type ToldAction, type Wanted } from "../ground/verdict.ts";
import { pageOf } from "../read/naming.ts";

/** The actions of a decision. @param told - what is told of each of them. */
export function wantAll(
  cycle: PulledCycle,
  row: Row,
  decision: Decision,
  told: readonly ToldAction[],
): readonly Wanted[] {
  const wanted = decision.actions.map((action, index) => want(cycle, row, action, { told: told[index] }));
  if (isPreview(cycle.run)) claimFields(cycle, decision);
  return wanted;
}

/** An action as a row asks for it, with what is told and shown of it. */
export function want(
  cycle: PulledCycle,
  row: Row,
  action: Action,
  {
    told = tellAction(cycle, row, action),
    lines,
  }: { readonly told?: ToldAction | undefined; readonly lines?: readonly PlannedAction[] } = {},
): Wanted {
  // A preview looks past `writes`; an approval has shown, and lets go, what a run sends.
  const isAlone = action.kind === "create-issue" && !isAllowed({ kind: "patch-post" }, cycle.settings);
  const isHeard = isNotifying(action);
  const closings = isHeard ? row.links.flatMap(({ known }) => known?.issue.closed ?? []) : [];
  return {
    ...told,
    issues: countIssues(action),
    isNotifying: isHeard,
    closings: closings.length === 0 ? nothing : closings,
    pause: pauseOf(row),
    signature: isAlone ? approvalSignature({ ...action, followUp: undefined }) : told.approval,
    planSignature: isPreview(cycle.run) || namesActions(cycle.run) ? planSignature(action) : "",
    lanes: share(cycle, lanesOf(cycle.world, action)),
    planned: share(cycle, told.planned),
    hold: share(cycle, "hold" in action && action.hold ? { kind: "hold", ...action.hold } : undefined),
    ...heldEarlier(cycle, row, told),
    hasWaited: row.notes?.some((note) => note.kind === "waiting" && note.action?.kind === told.kind) === true,
    page: action.kind === "create-issue" ? pageOf(cycle, row) : undefined,
    lines: lines ?? linesOf(cycle, row, action),
  };
}

const nothing: readonly never[] = [];

/**
 * What a plan shows of an action; nothing in a run that is no plan. A field that an earlier post of the run asks for is
 * not given back on the same issue: that is recorded when the turn of the later one comes.
 */
function linesOf(cycle: PulledCycle, row: Row, action: Action): readonly PlannedAction[] {
  if (!isPreview(cycle.run)) return nothing;
  const told = describeAction(cycle, row, withoutClaimed(cycle, action));
  const draft = draftOf(action);
  if (draft === undefined || !showsIssue(cycle.run, cycle.project.key, row.post.id)) return told;
  // A PATCH that follows is no part of the issue.
  return told.map((line) => (line.kind === action.kind ? { ...line, draft } : line));
}

function draftOf(action: Action): IssueDraft | undefined {
  if (action.kind === "update-issue") {
    const { title, block } = action;
    return { ...(title !== undefined && { title }), ...(block !== undefined && { body: block }) };
  }
  if (action.kind !== "create-issue") return undefined;
  const { title, body, labels, assignees, milestone, type } = action;
  const named = { ...(milestone !== undefined && { milestone }), ...(type !== undefined && { type }) };
  return { title, body, labels, assignees, ...named };
}

function withoutClaimed({ course }: PulledCycle, action: Action): Action {
  if (action.kind !== "change-issue") return action;
  const changes = action.changes.map(({ issue, writes, ...rest }) => ({
    ...rest,
    issue,
    writes: writes.filter(
      ({ field, target }) => target.kind === "value" || !course.claimed.has(nameField(issue, field)),
    ),
  }));
  return { ...action, changes: changes.filter(({ writes }) => writes.length > 0) };
}

function claimFields({ course }: PulledCycle, { issueBases }: Decision): void {
  for (const { issue, base } of issueBases) {
    for (const [field, asked] of Object.entries(base)) {
      const target = asked?.pending?.target ?? asked?.target;
      if (target?.kind === "value") course.claimed.add(nameField(issue, field));
    }
  }
}

function nameField(issue: IssueRef, field: string): string {
  return `${issueKey(issue)} ${field}`;
}

/** What is alike in very many actions stands in memory once. */
function share<T extends object | undefined>({ course: { shared } }: PulledCycle, part: T): T {
  if (part === undefined) return part;
  const key = JSON.stringify(part);
  const known = shared.get(key) ?? part;
  shared.set(key, known);
  return known as T;
}

/** What held such an action before, as its post's notes say it. */
function heldEarlier(
  cycle: PulledCycle,
  { notes = [] }: Row,
  told: ToldAction,
): Pick<Wanted, "heldBefore" | "wasHeld"> {
  const holds = notes.filter((note) => isLetGoByPerson(note) && note.action?.kind === told.kind);
  const own = holds.find(
    ({ cause, planned }) => !isPassing(cause) && isSameAsked({ ...told, planned }, told),
  );
  return {
    heldBefore: own && share(cycle, { kind: "hold", cause: own.cause, why: own.message }),
    wasHeld: holds.length > 0,
  };
}
