import type { Intent } from "../../ledger/journal.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import { type Issue, isSameIssue, isSameRepository, refOf } from "../../model/issue.ts";
import type { ActionKind } from "../../plan/ground/action.ts";
import { planRow } from "../../plan/plan.ts";
import { inOrder, select } from "../../select.ts";
import { asOne } from "../ground/as-one.ts";
import { attempt, attemptNow } from "../ground/attempt.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { laneOf, laneOfIssue } from "../ground/lane.ts";
import { endIntent, recordAdopted } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { readRow } from "../ground/rows.ts";
import { isSameLogin } from "../read/identify.ts";
import { findMarked } from "../read/markers.ts";
import { askAgain, asProjectError } from "../read/repositories.ts";
import { parkAction, parkUnsure } from "../write/failure.ts";
import { resolveChange, resolveComment, resolveUpdate } from "./resolve-issue.ts";
import { resolvePatch } from "./resolve-patch.ts";
import { findSuspects } from "./suspects.ts";

/**
 * Finds out what became of writes whose outcome is unknown, once they have rested long enough. Nothing is ever repeated
 * because an answer was lost: what took effect is recorded, what provably did not is decided afresh, the rest is parked.
 */
export async function resolveUnknown(cycle: PulledCycle): Promise<void> {
  const unknown = (await cycle.world.ledger.journal.open(cycle.memory.id))
    .filter(isOfPlan)
    .filter(({ state }) => state === "UNKNOWN");
  for (const intent of unknown) {
    if (intent.kind === "patch-post") await attemptNow(cycle, intent.post, () => resolvePatch(cycle, intent));
    const lookAtIssue = issueResolvers[intent.kind];
    // An outcome that was recorded already only waits for its end; the issue need not be asked for again.
    const { repository: repositoryId = 0, number = 0 } = intent;
    const lane = laneOfIssue(cycle.world, { repositoryId, number });
    const isAskable = intent.takenAt !== undefined || isOpen(cycle, lane);
    if (lookAtIssue !== undefined && isAskable) {
      await attempt(cycle, intent, () => lookAtIssue(cycle, intent, hasRested(cycle, intent)));
    }
  }
  await resolveCreates(
    cycle,
    unknown.filter(({ kind }) => kind === "create-issue"),
  );
}

type PlannedIntent = Intent & { readonly kind: ActionKind };

/** What became of a write to a note is read from the note itself, in `sync/write/note.ts`. */
function isOfPlan(intent: Intent): intent is PlannedIntent {
  return intent.kind !== "patch-note";
}

/** Writes to issues that were there are looked up one by one. */
const issueResolvers: Partial<Record<ActionKind, typeof resolveUpdate>> = {
  "update-issue": resolveUpdate,
  "change-issue": resolveChange,
  "comment-issue": resolveComment,
};

/** One scan serves all of a repository; a scan that fails leaves its outcomes unknown, and stops nothing else. */
async function resolveCreates(cycle: PulledCycle, intents: readonly PlannedIntent[]): Promise<void> {
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
    await attempt(cycle, first, () => resolveGroup(cycle, repository, group));
  }
}

async function resolveGroup(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  intents: readonly Intent[],
): Promise<void> {
  // Our clock may be ahead of the tracker's: what is newest by its own clock bounds the look as well.
  const newest = repository.cursor === undefined ? 0 : Date.parse(repository.cursor);
  const oldest = Math.min(newest, ...intents.map(({ sentAt, at }) => sentAt ?? at));
  const known = await newestOwn(cycle, repository);
  const since = Math.min(oldest, ...known.map(({ createdAt }) => Date.parse(createdAt)));
  const { byPost, listed } = await findMarked(cycle, repository, since);
  const isProof = (await isSameStill(cycle, repository)) && (await isWhole(cycle, repository, known, listed));
  const lost = await select(intents, async (intent) => {
    const found = await select(
      byPost.get(intent.post) ?? [],
      async (issue) => !(await hasEnded(cycle, intent, issue)),
    );
    return !(await isTaken(cycle, intent, found[0]));
  });
  if (!isProof || lost.length === 0) return;
  const suspects = await findSuspects(cycle, repository.repository, oldest);
  for (const intent of lost) {
    if (await isTaken(cycle, intent)) continue;
    if (suspects.length > 0) await parkOpening(cycle, intent, suspects);
    else {
      await endIntent(cycle, intent, "PREPARED", "no issue with its marker exists: it was not opened");
      if (intent.attempts >= mostOpenings) await giveUp(cycle, intent, repository);
    }
  }
}

/** Takes an issue as the one that was opened; false where none is known. */
async function isTaken(cycle: PulledCycle, intent: Intent, listed?: Issue): Promise<boolean> {
  const issue = listed ?? (await shownIssue(cycle, intent));
  if (issue !== undefined) await takeFound(cycle, intent, issue);
  return issue !== undefined;
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
  const decision = row && planRow(row, await cycle.context(cycle.world.clock.now()));
  const action = decision?.actions.find(({ kind }) => kind === "create-issue");
  if (action === undefined) return;
  const message = `GitHub gave no answer to ${attempts} requests to open the issue, and none of them has opened it. \`boardsync retry ${post}\` tries it again.`;
  await parkAction(cycle, action, { place: name, code: "tracker.rejected", message });
}

/**
 * Whether a list that shows no issue proves that there is none: where issues are off it shows none at all, and a name may
 * have been given to another repository.
 */
async function isSameStill(cycle: PulledCycle, listed: RepositoryMemory): Promise<boolean> {
  try {
    const { repository } = await askAgain(cycle, listed);
    return repository.hasIssues && isSameRepository(repository.name, listed.repository.name);
  } catch (error) {
    const { code, message } = asProjectError(error);
    noteError(cycle.tally, { code, message });
    return false;
  }
}

/** So many linked issues, the newest first, are looked at for some that we have opened, and so many of these are enough. */
const mostLookedAt = 20;
const mostSamples = 3;

/** The newest linked issues of a repository that we have opened. */
async function newestOwn(
  { world: { ledger, clock } }: PulledCycle,
  { repository: { id } }: RepositoryMemory,
): Promise<readonly Issue[]> {
  const all = await ledger.pulls.linkedIssues(id);
  const newest = all.toSorted((one, other) => other.number - one.number).slice(0, mostLookedAt);
  const own = await inOrder(newest, async (issue) => {
    const [linked] = await ledger.rows.linkedTo(issue);
    const row = linked && (await ledger.rows.row(linked.project, linked.post, clock.now()));
    const found = row?.links.find(({ link }) => isSameIssue(link.issue, issue));
    const isOurs = found?.link.origin === "opened" || found?.link.origin === "adopted";
    return isOurs ? (found.known?.issue ?? []) : [];
  });
  return own.flat().slice(0, mostSamples);
}

/** A list that lacks an issue of ours which is there may lack the one that is looked for, too. */
async function isWhole(
  cycle: PulledCycle,
  { name }: RepositoryMemory,
  known: readonly Issue[],
  listed: ReadonlySet<number>,
): Promise<boolean> {
  for (const issue of known) {
    if (listed.has(issue.number)) return true;
    const answer = await cycle.world.tracker.readIssue(issue, cycle.run.bounds);
    const isOurs = answer.kind === "found" && isSameLogin(answer.record.author, cycle.account);
    if (!isOurs && answer.kind !== "refused") continue;
    const message = `The list of issues in ${name} lacks #${issue.number}: what became of openings without an answer stays open until it shows that.`;
    noteError(cycle.tally, { issue: name, code: "tracker.unreadable", message });
    return false;
  }
  return true;
}

/** Whether what was sent can't arrive any more. An issue whose marker a pull has shown is taken before that. */
function hasRested({ world: { clock, policy } }: PulledCycle, { unknownAt }: Intent): boolean {
  return unknownAt !== undefined && clock.now() - unknownAt >= policy.waits.createMs;
}

async function shownIssue({ world, memory }: PulledCycle, { post }: Intent): Promise<Issue | undefined> {
  return (await world.ledger.pulls.marked(memory.id, post))?.issue;
}

/** Whether a person has ended the link of this post and issue: it was opened before what was sent. */
async function hasEnded({ world, memory }: PulledCycle, { post }: Intent, issue: Issue): Promise<boolean> {
  const mark = { issue, isOwn: true, project: memory.id, posts: [post] };
  const [known] = await world.ledger.pulls.marks([mark]);
  return (known?.ended.length ?? 0) > 0;
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
