import type { Issue, IssueField, IssueRef } from "../../model/issue.ts";
import { isSameIssue } from "../../model/issue.ts";
import type { LinkedIssue } from "../../model/link.ts";
import { withLate } from "../../plan/fields/late.ts";
import { reverseField } from "../../plan/fields/undo.ts";
import { type ChangeIssue, type FieldWrite, isHeard, type PatchPost } from "../../plan/ground/action.ts";
import { readField, votersOf } from "../../plan/ground/fields.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { readIssueField } from "../../plan/ground/issue-fields.ts";
import { isAllowed, patchObstacle } from "../../plan/ground/obstacle.ts";
import { hashBlock, splitBody } from "../../plan/text/block.ts";
import { closureOf, isOpen, isShown, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { boardLane, laneOfIssue } from "../ground/lane.ts";
import { type Asked, postpone } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { readRow } from "../ground/rows.ts";
import type { Outcome, PartOutcome } from "../ground/verdict.ts";
import { isSameLogin } from "../read/identify.ts";
import { lookAgain } from "../read/look-again.ts";
import { storeRecords } from "../read/markers.ts";
import { type Needed, writeFields } from "../write/change.ts";
import { type FreshIssue, readFresh } from "../write/issue.ts";
import { patchPost } from "../write/patch.ts";
import { stay, type UndoPart, type UndoStep } from "./undo-parts.ts";

type IssuePart = UndoPart & { readonly kind: "issue" };

/**
 * How what a run has written to an issue is taken back. One that it opened is closed as not planned, never deleted, as long
 * as nobody has taken it up; it stays linked, so that no other one is opened.
 */
export async function undoOnIssue(cycle: PulledCycle, part: IssuePart, reason: string): Promise<UndoStep> {
  const { post, issue } = part;
  const linked = await findLinked(cycle, part);
  if (typeof linked === "string") return stay(linked);
  if (!isAllowed({ kind: "change-issue" }, cycle.settings)) {
    return stay(`\`writes: ${cycle.settings.writes}\` in the config`);
  }
  const found = await lookAtPart(cycle, part, linked);
  if (found === undefined) return stay("the issue can't be found any more, or can't be written to");
  const { refusals, writes } = found;
  if (writes.length === 0) return stay(...refusals);
  const action: ChangeIssue = {
    kind: "change-issue",
    post,
    changes: [{ issue, seenAt: "", writes }],
    reason,
    hold: undefined,
  };
  return { refusals, way: { action, send: () => sendChange(cycle, action, part, writes) } };
}

/** What is to be taken back of the issue as it is this moment. */
async function lookAtPart(
  cycle: PulledCycle,
  part: IssuePart,
  linked: LinkedIssue,
): Promise<(UndoChange & { readonly fresh: FreshIssue }) | undefined> {
  const fresh = await readFresh(cycle, { post: part.post, kind: "change-issue" }, part.issue);
  if ("kind" in fresh) return undefined;
  await storeRecords(cycle, [fresh.record]);
  const change = part.isOpened
    ? await closeOpened(cycle, linked, fresh)
    : reverse(part, linked, fresh.record.issue);
  return { ...change, fresh };
}

interface UndoChange {
  readonly refusals: readonly string[];
  readonly writes: readonly FieldWrite<IssueField>[];
}

/** The link that the write was made for; in words why it can't be taken back there. */
async function findLinked(
  cycle: PulledCycle,
  { post, issue, isOpened }: IssuePart,
): Promise<LinkedIssue | string> {
  const { ledger } = cycle.world;
  const row = await readRow(cycle, post);
  const linked = row?.links.find(({ link }) => isSameIssue(link.issue, issue));
  if (row === undefined || linked === undefined) return "the issue is not linked to the post any more";
  const isUnderWay = linked.isChanging === true || linked.mayArrive !== undefined;
  if (isUnderWay || row.openIntents.includes("change-issue")) {
    return "a write to the issue is under way";
  }
  if (linked.text === "read-only") return "the issue is another account's";
  const isShared = isOpened && (await ledger.rows.linkedTo(issue)).length > 1;
  return isShared ? "another post has been linked to the issue since" : linked;
}

/** Of a change field by field. */
function reverse({ fields }: IssuePart, { base }: LinkedIssue, issue: Issue): UndoChange {
  const reversals = fields.map((written) =>
    reverseField(written, readIssueField(issue, written.field), base?.[written.field]),
  );
  return {
    refusals: reversals.flatMap((reversal) => (reversal.kind === "refused" ? [reversal.message] : [])),
    writes: reversals.flatMap((reversal) => (reversal.kind === "write" ? [reversal.write] : [])),
  };
}

async function closeOpened(cycle: PulledCycle, linked: LinkedIssue, fresh: FreshIssue): Promise<UndoChange> {
  const { issue } = fresh.record;
  if (issue.state === "closed") return { refusals: [], writes: [] };
  const touched = whyTouched(cycle, linked, fresh) ?? (await whyDiscussed(cycle, issue));
  if (touched !== undefined) return { refusals: [touched], writes: [] };
  const target = linked.base?.state?.target ?? ({ kind: "none" } as const);
  const write = { field: "state", before: "open", value: "closed:not_planned", target } as const;
  return { refusals: [], writes: [write] };
}

/** What people have done to an issue that we opened; undefined where it is as it was. */
function whyTouched(
  { settings }: PulledCycle,
  { text }: LinkedIssue,
  { record: { title, body, issue } }: FreshIssue,
): string | undefined {
  const parts = splitBody(body);
  const isText =
    typeof text === "string" ||
    (hashText(title) === text.content.titleHash &&
      parts !== undefined &&
      hashBlock(parts.block) === text.content.blockHash);
  if (!isText || parts?.rest.trim() !== "") return "people have edited the issue";
  const isTaken = issue.assignees.some(
    (login) => !settings.issue.assignees.some((ours) => isSameLogin(login, ours)),
  );
  return isTaken ? "somebody has been assigned to the issue" : undefined;
}

async function whyDiscussed(
  { world, run, account }: PulledCycle,
  issue: IssueRef,
): Promise<string | undefined> {
  for await (const page of world.tracker.comments(issue, run.bounds)) {
    if (page.some(({ author }) => !isSameLogin(author ?? null, account)))
      return "people have commented on the issue";
  }
  return undefined;
}

/** Sends what was agreed on, as far as the issue asks for it still when its turn comes. */
async function sendChange(
  cycle: PulledCycle,
  action: ChangeIssue,
  part: IssuePart,
  agreed: readonly FieldWrite<IssueField>[],
): Promise<Outcome> {
  const { issue } = part;
  const lane = laneOfIssue(cycle.world, issue);
  if (!isOpen(cycle, lane)) return postpone(cycle, closureOf(cycle, lane));
  const refusals: string[] = [];
  const look = async (): Promise<Needed | PartOutcome> => {
    const linked = await findLinked(cycle, part);
    const found = typeof linked === "string" ? undefined : await lookAtPart(cycle, part, linked);
    if (found === undefined) return { outcome: { kind: "unneeded" }, next: "go on" };
    const writes = found.writes.filter(({ field, value }) =>
      agreed.some((write) => write.field === field && write.value === value),
    );
    return { action, fresh: found.fresh, writes };
  };
  const { outcome } = await writeFields(cycle, action, issue, look, refusals);
  if (refusals.length === 0) return outcome;
  const place = nameIssue(cycle, issue);
  const why = `What the undo asks of ${place} was refused: ${refusals.join("; ")}. What else it asks for is done.`;
  noteError(cycle.tally, { post: action.post, issue: place, code: "tracker.rejected", message: why });
  return { kind: "failed", why };
}

/** How what a run has written to a post is taken back: one PATCH of the fields that nobody has touched since. */
export async function undoOnPost(
  cycle: PulledCycle,
  { post, fields }: UndoPart & { readonly kind: "post" },
  reason: string,
): Promise<UndoStep> {
  const listed = await lookAgain(cycle, post);
  if (listed === undefined || !isShown(cycle, listed))
    return stay("this run's list of posts has not shown the post");
  const row = withLate(listed, await cycle.context(cycle.world.clock.now()));
  if (row.openIntents.includes("patch-post")) return stay("a write to the post is under way");
  const reversals = fields.map((written) =>
    reverseField(written, readField(row.post, written.field, cycle.pull.seen), row.base[written.field]),
  );
  const refusals = reversals.flatMap((reversal) => (reversal.kind === "refused" ? [reversal.message] : []));
  const writes = reversals.flatMap((reversal) => (reversal.kind === "write" ? [reversal.write] : []));
  if (writes.length === 0) return stay(...refusals);
  const action: PatchPost = {
    kind: "patch-post",
    post,
    writes,
    reason,
    notifies: writes.some(isHeard) ? votersOf(row.post, cycle.pull.seen) : 0,
    hold: undefined,
  };
  if (cycle.pull.hold !== undefined) return stay(cycle.pull.hold);
  if (!isAllowed(action, cycle.settings)) return stay(`\`writes: ${cycle.settings.writes}\` in the config`);
  const obstacle = patchObstacle(action, row, cycle.settings);
  if (obstacle !== undefined) return stay(obstacle.map(({ message }) => message).join("; "));
  return { refusals, way: { action, send: () => sendPatch(cycle, { row, action }) } };
}

async function sendPatch(cycle: PulledCycle, asked: Asked<PatchPost>): Promise<Outcome> {
  return isOpen(cycle, boardLane) ? patchPost(cycle, asked) : postpone(cycle, closureOf(cycle, boardLane));
}
