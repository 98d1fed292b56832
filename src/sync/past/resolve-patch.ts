import type { Intent } from "../../ledger/journal.ts";
import type { RowRecord } from "../../ledger/rows.ts";
import type { FieldWrite, Row, SentValue } from "../../model/link.ts";
import { dayMs, minuteMs, readInstant } from "../../model/time.ts";
import { echoOnIssues } from "../../plan/board-rules/echo.ts";
import { isNotified, isNotifying, type PatchPost } from "../../plan/ground/action.ts";
import { isSameValue, readField } from "../../plan/ground/fields.ts";
import { doubtSignature } from "../../plan/ground/identity.ts";
import { recordApplied } from "../../plan/plan.ts";
import { noteHeard, type PulledCycle } from "../ground/cycle-state.ts";
import { inBrackets } from "../ground/describe.ts";
import { endIntent } from "../ground/record.ts";
import { readRow } from "../ground/rows.ts";
import { longestLookMs } from "../read/page.ts";
import { parkUnsure } from "../write/failure.ts";
import { answerOf } from "../write/patch.ts";

/** A change is sent at most this often; after that a person decides. */
const maxSends = 2;

type Bases = Pick<RowRecord, "base" | "issueBases">;

/**
 * Looks at the post for what became of a PATCH. Only a pull that began after the wait is believed, and only when it came
 * through: an older one may have passed the request on its way.
 */
export async function resolvePatch(cycle: PulledCycle, intent: Intent): Promise<void> {
  const { policy } = cycle.world;
  const { pull } = cycle;
  const restedAt = (intent.unknownAt ?? intent.at) + policy.waits.patchMs;
  if (pull.kind === "incomplete" || pull.beganAt < restedAt) return;
  const row = await readRow(cycle, intent.post);
  if (row?.missing === 2) {
    // No look at the post will ever tell. Should it come back, voters must not be notified of it twice.
    if (isNotifying(patchOf(intent))) await parkInDoubt(cycle, intent);
    else await endIntent(cycle, intent, "REJECTED", "unsure; the board no longer lists the post");
    return;
  }
  if (row?.seenAt === undefined || row.seenAt < pull.beganAt) return;
  switch (find(cycle, row, intent)) {
    case "applied":
      await takeApplied(cycle, row, intent, "the post shows what was sent");
      cycle.tally.postWrites += 1;
      if (isNotifying(patchOf(intent))) noteHeard(cycle.tally, intent.voters ?? null);
      return;
    case "not applied":
      return endIntent(cycle, intent, "PREPARED", "the post shows that it was not applied");
    case "in doubt":
      return parkInDoubt(cycle, intent, shownOf(cycle, row, patchOf(intent)));
    case "moved since":
      // What is there now is people's, and our write is part of the past, whether it arrived or not.
      return takeApplied(cycle, row, intent, "the post has been moved since", { isOpen: true });
  }
}

/** What a listing tells of a PATCH whose answer was lost. */
function find(
  { pull, world: { policy } }: PulledCycle,
  row: Row,
  intent: Intent,
): "applied" | "not applied" | "in doubt" | "moved since" {
  const { post } = row;
  const action = patchOf(intent);
  const shows = ({ field }: FieldWrite, values: readonly SentValue["before"][]): boolean =>
    values.some((value) => isSameValue(field, readField(post, field, pull.seen), value));
  const isApplied = (write: FieldWrite): boolean => shows(write, [write.value]);
  const isBefore = (write: FieldWrite): boolean =>
    shows(write, [write.before, ...listedBefore(row, write, intent, policy.waits.patchMs)]);
  if (action.writes.some(({ field }) => readField(post, field, pull.seen) === undefined)) return "in doubt";
  if (action.writes.every(isApplied)) return "applied";
  if (!action.writes.every(isBefore)) {
    // People may have moved one field, and another is still to be written: above all the one whose voters wait to hear.
    const told = action.writes.filter(isNotified);
    const decisive = told.length > 0 ? told : action.writes;
    return decisive.some((write) => isBefore(write) && !isApplied(write)) ? "in doubt" : "moved since";
  }
  // What nobody is notified for may be sent again without that proof.
  const isSafe = isUntouched(row, intent) || !isNotifying(action);
  return isSafe && intent.attempts < maxSends ? "not applied" : "in doubt";
}

/**
 * Whether the post has not been changed since before the PATCH, by its `updatedAt`: one without a time of day, or without seconds,
 * says so only when that day or minute was over.
 */
function isUntouched({ post }: Row, { updatedAtBefore, sentAt, at }: Intent): boolean {
  if (updatedAtBefore === undefined || post.values.updatedAt !== updatedAtBefore) return false;
  const unit = unitOf(updatedAtBefore);
  // Twice: zones, and clocks that differ.
  return unit === 0 || (sentAt ?? at) >= readInstant(updatedAtBefore) + 2 * unit;
}

/** The shortest time, in ms, that a text of an instant can tell. */
function unitOf(instant: string): number {
  const colons = instant.replace(/[+-]\d\d:?\d\d$/, "").split(":").length - 1;
  return colons === 0 ? dayMs : colons === 1 ? minuteMs : 0;
}

/**
 * What a list may have shown of a field when its write was planned, although that took it for written: what was there before a
 * PATCH that the board had acknowledged less than `patchMs` before that list.
 */
function listedBefore(
  { accepted = [] }: Row,
  { field }: FieldWrite,
  { at: plannedAt }: Intent,
  patchMs: number,
): readonly SentValue["before"][] {
  const recent = accepted.filter(({ at }) => at <= plannedAt && plannedAt - at < patchMs + longestLookMs);
  return recent.flatMap(({ writes }) => writes).flatMap((one) => (one.field === field ? [one.before] : []));
}

/** The write that an intent stands for, as the plan would say it. */
function patchOf({ post, reason, writes = [] }: Intent): PatchPost {
  return { kind: "patch-post", post, reason, notifies: null, writes, hold: undefined };
}

async function takeApplied(
  cycle: PulledCycle,
  row: Row,
  intent: Intent,
  message: string,
  told: { readonly isOpen?: true } = {},
): Promise<void> {
  const action = patchOf(intent);
  // People may have moved the post since. The next plan sees what is there: what this list shows is no longer late.
  const base = recordApplied(row, action, undefined);
  const issueBases = echoOnIssues(row, action.writes, cycle.settings, cycle.pull.seen);
  const standing = { kind: "linked", reason: intent.reason } as const;
  const place = { project: cycle.memory.id, post: intent.post };
  const record = { base, issueBases, standing, notes: [], due: "now" } as const;
  const also = [{ ...place, kind: "record-row", record } as const];
  await endIntent(cycle, intent, "DONE", message, also, { ...told, answer: answerOf(row.post, action) });
}

/** What it asked for and the post shows counts as written, whoever has made it so: it is not sent again, and no news for its issues. */
function shownOf(cycle: PulledCycle, row: Row, action: PatchPost): Bases {
  const { seen } = cycle.pull;
  const writes = action.writes.filter(({ field, value }) =>
    isSameValue(field, readField(row.post, field, seen), value),
  );
  const base = recordApplied(row, { ...action, writes }, undefined);
  return { base, issueBases: echoOnIssues(row, writes, cycle.settings, seen) };
}

async function parkInDoubt(cycle: PulledCycle, intent: Intent, bases: Bases = { base: {} }): Promise<void> {
  const { post } = intent;
  const action = patchOf(intent);
  const fields = action.writes.map(({ field }) => field).join(", ");
  const heard = isNotifying(action) ? "; voters may have been notified" : "";
  const why = intent.message === undefined ? "" : ` ${inBrackets(intent.message)}`;
  const message = `It is not known whether the change of ${fields} reached the board${why}${heard}. Look at the post, then \`boardsync retry ${post}\` sends it again.`;
  const doubt = { kind: action.kind, signature: doubtSignature(action) };
  const known = { kind: "set-bases", project: cycle.memory.id, post, bases } as const;
  await parkUnsure(cycle, intent, doubt, { code: "board.unsure", message }, [known]);
}
