import type { PostId } from "../../model/post.ts";
import { signatureOf } from "../../plan/ground/identity.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { inOrder } from "../../select.ts";
import { attempt } from "../ground/attempt.ts";
import { approve, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction } from "../ground/describe.ts";
import type { UndoOrder } from "../ground/order.ts";
import { inParallel } from "../ground/parallel.ts";
import { noteError } from "../ground/report.ts";
import type { CarriedAction, SavedAction, SavedProject } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";
import type { Outcome } from "../ground/verdict.ts";
import { saveActions } from "../tell/plan.ts";
import { partsOf, type UndoPart, type UndoWay } from "./undo-parts.ts";
import { undoOnIssue, undoOnPost } from "./undo-ways.ts";

/** What an undo comes to. */
export interface Undone {
  /** Where it was only looked at: what it would write, as a file keeps it. */
  readonly saved: SavedProject | undefined;
  /** What became of each part; where it was only looked at, of those that stay as they are. */
  readonly carried: readonly CarriedAction[];
}

/**
 * Takes back what a run has written for the project, where nobody has touched it since; or tells what that would be. Every
 * write goes through the journal like any other. Posts come first, so that no PATCH rests on an old pull.
 */
export async function undoRun(cycle: PulledCycle, order: UndoOrder): Promise<Undone> {
  const writes = (await cycle.world.ledger.journal.writesOf(order.run)).filter(
    ({ project }) => project === cycle.memory.id,
  );
  const parts = (
    await inOrder([...Map.groupBy(writes, ({ post }) => post)], async ([post, made]) =>
      post === undefined ? [] : partsOf(post, made, await readRow(cycle, post)),
    )
  ).flat();
  const undo: Undo = { cycle, order, found: [], stayed: [] };
  const isPost = ({ kind }: UndoPart): boolean => kind === "post";
  await inParallel(parts.filter(isPost), cycle.world.policy.concurrency, (part) => takeBack(undo, part));
  await inParallel(
    parts.filter((part) => !isPost(part)),
    1,
    (part) => takeBack(undo, part),
  );
  const { found, stayed } = undo;
  if (order.agreed === undefined) {
    const actions = found.map(({ action }) => action);
    return { saved: saveActions(cycle, actions), carried: stayed };
  }
  return { saved: undefined, carried: [...stayed, ...found.map((one) => tellDone(cycle, one))] };
}

interface Undo {
  readonly cycle: PulledCycle;
  readonly order: UndoOrder;
  /** What can be taken back, and what became of it where it was sent. */
  readonly found: FoundWrites[];
  /** What stays as it is. */
  readonly stayed: CarriedAction[];
}

interface FoundWrites {
  readonly action: SavedAction;
  readonly outcome: Outcome;
}

/** Of one post or issue; whatever fails in it stops nothing else. */
async function takeBack(undo: Undo, part: UndoPart): Promise<void> {
  const { cycle, order, stayed } = undo;
  const reason = `undo of run ${order.run}`;
  const subject = subjectOf(cycle, part);
  const kind = part.kind === "post" ? "patch-post" : "change-issue";
  await attempt(cycle, { post: part.post, kind }, async () => {
    if (part.kind === "kept") {
      refuse(undo, subject, [`${part.write.kind}: ${part.why}`]);
      return;
    }
    const row = await readRow(cycle, part.post);
    const pause = row && pauseOf(row);
    if (pause !== undefined) {
      refuse(undo, subject, [pause]);
      return;
    }
    const step = await (part.kind === "post"
      ? undoOnPost(cycle, part, reason)
      : undoOnIssue(cycle, part, reason));
    if (step.refusals.length > 0) refuse(undo, subject, step.refusals);
    if (step.way !== undefined) await go(undo, subject, step.way);
    else if (step.refusals.length === 0) {
      stayed.push({ ...subject, outcome: "already", message: "it shows what was there before" });
    }
  });
}

async function go(undo: Undo, subject: Subject, { action, send }: UndoWay): Promise<void> {
  const { cycle, order, found } = undo;
  const { post, kind } = action;
  const row = await readRow(cycle, post);
  if (row === undefined) return;
  const signature = signatureOf(action);
  const agreed = order.agreed?.find(({ project }) => project === cycle.project.key)?.actions ?? [];
  const isAgreed = agreed.some((one) => one.post === post && one.signature === signature);
  if (order.agreed !== undefined && !isAgreed) {
    refuse(undo, subject, ["it has moved since it was shown a moment ago; undo the run again"]);
    return;
  }
  const saved = { kind, post, signature, lines: describeAction(cycle, row, action) };
  if (order.agreed !== undefined) approve(cycle, post, kind, { at: cycle.world.clock.now() });
  const outcome =
    order.agreed === undefined ? ({ kind: "unneeded" } as const) : await attempt(cycle, action, send);
  found.push({ action: saved, outcome });
}

/** What was sent and did not come through: an undo is not repeated by itself. */
function tellDone(cycle: PulledCycle, { action, outcome }: FoundWrites): CarriedAction {
  const { post, kind, lines } = action;
  const shown = { kind, post, issue: lines[0]?.issue ?? null };
  if (outcome.kind === "done") return { ...shown, outcome: "done", message: "" };
  const why = "why" in outcome ? outcome.why : "it was not sent";
  const message = `Not undone: ${why.replace(/\.$/, "")}. No later run does it by itself; undo the run again.`;
  if (outcome.kind !== "failed") noteError(cycle.tally, { post, code: "undo.unfinished", message });
  return { ...shown, outcome: "failed", message };
}

/** What a message is about. */
type Subject = Pick<CarriedAction, "kind" | "post" | "issue"> & { readonly post: PostId };

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

function refuse({ cycle, stayed }: Undo, subject: Subject, why: readonly string[]): void {
  const message = `Not undone: ${why.join("; ")}. It stays as it is.`;
  const { post, issue } = subject;
  noteError(cycle.tally, { post, ...(issue !== null && { issue }), code: "undo.refused", message });
  stayed.push({ ...subject, outcome: "refused", message });
}
