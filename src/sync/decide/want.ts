import { isPassing } from "../../model/causes.ts";
import type { Row } from "../../model/link.ts";
import { type Action, countIssues, isNotifying } from "../../plan/ground/action.ts";
import { approvalSignature, planSignature } from "../../plan/ground/identity.ts";
import { isAllowed, pauseOf } from "../../plan/ground/obstacle.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { lanesOf } from "../ground/lane.ts";
import { isPreview, namesActions } from "../ground/order.ts";
import type { PlannedAction } from "../ground/reports.ts";
import { isLetGoByPerson, tellAction } from "../ground/standing.ts";
import type { Hold } from "../ground/verdict.ts";
import { isSameAsked, type ToldAction, type Wanted } from "../ground/wanted.ts";
import { pageOf } from "../read/naming.ts";

/** An action as a row asks for it, with what is shown of it. */
export function want(
  cycle: PulledCycle,
  row: Row,
  action: Action,
  lines: readonly PlannedAction[] = nothing,
): Wanted {
  const told = tellAction(cycle, row, action);
  const sent = asSent(cycle, action);
  const closings = isNotifying(action) ? row.links.flatMap(({ known }) => known?.issue.closed ?? []) : [];
  return {
    ...told,
    planned: share(cycle, told.planned),
    issues: countIssues(action),
    isNotifying: isNotifying(action),
    closings: closings.length === 0 ? nothing : closings,
    lanes: share(cycle, lanesOf(cycle.world, action)),
    hold: share(cycle, holdOf(action)),
    ...heldEarlier(cycle, row, told),
    hasWaited: row.notes?.some((note) => note.kind === "waiting" && note.action?.kind === told.kind) === true,
    pause: pauseOf(row),
    signature: sent === action ? told.approval : approvalSignature(sent),
    planSignature: isPreview(cycle.run) || namesActions(cycle.run) ? planSignature(action) : "",
    page: action.kind === "create-issue" ? pageOf(cycle, row) : undefined,
    lines,
  };
}

const nothing: readonly never[] = [];

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

/** A preview looks past `writes`; an approval has shown, and lets go, what a run sends. */
function asSent({ settings }: PulledCycle, action: Action): Action {
  const isAlone = action.kind === "create-issue" && !isAllowed({ kind: "patch-post" }, settings);
  return isAlone ? { ...action, followUp: undefined } : action;
}

/** Why a person has to let an action go, whatever the guard says. */
function holdOf(action: Action): Hold | undefined {
  switch (action.kind) {
    case "patch-post":
    case "change-issue":
      return action.hold && { kind: "hold", ...action.hold };
    case "create-issue":
    case "update-issue":
    case "comment-issue":
    case "create-post":
      return undefined;
  }
}
