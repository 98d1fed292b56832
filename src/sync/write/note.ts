import type { PatchOutcome } from "../../board/board.ts";
import type { Row } from "../../model/link.ts";
import type { NoteChange, PostId } from "../../model/post.ts";
import { hashBody, noteSignature } from "../../plan/ground/identity.ts";
import { absence, isQuarantined, parkedOf, pauseOf } from "../../plan/ground/obstacle.ts";
import { backlinkLine, hasLine, replaceLine } from "../../plan/text/backlink.ts";
import { inOrder, inParallel } from "../../select.ts";
import { type DueNote, isOpen, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { titleOf } from "../ground/describe.ts";
import { boardLane } from "../ground/lane.ts";
import { namesActions } from "../ground/order.ts";
import { putOff } from "../ground/record.ts";
import { attempt } from "../ground/report.ts";
import type { PlannedAction, SavedAction } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";
import { type Judged, type Outcome, postsWith, waitForTurn } from "../ground/verdict.ts";
import { isTooOld, readNoteAgain } from "../read/page.ts";
import { type Failure, failWrite, reportTrouble } from "./failure.ts";
import { intentLine, type Request, send } from "./send.ts";

/** A note that gets another line of ours, and what it is then; of it nothing is shown but that line. */
export interface NoteWrite extends SavedAction {
  readonly note: DueNote;
  /** undefined for a post without an issue: the line goes away. */
  readonly line: string | undefined;
  readonly text: string;
}

const reason = "the issues of the post have changed since its note was last written";

/**
 * Decides the notes that this pull has shown. It is edge-triggered like everything that a board gets: a note is written once
 * for a change of the post's links, and a line that people take away stays away until those change again.
 */
export async function decideNotes(
  cycle: PulledCycle,
  judged: readonly Judged[],
): Promise<readonly NoteWrite[]> {
  await endRested(cycle);
  if (cycle.pull.hold !== undefined) return [];
  // A saved plan opens what it names, whatever else is wanted: a note of it waits when its turn comes.
  const opening = namesActions(cycle.run) ? new Set<PostId>() : postsWith(judged, "create-issue");
  return (await inOrder(cycle.pull.notes, async (note) => decideNote(cycle, note, opening))).flat();
}

/** Names of the repositories of a post's issues: a line of before the state was lost may have a former one. */
function knownNames({ world: { ledger } }: PulledCycle, { links }: Row): readonly string[] {
  return links.flatMap(({ link }) => {
    const known = ledger.memory.repositoryById(link.issue.repositoryId);
    return known === undefined ? [] : [known.repository.name, known.name, ...(known.otherNames ?? [])];
  });
}

async function decideNote(
  cycle: PulledCycle,
  note: DueNote,
  opening: ReadonlySet<PostId>,
): Promise<readonly NoteWrite[]> {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  const row = await readRow(cycle, note.post);
  if (row === undefined || isNoteStopped(row)) return [];
  // A person may have said since the pull that it stays as it is.
  if ((await ledger.backlinks.due(project, [note.post])).length === 0) return [];
  const line = lineOf(cycle, row);
  const text = replaceLine(note.text, note.line, line, knownNames(cycle, row));
  const isSame = text === note.text || (line === undefined && note.line === undefined);
  const isTakenAway = line !== undefined && line === note.line && !hasLine(note.text, line);
  if (isSame || isTakenAway) {
    if (!isSame)
      log.warn(
        { project: cycle.project.key, post: note.post, line },
        "The line in the post's internal note did not stick, or someone has taken it away; it is not written again until the post's issues change",
      );
    await ledger.commit([{ kind: "record-backlink", project, post: note.post, line, isDue: false }]);
    return [];
  }
  // Nobody knows the new issue's number yet: its line is for the run after the one that opens it.
  if (opening.has(note.post)) {
    cycle.tally.notesPutOff += 1;
    return [];
  }
  const first = row.links[0]?.link.issue;
  const told: PlannedAction = {
    kind: "patch-note",
    post: note.post,
    title: titleOf(row),
    issue: first === undefined ? null : nameIssue(cycle, first),
    fields: { internalNote: line ?? null },
    before: note.line === undefined ? {} : { internalNote: note.line },
    reason,
    notifies: 0,
    when: "now",
  };
  const signature = noteSignature(line);
  return [{ kind: "patch-note", post: note.post, signature, lines: [told], note, line, text }];
}

/** As for any other write to the post. */
function isNoteStopped(row: Row): boolean {
  const isParked = parkedOf(row).some(({ action }) => action.kind === "patch-post");
  return (
    absence(row) !== undefined ||
    pauseOf(row) !== undefined ||
    isQuarantined(row) ||
    isParked ||
    row.openIntents.includes("patch-note")
  );
}

function lineOf(cycle: PulledCycle, { links }: Row): string | undefined {
  return backlinkLine(links.map(({ link }) => nameIssue(cycle, link.issue)));
}

/** Ends writes of unknown outcome that can't arrive any more: the note itself shows whether they did. */
async function endRested({ world, memory, pull }: PulledCycle): Promise<void> {
  const { ledger, policy, clock } = world;
  for (const { id, kind, state, unknownAt, at } of await ledger.journal.open(memory.id)) {
    const hasRested = pull.beganAt - (unknownAt ?? at) >= policy.waits.patchMs;
    if (kind !== "patch-note" || state !== "UNKNOWN" || !hasRested) continue;
    const message = "unsure; the note is looked at again";
    await ledger.commit([{ kind: "resolve", intent: id, state: "REJECTED", at: clock.now(), message }]);
  }
}

/** Writes notes, after everything else of the run. Nobody is notified for them, so the guard doesn't count them. */
export async function writeNotes(
  cycle: PulledCycle,
  writes: readonly NoteWrite[],
): Promise<ReadonlyMap<NoteWrite, Outcome>> {
  const outcomes = new Map<NoteWrite, Outcome>();
  await inParallel(writes, cycle.world.policy.concurrency, async (write) => {
    const outcome = await attempt(cycle, write.post, () => writeNote(cycle, write));
    if (outcome.kind === "wait") cycle.tally.notesPutOff += 1;
    outcomes.set(write, outcome);
  });
  return outcomes;
}

async function writeNote(cycle: PulledCycle, write: NoteWrite): Promise<Outcome> {
  const { note, line } = write;
  const row = await readRow(cycle, note.post);
  if (row === undefined || isNoteStopped(row)) return stillDue;
  const shown = isOpen(cycle, boardLane) ? await readNoteAgain(cycle, note) : undefined;
  if (!isOpen(cycle, boardLane)) return putOff(cycle, boardLane);
  if (lineOf(cycle, row) !== line || shown !== note.text) return stillDue;
  const turn = { lane: boardLane, pace: undefined, action: undefined };
  const { outcome } = await send<PatchOutcome>(cycle, turn, () =>
    isTooOld(cycle, note.page.askedAt) ? stillDue : requestOf(cycle, write),
  );
  return outcome;
}

/** The next pull reads the note anew. */
const stillDue: Outcome = waitForTurn("the note is still due");

function requestOf(cycle: PulledCycle, { note, line, text, signature }: NoteWrite): Request<PatchOutcome> {
  const { board, log } = cycle.world;
  const { id: project } = cycle.memory;
  const { post } = note;
  const change: NoteChange = { internalNote: text === "" ? null : text };
  return {
    post,
    reason,
    line: intentLine(cycle, { post, reason, kind: "patch-note", bodyHash: hashBody(change) }, signature),
    call: async () => withoutWords(await board.patchPost(project, post, change)),
    tell: () => ({
      kind: "patch-note",
      issue: undefined,
      fields: [{ field: "internalNote", value: line ?? null }],
    }),
    record: async (own) => {
      // It stays due until a listing shows the line.
      await own.world.ledger.commit([{ kind: "record-backlink", project, post, line, isDue: true }]);
      cycle.tally.postWrites += 1;
      log.info({ project: cycle.project.key, post, line: line ?? null }, "Internal note changed");
    },
    fail: (own, failure) =>
      failure.kind === "rejected"
        ? leave(own, note, failure.message)
        : failWrite(own, "board", { post, issue: undefined, claim }, failure),
  };
}

/** A board may quote the note in its refusal: of that nothing is kept. */
function withoutWords(outcome: PatchOutcome): PatchOutcome {
  if (outcome.kind === "applied") return outcome;
  const isForbidden = outcome.kind === "unauthorized" && outcome.detail === "forbidden";
  return { ...outcome, message: isForbidden ? forbidden : words[outcome.kind] };
}

const forbidden =
  "The board does not let this key change internal notes (HTTP 403): give it that right, or switch `backlink` off.";

const words: Readonly<Record<Failure<PatchOutcome>["kind"], string>> = {
  rejected: "The board refused the change of the internal note.",
  missing: "The board does not know this post (HTTP 404).",
  unauthorized: "The board refused the key.",
  limited: "The board limits requests (HTTP 429).",
  unsent: "The board can't be reached.",
  unknown: "The board gave no usable answer.",
};

const claim = "the internal note was changed";

/** A line that the board refuses is over until the post's issues change: nothing of it waits for a person. */
async function leave(cycle: PulledCycle, { post, line }: DueNote, why: string): Promise<Outcome> {
  const { id: project } = cycle.memory;
  await cycle.world.ledger.commit([{ kind: "record-backlink", project, post, line, isDue: false }]);
  const message = `${why} Nothing of it was changed, and it is not tried again until the post's issues change.`;
  return reportTrouble(cycle, { post, code: "board.note", message });
}
