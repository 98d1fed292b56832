import type { Intent, RepositoryMemory } from "../ledger/ledger.ts";
import type { Issue } from "../model/issue.ts";
import type { Row } from "../model/link.ts";
import type { FieldValue, RuleField } from "../model/post.ts";
import type { PatchPost } from "../plan/action.ts";
import { isSameValue } from "../plan/fields.ts";
import { recordApplied } from "../plan/plan.ts";
import { signatureOf } from "../plan/print.ts";
import { type PulledCycle, repositoryById } from "./cycle-state.ts";
import { findMarked } from "./pull-tracker.ts";

/** A change is sent at most this often; after that a person decides. */
const maxSends = 2;

/**
 * Finds out what became of writes whose outcome is unknown, once they have rested long enough. Nothing is ever repeated
 * because an answer was lost: what took effect is recorded, what provably did not is decided afresh, the rest is parked.
 */
export async function resolveUnknown(cycle: PulledCycle, isComplete: boolean): Promise<void> {
  const { ledger, clock, policy } = cycle.world;
  for (const intent of ledger.journal.open(cycle.memory.id)) {
    if (intent.state !== "UNKNOWN" || intent.unknownAt === undefined) continue;
    const restedMs = clock.now() - intent.unknownAt;
    switch (intent.kind) {
      case "create-issue":
        await resolveCreate(cycle, intent, restedMs >= policy.waits.createMs);
        break;
      case "patch-post":
        if (restedMs >= policy.waits.patchMs && isComplete) resolvePatch(cycle, intent);
        break;
      case "update-issue":
        // The next decision starts from a fresh read of the issue: nothing is lost, and nothing is doubled.
        settleIntent(
          cycle,
          intent,
          "REJECTED",
          "its outcome is unknown; the issue is read again and decided afresh",
        );
        break;
    }
  }
}

/** An issue whose marker a pull has shown is taken at once; that there is none is believed only after the wait. */
async function resolveCreate(cycle: PulledCycle, intent: Intent, hasRested: boolean): Promise<void> {
  const repository = repositoryById(cycle, intent.repository);
  if (repository === undefined) return;
  const shown = cycle.world.ledger.pulls.marked(cycle.memory.id, intent.post);
  if (shown === undefined && !hasRested) return;
  // A scan that breaks off throws: the outcome stays unknown, and nothing is opened.
  const found = await findMarked(cycle, repository, intent.post, intent.sentAt ?? intent.at);
  const issue = found[0] ?? shown?.issue;
  if (issue !== undefined) {
    reportDuplicates(cycle, repository, intent, found);
    takeFound(cycle, intent, issue);
  } else if (hasRested) {
    settleIntent(cycle, intent, "PREPARED", "no issue with its marker exists: it was not opened");
  }
}

/** As if the answer had arrived. */
function takeFound(cycle: PulledCycle, intent: Intent, issue: Issue): void {
  const { ledger, clock } = cycle.world;
  const ref = { repositoryId: issue.repositoryId, number: issue.number };
  ledger.transaction(() => {
    ledger.rows.link(
      cycle.memory.id,
      { post: intent.post, issue: ref, origin: "opened" },
      issue,
      intent.content,
    );
    ledger.rows.markDue(cycle.memory.id, [intent.post]);
    ledger.journal.resolve(intent.id, "DONE", clock.now(), `found by its marker as #${issue.number}`);
  });
  cycle.tally.created += 1;
}

function reportDuplicates(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  intent: Intent,
  found: readonly Issue[],
): void {
  if (found.length < 2) return;
  const numbers = found.map(({ number }) => `#${number}`).join(", ");
  cycle.tally.errors.push({
    post: intent.post,
    issue: `${repository.repository.name}#${found[0]?.number}`,
    code: "tracker.duplicate",
    message: `Several issues carry the marker of this post (${numbers}); the first is used. Close the others by hand.`,
  });
}

function resolvePatch(cycle: PulledCycle, intent: Intent): void {
  const { ledger, clock } = cycle.world;
  const row = ledger.rows.row(cycle.memory.id, intent.post, clock.now());
  // The post must have been listed after the write came to rest: an older look proves nothing.
  if (row?.seenAt === undefined || row.seenAt <= (intent.unknownAt ?? 0)) return;
  const writes = intent.writes ?? [];
  const now = (field: RuleField): FieldValue | undefined => shownValue(cycle, row, field);
  const isUnseen = writes.some(({ field }) => now(field) === undefined);
  const isApplied = !isUnseen && writes.every(({ field, value }) => isSameValue(field, now(field), value));
  const isUntouched =
    !isUnseen && writes.every(({ field, before }) => isSameValue(field, now(field), before));
  const isProven =
    isUntouched &&
    intent.updatedAtBefore !== undefined &&
    row.post.values.updatedAt === intent.updatedAtBefore;
  const isSilent = !writes.some(({ field }) => field === "status");
  if (isApplied) {
    ledger.transaction(() => {
      recordBases(cycle, row, intent);
      settleIntent(cycle, intent, "DONE", "the post shows what was sent");
    });
    cycle.tally.postWrites += 1;
    if (!isSilent) cycle.tally.statusWrites += 1;
  } else if (isUntouched && (isProven || isSilent) && intent.attempts < maxSends) {
    settleIntent(cycle, intent, "PREPARED", "the post shows that it was not applied");
  } else if (isUntouched || isUnseen) {
    parkUnsure(cycle, row, intent);
  } else {
    // A person has moved the post since: what is there now is theirs, and our write is part of the past.
    ledger.transaction(() => {
      recordBases(cycle, row, intent);
      settleIntent(cycle, intent, "DONE", "the post has been moved since");
    });
  }
}

/** The write that an intent stands for, as the plan would say it. */
function patchOf(intent: Intent): PatchPost {
  return {
    kind: "patch-post",
    post: intent.post,
    reason: intent.reason,
    notifies: null,
    writes: intent.writes ?? [],
  };
}

function recordBases(cycle: PulledCycle, row: Row, intent: Intent): void {
  const { ledger } = cycle.world;
  // A later listing is no answer to the write: people may have moved the post since. The next plan sees what is there.
  const base = recordApplied(row, patchOf(intent), undefined);
  ledger.rows.record(cycle.memory.id, intent.post, {
    base,
    standing: { kind: "linked", reason: intent.reason },
    notes: [],
    due: "now",
  });
}

function parkUnsure(cycle: PulledCycle, row: Row, intent: Intent): void {
  const { ledger, clock } = cycle.world;
  const fields = (intent.writes ?? []).map(({ field }) => field).join(", ");
  const message = `It is not known whether the change of ${fields} reached the board; voters may have been mailed. Look at the post, then \`boardsync retry ${intent.post}\` sends it again.`;
  ledger.transaction(() => {
    ledger.rows.park(cycle.memory.id, row.post.id, {
      kind: "patch-post",
      code: "board.unsure",
      message,
      since: clock.now(),
      signature: signatureOf(patchOf(intent), cycle.settings),
    });
    settleIntent(cycle, intent, "REJECTED", "unsure, parked");
  });
  cycle.tally.errors.push({ post: intent.post, code: "board.unsure", message });
}

function settleIntent(
  cycle: PulledCycle,
  intent: Intent,
  state: "DONE" | "REJECTED" | "PREPARED",
  message: string,
): void {
  const { ledger, clock } = cycle.world;
  ledger.transaction(() => {
    ledger.journal.resolve(intent.id, state, clock.now(), message);
    ledger.rows.markDue(cycle.memory.id, [intent.post]);
  });
}

function shownValue(cycle: PulledCycle, row: Row, field: RuleField): FieldValue | undefined {
  return row.post.values[field] ?? (cycle.seen.has(field) ? null : undefined);
}
