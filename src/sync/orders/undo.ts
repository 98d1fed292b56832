import type { RunWrite } from "../../ledger/journal.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { contentSignature } from "../../plan/print.ts";
import { describeAction } from "../decide/plan-lines.ts";
import { attempt } from "../ground/attempt.ts";
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { noteError } from "../ground/report.ts";
import type { CarriedAction, SavedAction, UndoOrder } from "../ground/world.ts";
import { inParallel } from "../write/apply.ts";
import { isMade } from "./apply-saved.ts";
import { saveActions } from "./plan-file.ts";
import { undoOnIssue } from "./undo-issue.ts";
import { partsOf, type UndoPart, type UndoWay } from "./undo-parts.ts";
import { undoOnPost } from "./undo-post.ts";

/**
 * Takes back what a run has written for the project, where nobody has touched it since; or tells what that would be. Every
 * write goes through the journal like any other. Posts come first, so that no PATCH rests on an old pull.
 */
export async function undoRun(cycle: PulledCycle, order: UndoOrder): Promise<void> {
  const writes = cycle.world.ledger.journal
    .writesOf(order.run)
    .filter(({ project }) => project === cycle.memory.id);
  const parts = [...Map.groupBy(writes, ({ post }) => post)].flatMap(([post, made]) =>
    post === undefined ? [] : partsOf(post, made, readRow(cycle, post)),
  );
  const undo: Undo = { cycle, order, found: [] };
  const isPost = ({ kind }: UndoPart): boolean => kind === "post";
  await inParallel(parts.filter(isPost), cycle.world.policy.concurrency, (part) => takeBack(undo, part));
  await inParallel(
    parts.filter((part) => !isPost(part)),
    1,
    (part) => takeBack(undo, part),
  );
  if (order.agreed === undefined) cycle.tally.saved = saveActions(cycle, undo.found);
  else tellDone(cycle, undo.found);
}

interface Undo {
  readonly cycle: PulledCycle;
  readonly order: UndoOrder;
  /** What can be taken back, or was sent. */
  readonly found: SavedAction[];
}

/** Of one post or issue; whatever fails in it stops nothing else. */
async function takeBack(undo: Undo, part: UndoPart): Promise<void> {
  const { cycle } = undo;
  const subject = subjectOf(cycle, part);
  const kind = part.kind === "post" ? "patch-post" : "change-issue";
  await attempt(cycle, { post: part.post, kind }, async () => {
    if (part.kind === "kept") {
      refuse(cycle, subject, [`${part.write.kind}: ${part.why}`]);
      return;
    }
    const step = await (part.kind === "post" ? undoOnPost(cycle, part) : undoOnIssue(cycle, part));
    if (step.refusals.length > 0) refuse(cycle, subject, step.refusals);
    if (step.way !== undefined) await go(undo, subject, step.way);
    else if (step.refusals.length === 0) {
      const message = "it shows what was there before";
      cycle.tally.carried.push({ ...subject, outcome: "already", message });
    }
  });
}

async function go({ cycle, order, found }: Undo, subject: Subject, { action, send }: UndoWay): Promise<void> {
  const { post, kind } = action;
  const row = readRow(cycle, post);
  if (row === undefined) return;
  const signature = contentSignature(action);
  const agreed = order.agreed?.find(({ project }) => project === cycle.project.key)?.actions ?? [];
  const isAgreed = agreed.some((one) => one.post === post && one.signature === signature);
  if (order.agreed !== undefined && !isAgreed) {
    refuse(cycle, subject, ["it has moved since it was shown a moment ago; undo the run again"]);
    return;
  }
  found.push({ kind, post, signature, lines: describeAction(cycle, row, action) });
  if (order.agreed === undefined) return;
  const approved = cycle.tally.approved.get(post) ?? new Map();
  cycle.tally.approved.set(post, approved.set(kind, undefined));
  await send();
}

/** What was sent and can't be found as made: an undo is not repeated by itself. */
function tellDone(cycle: PulledCycle, sent: readonly SavedAction[]): void {
  const { journal } = cycle.world.ledger;
  const made = Map.groupBy(journal.writesOf(cycle.run.number), ({ post }) => post);
  for (const action of sent) {
    const { post, kind, lines } = action;
    const own = (made.get(post) ?? []).filter(isApplied);
    const shown = { kind, post, issue: lines[0]?.issue ?? null };
    if (isMade(action, own)) {
      cycle.tally.carried.push({ ...shown, outcome: "done", message: "" });
      continue;
    }
    const message = whyUndone(cycle, action);
    cycle.tally.carried.push({ ...shown, outcome: "failed", message });
    if (cycle.tally.errors.every((error) => error.post !== post)) {
      noteError(cycle.tally, { post, code: "undo.unfinished", message });
    }
  }
}

function isApplied({ outcome }: RunWrite): boolean {
  return outcome === "applied";
}

function whyUndone({ tally }: PulledCycle, { post, kind }: SavedAction): string {
  const delay = kind === "patch-note" ? undefined : tally.delays.get(post)?.get(kind);
  const error = tally.errors.find((one) => one.post === post);
  const why = delay?.message.replace("Decided, and waiting: ", "") ?? error?.message ?? "it was not sent";
  return `Not undone: ${why.replace(/\.$/, "")}. No later run does it by itself; undo the run again.`;
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

function refuse(cycle: PulledCycle, subject: Subject, why: readonly string[]): void {
  const message = `Not undone: ${why.join("; ")}. It stays as it is.`;
  const { post, issue } = subject;
  noteError(cycle.tally, { post, ...(issue !== null && { issue }), code: "undo.refused", message });
  cycle.tally.carried.push({ ...subject, outcome: "refused", message });
}

function readRow({ world, memory }: PulledCycle, post: PostId): Row | undefined {
  return world.ledger.rows.row(memory.id, post, world.clock.now());
}
