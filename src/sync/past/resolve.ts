import type { Intent } from "../../ledger/journal.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import { type Issue, refOf } from "../../model/issue.ts";
import { select } from "../../select.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { laneOf, laneOfIssue } from "../ground/lane.ts";
import { endIntent, planNow, recordAdopted } from "../ground/record.ts";
import { attempt, attemptNow, noteError } from "../ground/report.ts";
import { asOne, readRow } from "../ground/rows.ts";
import { askRepositoryAgain, asProjectError } from "../read/repositories.ts";
import { parkAction, parkUnsure } from "../write/failure.ts";
import { resolveChange, resolveComment, resolveUpdate } from "./resolve-issue.ts";
import { resolvePatch } from "./resolve-patch.ts";
import { lookForOpened, shownIssue } from "./suspects.ts";

/**
 * Finds out what became of writes whose outcome is unknown, once they have rested long enough. Nothing is ever repeated
 * because an answer was lost: what took effect is recorded, what provably did not is decided afresh, the rest is parked.
 */
export async function resolveUnknown(cycle: PulledCycle): Promise<void> {
  const open = await cycle.world.ledger.journal.open(cycle.memory.id);
  const unknown = open.filter(({ state }) => state === "UNKNOWN");
  for (const intent of unknown) {
    if (intent.kind === "patch-post") await attemptNow(cycle, intent.post, () => resolvePatch(cycle, intent));
    const lookAtIssue = issueResolvers[intent.kind];
    // An outcome that was recorded already only waits for its end; the issue need not be asked for again.
    const { repository: repositoryId = 0, number = 0 } = intent;
    const lane = laneOfIssue(cycle.world, { repositoryId, number });
    const isAskable = intent.takenAt !== undefined || isOpen(cycle, lane);
    if (lookAtIssue !== undefined && isAskable) {
      await attempt(cycle, intent.post, () => lookAtIssue(cycle, intent, hasRested(cycle, intent)));
    }
  }
  await resolveCreates(
    cycle,
    unknown.filter(({ kind }) => kind === "create-issue"),
  );
}

/**
 * Writes to issues that were there are looked up one by one. What became of a write to a note is read from the note itself, in
 * `sync/write/note.ts`.
 */
const issueResolvers: Partial<Record<Intent["kind"], typeof resolveUpdate>> = {
  "update-issue": resolveUpdate,
  "change-issue": resolveChange,
  "comment-issue": resolveComment,
};

/** One scan serves all of a repository; a scan that fails leaves its outcomes unknown, and stops nothing else. */
async function resolveCreates(cycle: PulledCycle, intents: readonly Intent[]): Promise<void> {
  const ready = await select(
    intents,
    async (intent) => hasRested(cycle, intent) || (await shownIssue(cycle, intent)) !== undefined,
  );
  for (const [id, group] of Map.groupBy(ready, ({ repository }) => repository)) {
    // A repository that posts are no longer routed to still has to answer for what was sent there.
    const repository = id === undefined ? undefined : cycle.world.ledger.memory.repositoryById(id);
    const [first] = group;
    if (repository === undefined || first === undefined) continue;
    if (!isOpen(cycle, laneOf(cycle.world, repository.repository.name))) continue;
    await attempt(cycle, first.post, () => resolveGroup(cycle, repository, group));
  }
}

async function resolveGroup(
  cycle: PulledCycle,
  known: RepositoryMemory,
  intents: readonly Intent[],
): Promise<void> {
  const repository = await askWhole(cycle, known);
  if (repository === undefined) return;
  const sentAt = Math.min(...intents.map((intent) => intent.sentAt ?? intent.at));
  // Our clock may be ahead of the tracker's: by its own it is as late as what is newest there, at least.
  const newest = repository.cursor === undefined ? 0 : Date.parse(repository.cursor);
  const oldest = Math.min(sentAt, newest - (cycle.world.clock.now() - sentAt));
  const { suspects, unlisted } = await lookForOpened(cycle, repository.repository, intents, oldest);
  if (unlisted !== undefined) {
    const message = `The list of issues in ${known.name} lacks #${unlisted.number}: what became of openings without an answer stays open until it shows that.`;
    noteError(cycle.tally, { issue: known.name, code: "tracker.unreadable", message });
  }
  for (const intent of intents) {
    const issue = await shownIssue(cycle, intent);
    if (issue !== undefined) await takeFound(cycle, intent, issue);
    if (issue !== undefined || unlisted !== undefined) continue;
    if (suspects.length > 0) await parkOpening(cycle, intent, suspects);
    else {
      await endIntent(cycle, intent, "PREPARED", "no issue with its marker exists: it was not opened");
      if (intent.attempts >= mostOpenings) await giveUp(cycle, intent, repository);
    }
  }
}

/** A second issue is worse than a question. */
async function parkOpening(cycle: PulledCycle, intent: Intent, suspects: readonly string[]): Promise<void> {
  const { post, bodyHash: signature } = intent;
  const [first = "", ...others] = suspects;
  const more = others.length === 0 ? "" : ` (or ${others.slice(0, 2).join("; or ")})`;
  const message = `GitHub gave no answer when the issue was to be opened, and it may have been: it may be ${first}${more}. If it is, \`boardsync link ${post} OWNER/REPO#N\` links it; if not, \`boardsync retry ${post}\` opens one.`;
  await parkUnsure(cycle, intent, { kind: "create-issue", signature }, { code: "tracker.unsure", message });
}

/** While everything else of the repository is answered, so many openings without an answer are no outage any more. */
const mostOpenings = 5;

/** What is asked for still waits for a person: it is as if GitHub had refused it. */
async function giveUp(
  cycle: PulledCycle,
  { post, attempts }: Intent,
  { name }: RepositoryMemory,
): Promise<void> {
  const row = await readRow(cycle, post);
  const decision = row && (await planNow(cycle, row));
  const action = decision?.actions.find(({ kind }) => kind === "create-issue");
  if (action === undefined) return;
  const message = `GitHub gave no answer to ${attempts} requests to open the issue, and none of them has opened it. \`boardsync retry ${post}\` tries it again.`;
  await parkAction(cycle, action, { issue: name, code: "tracker.rejected", message });
}

/** The repository as it is now; undefined where its list can prove nothing: where issues are off it shows none at all. */
async function askWhole(cycle: PulledCycle, known: RepositoryMemory): Promise<RepositoryMemory | undefined> {
  try {
    const found = await askRepositoryAgain(cycle, known);
    if (found.repository.hasIssues) return found;
    const message = `Issues are switched off in ${known.name}, so what became of openings without an answer stays open. Switch them on in the repository's settings.`;
    noteError(cycle.tally, { issue: known.name, code: "tracker.no-issues", message });
    return undefined;
  } catch (error) {
    noteError(cycle.tally, asProjectError(error));
    return undefined;
  }
}

/** Whether what was sent can't arrive any more. An issue whose marker a pull has shown is taken before that. */
function hasRested({ world: { clock, policy } }: PulledCycle, { unknownAt }: Intent): boolean {
  return unknownAt !== undefined && clock.now() - unknownAt >= policy.waits.createMs;
}

/**
 * The issue was opened, as if the answer had arrived. Another post may follow it by now, and what it shows may be our own
 * doing for that one. Then both sides are taken as they are, so that no first plan notifies the voters of this post.
 */
async function takeFound(cycle: PulledCycle, intent: Intent, issue: Issue): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { id: project } = cycle.memory;
  const now = clock.now();
  const { post, content } = intent;
  const ref = refOf(issue);
  const isShared = (await ledger.rows.linkedTo(ref, "withDuplicates")).length > 0;
  const message = `found by its marker as #${issue.number}`;
  await asOne(cycle, async (own) => {
    await own.world.ledger.commit([
      { kind: "link", project, link: { post, issue: ref, origin: "opened" }, issue, content },
      { kind: "mark-due", project, which: [post] },
      { kind: "resolve", intent: intent.id, state: "DONE", at: now, message },
    ]);
    const row = isShared ? await readRow(own, post) : undefined;
    if (row !== undefined) await recordAdopted(own, row, now, "now");
  });
  cycle.tally.created += 1;
}
