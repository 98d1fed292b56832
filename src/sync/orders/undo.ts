import type { IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import { withLate } from "../../plan/fields/late.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { inOrder } from "../../select.ts";
import { takeRequests } from "../decide/requests.ts";
import { want } from "../decide/want.ts";
import { approve, isShown, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction } from "../ground/describe.ts";
import type { UndoOrder } from "../ground/order.ts";
import type { Asked } from "../ground/record.ts";
import { adviceOnce, sayAgain } from "../ground/remedy.ts";
import { attempt, noteError } from "../ground/report.ts";
import type { CarriedAction, SavedProject } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";
import type { Judged, Outcome } from "../ground/verdict.ts";
import { isSameLogin } from "../read/identify.ts";
import { storeRecords } from "../read/markers.ts";
import { saveActions } from "../tell/plan.ts";
import { type FreshIssue, readFresh } from "../write/issue.ts";
import { inWriteOrder, type Replan, write } from "../write/write.ts";
import {
  findLinked,
  keptOf,
  partsOf,
  stay,
  type UndoPart,
  type UndoStep,
  undoOnIssue,
  undoOnPost,
} from "./undo-plan.ts";

/**
 * Takes back what a run has written for the project, where nobody has touched it since; or tells what that would be. What is
 * shown, agreed on and sent are the same actions, and they are written like those of every other run.
 *
 * @returns what became of each part. Where it was only looked at: of those that stay as they are, and what it would write.
 */
export async function undoRun(
  cycle: PulledCycle,
  order: UndoOrder,
): Promise<{ readonly saved: SavedProject | undefined; readonly carried: readonly CarriedAction[] }> {
  // A person who has resumed what is paused may undo it.
  await takeRequests(cycle);
  const stayed: CarriedAction[] = [];
  const planned = new Map<Judged, UndoPart & Asked>();
  const { agreed } = order;
  // A look has shown nothing before.
  const shown = agreed && (agreed.find(({ project }) => project === cycle.project.key)?.actions ?? []);
  for (const part of await partsOfRun(cycle, order)) {
    const { post } = part;
    const step = await attempt(cycle, post, () => planPart(cycle, order, part));
    if ("kind" in step) {
      stayed.push(tellDone(cycle, part, step));
      continue;
    }
    const { row, action, refusals } = step;
    if (refusals.length > 0) stayed.push(refuse(cycle, part, refusals));
    else if (action === undefined)
      stayed.push(tell(cycle, part, "already", "it shows what was there before"));
    if (row === undefined || action === undefined) continue;
    const wanted = want(cycle, row, action, { lines: describeAction(cycle, row, action) });
    const judged: Judged = { ...wanted, verdict: { kind: "go" }, followUp: undefined };
    const isAgreed = shown?.some((one) => one.post === post && one.signature === judged.planSignature);
    if (isAgreed !== false) {
      // What is shown is all that is written, also where more could be by the time of the write.
      const { changes } = judged.planned;
      const fields = part.fields.filter(({ field }) => changes.some((one) => one.field === field));
      planned.set(judged, { ...part, fields, row, action });
    } else stayed.push(refuse(cycle, part, [movedSince]));
  }
  const actions = [...planned.keys()];
  if (agreed === undefined) return { saved: saveActions(cycle, actions), carried: stayed };
  for (const { post, kind } of actions) approve(cycle, post, kind, { at: cycle.world.clock.now() });
  const replan: Replan = async (judged, _, fresh) => {
    const known = planned.get(judged);
    if (known === undefined || (known.issue !== undefined && fresh === undefined)) return known;
    const { row, action } = await planPart(cycle, order, known, fresh);
    return row && action && { row, action };
  };
  const written = await write(cycle, actions, { replan });
  const done = [...planned].map(([judged, part]) => {
    const told = tellDone(cycle, part, written.get(judged));
    return { ...told, issue: judged.lines[0]?.issue ?? null };
  });
  return { saved: undefined, carried: [...stayed, ...done] };
}

const movedSince = "it has moved since it was shown a moment ago; undo the run again";

/** Posts first, as they are written. */
async function partsOfRun(cycle: PulledCycle, { run }: UndoOrder): Promise<readonly UndoPart[]> {
  const writes = (await cycle.world.ledger.journal.writesOf(run)).filter(
    ({ project }) => project === cycle.memory.id,
  );
  const parts = await inOrder([...Map.groupBy(writes, ({ post }) => post)], async ([post, made]) =>
    post === undefined ? [] : partsOf(made, await readRow(cycle, post)),
  );
  return inWriteOrder([...parts.flat(), ...keptOf(writes)]);
}

/**
 * What is to be done about a part, as both sides are now.
 *
 * @param read the issue, where that was read a moment ago.
 */
async function planPart(
  cycle: PulledCycle,
  { run }: UndoOrder,
  part: UndoPart,
  read?: FreshIssue,
): Promise<UndoStep & { readonly row?: Row }> {
  const { post, kind, issue, isOpened, kept } = part;
  if (kept !== undefined) return stay(kept.why);
  const { ledger, clock } = cycle.world;
  const reason = `undo of run ${run}`;
  const row = await readRow(cycle, post);
  const pause = row && pauseOf(row);
  if (pause !== undefined) return stay(pause.why);
  if (issue === undefined) {
    if (row === undefined || !isShown(cycle, row))
      return stay("this run's list of posts has not shown the post");
    const late = withLate(row, await cycle.context(clock.now()));
    return { ...undoOnPost(cycle, part, late, reason), row: late };
  }
  const linked = findLinked(cycle.settings, issue, row);
  if (row === undefined || typeof linked === "string") return stay(String(linked));
  if (isOpened && (await ledger.rows.linkedTo(issue)).length > 1)
    return stay("another post has been linked to the issue since");
  const fresh = read ?? (await readFresh(cycle, { post, kind }, issue));
  if ("kind" in fresh) return stay("the issue can't be found any more, or can't be written to");
  if (read === undefined) await storeRecords(cycle, [fresh.record]);
  const step = undoOnIssue(cycle.settings, part, linked, fresh.record, reason);
  const isTaken = isOpened && step.action !== undefined && (await isDiscussed(cycle, issue));
  return isTaken ? stay("people have commented on the issue") : { ...step, row };
}

async function isDiscussed({ world, run, account }: PulledCycle, issue: IssueRef): Promise<boolean> {
  for await (const page of world.tracker.comments(issue, run.bounds)) {
    if (page.some(({ author }) => !isSameLogin(author ?? null, account))) return true;
  }
  return false;
}

/** What could not be looked at, or was sent and did not come through: an undo is not repeated by itself. */
function tellDone(
  cycle: PulledCycle,
  part: UndoPart,
  outcome: Outcome = { kind: "unneeded" },
): CarriedAction {
  if (outcome.kind === "done") return tell(cycle, part, "done", "");
  const why = "why" in outcome ? outcome.why : "it was not sent";
  const message = `Not undone: ${why.replace(/\.$/, "")}. ${sayAgain}`;
  const { post } = part;
  const { errors } = cycle.tally;
  if (outcome.kind !== "failed") noteError(cycle.tally, { post, code: "undo.unfinished", message });
  // Other runs are tried again by the next one, and what is noted of the failure says so.
  for (const [index, error] of errors.entries())
    if (error.post === post && error.advice !== undefined)
      errors[index] = { ...error, advice: adviceOnce(error.advice) };
  return tell(cycle, part, "failed", message);
}

function refuse(cycle: PulledCycle, part: UndoPart, why: readonly string[]): CarriedAction {
  const message = `Not undone: ${why.join("; ")}. It stays as it is.`;
  const told = tell(cycle, part, "refused", message);
  const { post, issue } = told;
  const code = "undo.refused";
  if (part.kept?.isEntry) noteError(cycle.tally, { code, message: `${post}: ${message}` });
  else noteError(cycle.tally, { post, issue: issue ?? undefined, code, message });
  return told;
}

function tell(
  cycle: PulledCycle,
  { post, kind, issue, kept }: UndoPart,
  outcome: CarriedAction["outcome"],
  message: string,
): CarriedAction {
  const place = issue === undefined ? null : nameIssue(cycle, issue);
  return { kind, post, issue: kept === undefined ? place : kept.place, outcome, message };
}
