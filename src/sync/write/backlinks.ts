import type { PatchOutcome } from "../../board/board.ts";
import type { Row } from "../../model/link.ts";
import type { NoteChange, PostId } from "../../model/post.ts";
import { hashText } from "../../plan/hash.ts";
import { absence } from "../../plan/obstacle.ts";
import { backlinkLine, hasLine, replaceLine } from "../../plan/text/backlink.ts";
import { type DueNote, isOpen, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { boardLane } from "../ground/lane.ts";
import { noteError } from "../ground/report.ts";
import { postsWith, type Wanted } from "../ground/wanted.ts";
import { readNoteAgain } from "../read/look-again.ts";
import { inParallel } from "./apply.ts";
import { prepare } from "./intents.ts";
import { noteClosure } from "./outcome.ts";

/** A note that gets another line of ours, and what it is then. */
export interface NoteWrite {
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
export function decideNotes(cycle: PulledCycle, wanted: readonly Wanted[]): readonly NoteWrite[] {
  endRested(cycle);
  if (cycle.tally.hold !== undefined) return [];
  const opening = postsOpening(cycle, wanted);
  return cycle.pull.notes.flatMap((note) => decideNote(cycle, note, opening));
}

/** A saved plan opens what it names, whatever else is wanted: a note of it waits when its turn comes. */
function postsOpening({ run }: PulledCycle, wanted: readonly Wanted[]): ReadonlySet<PostId> {
  return run.mode === "apply" ? new Set() : postsWith(wanted, "create-issue");
}

function decideNote(cycle: PulledCycle, note: DueNote, opening: ReadonlySet<PostId>): readonly NoteWrite[] {
  const { ledger, clock, log } = cycle.world;
  const { id: project } = cycle.memory;
  const row = ledger.rows.row(project, note.post, clock.now());
  if (row === undefined || isStopped(row)) return [];
  const line = lineOf(cycle, row);
  const text = replaceLine(note.text, note.line, line);
  if (text === note.text || (line === undefined && note.line === undefined)) {
    ledger.backlinks.record(project, note.post, line, false);
    return [];
  }
  if (line !== undefined && line === note.line && !hasLine(note.text, line)) {
    log.warn(
      { project: cycle.project.key, post: note.post, line },
      "The line in the post's internal note did not stick, or someone has taken it away; it is not written again until the post's issues change",
    );
    ledger.backlinks.record(project, note.post, line, false);
    return [];
  }
  // Nobody knows the new issue's number yet: its line is for the run after the one that opens it.
  if (opening.has(note.post)) {
    cycle.tally.notesPutOff += 1;
    return [];
  }
  if (cycle.run.mode === "plan") planNote(cycle, row, line);
  return [{ note, line, text }];
}

/** As for any other write to the post. */
function isStopped(row: Row): boolean {
  const isParked = row.parked.some(({ kind }) => kind === "patch-post");
  return (
    absence(row) !== undefined || row.isQuarantined || isParked || row.openIntents.includes("patch-note")
  );
}

function lineOf(cycle: PulledCycle, { links }: Row): string | undefined {
  return backlinkLine(links.map(({ link }) => nameIssue(cycle, link.issue)));
}

/** Of a note nothing is shown but our own line. */
function planNote(cycle: PulledCycle, row: Row, line: string | undefined): void {
  const first = row.links[0]?.link.issue;
  cycle.tally.planned.push({
    kind: "patch-note",
    post: row.post.id,
    issue: first === undefined ? null : nameIssue(cycle, first),
    fields: { internalNote: line ?? null },
    reason,
    notifies: 0,
    when: "now",
  });
}

/** What was sent can't arrive any more: whether it did, the note tells by itself. */
function endRested({ world, memory, pull }: PulledCycle): void {
  const { ledger, policy, clock } = world;
  for (const { id, kind, state, unknownAt, at } of ledger.journal.open(memory.id)) {
    const hasRested = pull.beganAt - (unknownAt ?? at) >= policy.waits.patchMs;
    if (kind !== "patch-note" || state !== "UNKNOWN" || !hasRested) continue;
    ledger.journal.resolve(id, "REJECTED", clock.now(), "unsure; the note is looked at again");
  }
}

/** Writes notes, after everything else of the run. Nobody is mailed for them, so the guard doesn't count them. */
export async function writeNotes(cycle: PulledCycle, writes: readonly NoteWrite[]): Promise<void> {
  await inParallel(writes, cycle.world.policy.concurrency, (write) => writeNote(cycle, write));
}

async function writeNote(cycle: PulledCycle, { note, line, text }: NoteWrite): Promise<void> {
  const { ledger, clock, board } = cycle.world;
  const { id: project } = cycle.memory;
  const { post } = note;
  const row = ledger.rows.row(project, post, clock.now());
  if (row === undefined || isStopped(row)) return;
  const isSame = isOpen(cycle, boardLane) && (await readNoteAgain(cycle, note)) === note.text;
  // What waits is still due, and the next pull reads the note anew.
  if (lineOf(cycle, row) !== line || !isSame || !isOpen(cycle, boardLane)) {
    cycle.tally.notesPutOff += 1;
    return;
  }
  const change: NoteChange = { internalNote: text === "" ? null : text };
  const bodyHash = hashText(JSON.stringify(change));
  const intent = prepare(cycle, { kind: "patch-note", post, reason, bodyHash });
  ledger.journal.markSent(intent, clock.now());
  const outcome = withoutWords(await board.patchPost(project, post, change));
  noteClosure(cycle, boardLane, outcome);
  ledger.transaction(() => {
    const message = outcome.kind === "applied" ? "accepted" : outcome.message;
    ledger.journal.resolve(intent, stateOf(outcome), clock.now(), message);
    audit(cycle, post, line, outcome);
    recordOutcome(cycle, note, line, outcome);
  });
}

/** A board may quote the note in its refusal: of that nothing is kept. */
function withoutWords(outcome: PatchOutcome): PatchOutcome {
  return outcome.kind === "applied" ? outcome : { ...outcome, message: words[outcome.kind] };
}

const words: Readonly<Record<Exclude<PatchOutcome["kind"], "applied">, string>> = {
  rejected: "The board refused the change of the internal note.",
  missing: "The board does not know this post (HTTP 404).",
  unauthorized: "The board refused the key.",
  limited: "The board limits requests (HTTP 429).",
  unsent: "The board can't be reached.",
  unknown: "The board's answer does not say whether the internal note was changed.",
};

function stateOf({ kind }: PatchOutcome): "DONE" | "REJECTED" | "PREPARED" | "UNKNOWN" {
  switch (kind) {
    case "applied":
      return "DONE";
    case "rejected":
    case "missing":
      return "REJECTED";
    case "limited":
    case "unauthorized":
    case "unsent":
      return "PREPARED";
    case "unknown":
      return "UNKNOWN";
  }
}

function recordOutcome(
  cycle: PulledCycle,
  { post, line: previous }: DueNote,
  line: string | undefined,
  outcome: PatchOutcome,
): void {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  switch (outcome.kind) {
    case "applied":
      // It stays due until a listing shows the line.
      ledger.backlinks.record(project, post, line, true);
      cycle.tally.postWrites += 1;
      log.info({ project: cycle.project.key, post, line: line ?? null }, "Internal note changed");
      return;
    case "rejected": {
      ledger.backlinks.record(project, post, previous, false);
      const message = `${outcome.message} Nothing of it was changed, and it is not tried again until the post's issues change.`;
      noteError(cycle.tally, { post, code: "board.note", message });
      return;
    }
    case "missing":
      ledger.rows.markMissing(project, post);
      noteError(cycle.tally, { post, code: "board.missing", message: outcome.message });
      return;
    case "limited":
      return;
    case "unauthorized":
    case "unsent":
      noteError(cycle.tally, {
        post,
        code: outcome.kind === "unsent" ? "board.unreachable" : "board.unauthorized",
        message: outcome.message,
      });
      return;
    case "unknown": {
      const message = `${outcome.message} It is read again before anything is sent.`;
      noteError(cycle.tally, { post, code: "board.unknown", message });
      return;
    }
  }
}

function audit(
  { world, run, memory }: PulledCycle,
  post: PostId,
  line: string | undefined,
  outcome: PatchOutcome,
): void {
  world.ledger.journal.audit({
    at: world.clock.now(),
    run: run.number,
    side: "board",
    project: memory.id,
    post,
    issue: undefined,
    kind: "patch-note",
    fields: [{ field: "internalNote", value: line ?? null }],
    reason,
    outcome: outcome.kind,
    message: outcome.kind === "applied" ? undefined : outcome.message,
    isApproved: false,
  });
}
