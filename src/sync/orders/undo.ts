import type { IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { withLate } from "../../plan/fields/late.ts";
import type { Action } from "../../plan/ground/action.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { inOrder } from "../../select.ts";
import { want } from "../decide/decide.ts";
import { attempt } from "../ground/attempt.ts";
import { approve, isShown, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction } from "../ground/describe.ts";
import type { UndoOrder } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import type { CarriedAction, SavedProject } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";
import type { Outcome } from "../ground/verdict.ts";
import type { Judged } from "../ground/wanted.ts";
import { isSameLogin } from "../read/identify.ts";
import { storeRecords } from "../read/markers.ts";
import { saveActions } from "../tell/plan.ts";
import { type FreshIssue, readFresh } from "../write/issue.ts";
import { type Replan, write } from "../write/write.ts";
import { partsOf, type UndoPart } from "./undo-parts.ts";
import { findLinked, stay, type UndoStep, undoOnIssue, undoOnPost } from "./undo-plan.ts";

/** What an undo comes to. */
export interface Undone {
  /** Where it was only looked at: what it would write, as a file keeps it. */
  readonly saved: SavedProject | undefined;
  /** What became of each part; where it was only looked at, of those that stay as they are. */
  readonly carried: readonly CarriedAction[];
}

/**
 * Takes back what a run has written for the project, where nobody has touched it since; or tells what that would be. What is
 * shown, agreed on and sent are the same actions, and they are written like those of every other run.
 */
export async function undoRun(cycle: PulledCycle, order: UndoOrder): Promise<Undone> {
  const stayed: CarriedAction[] = [];
  const planned = new Map<Judged, Planned>();
  for (const part of await partsOfRun(cycle, order)) {
    const subject = subjectOf(cycle, part);
    const step = await attempt(cycle, subject, () => planPart(cycle, order, part));
    if ("kind" in step) continue;
    const { row, action, refusals } = step;
    if (refusals.length > 0) stayed.push(refuse(cycle, subject, refusals));
    else if (action === undefined)
      stayed.push({ ...subject, outcome: "already", message: "it shows what was there before" });
    if (row === undefined || action === undefined) continue;
    const lines = describeAction(cycle, row, action);
    const wanted = {
      ...want(cycle, row, action, lines),
      verdict: { kind: "go" },
      followUp: undefined,
    } as const;
    if (isAgreed(cycle, order, wanted)) planned.set(wanted, { part, row, action });
    else
      stayed.push(
        refuse(cycle, subject, ["it has moved since it was shown a moment ago; undo the run again"]),
      );
  }
  const actions = [...planned.keys()];
  if (order.agreed === undefined) return { saved: saveActions(cycle, actions), carried: stayed };
  for (const { post, kind } of actions) approve(cycle, post, kind, { at: cycle.world.clock.now() });
  const replan: Replan = async (wanted, _, fresh) => {
    const known = planned.get(wanted);
    if (known === undefined || (known.part.kind === "issue" && fresh === undefined)) return known;
    const { row, action } = await planPart(cycle, order, known.part, fresh);
    const left = action && onlyOf(action, known.action);
    return row && left && { row, action: left };
  };
  const written = await write(cycle, actions, { replan });
  return {
    saved: undefined,
    carried: [...stayed, ...actions.map((wanted) => tellDone(cycle, wanted, written.get(wanted)))],
  };
}

/** An action, and what it was made of. */
interface Planned {
  readonly part: UndoPart;
  readonly row: Row;
  readonly action: Action;
}

/** Posts first, as they are written. */
async function partsOfRun(cycle: PulledCycle, { run }: UndoOrder): Promise<readonly UndoPart[]> {
  const writes = (await cycle.world.ledger.journal.writesOf(run)).filter(
    ({ project }) => project === cycle.memory.id,
  );
  const parts = await inOrder([...Map.groupBy(writes, ({ post }) => post)], async ([post, made]) =>
    post === undefined ? [] : partsOf(post, made, await readRow(cycle, post)),
  );
  const isPost = ({ kind }: UndoPart): boolean => kind === "post";
  return parts.flat().toSorted((one, other) => Number(isPost(other)) - Number(isPost(one)));
}

/**
 * What is to be done about a part, as both sides are now.
 *
 * @param read the issue, where that was read a moment ago.
 */
async function planPart(
  cycle: PulledCycle,
  order: UndoOrder,
  part: UndoPart,
  read?: FreshIssue,
): Promise<UndoStep & { readonly row?: Row }> {
  if (part.kind === "kept") return stay(`${part.write.kind}: ${part.why}`);
  const { ledger, clock } = cycle.world;
  const { post } = part;
  const reason = `undo of run ${order.run}`;
  const listed = await readRow(cycle, post);
  const pause = listed && pauseOf(listed);
  if (pause !== undefined) return stay(pause);
  if (part.kind === "post") {
    if (listed === undefined || !isShown(cycle, listed))
      return stay("this run's list of posts has not shown the post");
    const row = withLate(listed, await cycle.context(clock.now()));
    return { ...undoOnPost(cycle, part, row, reason), row };
  }
  const { issue, isOpened } = part;
  const linked = findLinked(cycle, part, listed);
  if (listed === undefined || typeof linked === "string") return stay(String(linked));
  if (isOpened && (await ledger.rows.linkedTo(issue)).length > 1)
    return stay("another post has been linked to the issue since");
  const fresh = read ?? (await readFresh(cycle, { post, kind: "change-issue" }, issue));
  if ("kind" in fresh) return stay("the issue can't be found any more, or can't be written to");
  if (read === undefined) await storeRecords(cycle, [fresh.record]);
  const step = undoOnIssue(cycle, part, linked, fresh.record, reason);
  if (isOpened && step.action !== undefined && (await isDiscussed(cycle, issue)))
    return stay("people have commented on the issue");
  return { ...step, row: listed };
}

async function isDiscussed({ world, run, account }: PulledCycle, issue: IssueRef): Promise<boolean> {
  for await (const page of world.tracker.comments(issue, run.bounds)) {
    if (page.some(({ author }) => !isSameLogin(author ?? null, account))) return true;
  }
  return false;
}

/** Only what was shown is done; a look has shown nothing before. */
function isAgreed({ project }: PulledCycle, { agreed }: UndoOrder, wanted: Judged): boolean {
  const shown = agreed?.find((one) => one.project === project.key)?.actions ?? [];
  return (
    agreed === undefined ||
    shown.some(({ post, signature }) => post === wanted.post && signature === wanted.planSignature)
  );
}

/** What is left to do of an action that was agreed on; undefined where that is nothing. */
function onlyOf(now: Action, agreed: Action): Action | undefined {
  if (now.kind !== "change-issue" || agreed.kind !== "change-issue") return now;
  const shown = agreed.changes.flatMap(({ writes }) => writes);
  const changes = now.changes
    .map((change) => ({
      ...change,
      writes: change.writes.filter(({ field, value }) =>
        shown.some((write) => write.field === field && write.value === value),
      ),
    }))
    .filter(({ writes }) => writes.length > 0);
  return changes.length === 0 ? undefined : { ...now, changes };
}

/** What was sent and did not come through: an undo is not repeated by itself. */
function tellDone(
  { tally }: PulledCycle,
  { post, kind, lines }: Judged,
  outcome: Outcome = { kind: "unneeded" },
): CarriedAction {
  const shown = { kind, post, issue: lines[0]?.issue ?? null };
  if (outcome.kind === "done") return { ...shown, outcome: "done", message: "" };
  const why = "why" in outcome ? outcome.why : "it was not sent";
  const message = `Not undone: ${why.replace(/\.$/, "")}. No later run does it by itself; undo the run again.`;
  if (outcome.kind !== "failed") noteError(tally, { post, code: "undo.unfinished", message });
  return { ...shown, outcome: "failed", message };
}

/** What a message is about. */
interface Subject extends Pick<CarriedAction, "issue"> {
  readonly post: PostId;
  readonly kind: "patch-post" | "change-issue";
}

function subjectOf(cycle: PulledCycle, part: UndoPart): Subject {
  const { post } = part;
  switch (part.kind) {
    case "post":
      return { kind: "patch-post", post, issue: null };
    case "issue":
      return { kind: "change-issue", post, issue: nameIssue(cycle, part.issue) };
    case "kept": {
      const { side, issue } = part.write;
      const kind = side === "board" ? "patch-post" : "change-issue";
      return { kind, post, issue: issue === undefined ? null : `${issue.repository}#${issue.number}` };
    }
  }
}

function refuse({ tally }: PulledCycle, subject: Subject, why: readonly string[]): CarriedAction {
  const message = `Not undone: ${why.join("; ")}. It stays as it is.`;
  const { post, issue } = subject;
  noteError(tally, { post, ...(issue !== null && { issue }), code: "undo.refused", message });
  return { ...subject, outcome: "refused", message };
}
