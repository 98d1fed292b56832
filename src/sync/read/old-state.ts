import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory, RepositoryMemory } from "../../ledger/memory.ts";
import type { KnownMark, MarkedIssue } from "../../ledger/pulls.ts";
import type { Issue, RepositoryId, RepositoryName } from "../../model/issue.ts";
import { type Cycle, nameIssue, type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { isPreview } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import { findSynced } from "../ground/settings-now.ts";
import { type Policy, repositoryNames } from "../ground/world.ts";
import { foldLogin } from "./identify.ts";

/** A clock of the tracker and ours may differ by this much. */
const skewMs = 120_000;

/** Until when what the state knows of a project is that of an old copy, epoch ms; undefined where it is none. */
export function stampOf(
  { copiedAt }: Pick<Ledger, "copiedAt">,
  { rebuildStamp }: Pick<ProjectMemory, "rebuildStamp">,
): number | undefined {
  return rebuildStamp === undefined ? copiedAt : Math.max(rebuildStamp, copiedAt ?? rebuildStamp);
}

/** Whether the state is a copy that was put back, or is rebuilt, and this project has not yet been taken as it is since. */
export function isRecovering(cycle: Cycle): boolean {
  const memory = projectNow(cycle);
  const stamp = stampOf(cycle.world.ledger, memory);
  return stamp !== undefined && stamp !== memory.recoveredFrom;
}

/** What tells whether an earlier life of the state may still have requests under way. */
interface EarlierLife extends Pick<PulledCycle, "settings"> {
  readonly world: { readonly ledger: Ledger; readonly policy: Pick<Policy, "waits"> };
}

/**
 * Until when a request of an earlier life of the state may still take effect, or show up in a list that lags; epoch ms.
 * `-Infinity` for a state that was never lost. It is looked up each time, because this run's own scan may find out that the
 * state is old.
 */
export function restOf({ world: { ledger, policy }, settings }: EarlierLife): number {
  const recovered = repositoryNames(settings).map(
    (name) => ledger.memory.repository(name)?.recoveredAt ?? Number.NEGATIVE_INFINITY,
  );
  return Math.max(...recovered) + policy.waits.createMs;
}

/**
 * Why a write may be overtaken by one that this state knows nothing of, as words; undefined when it can't.
 *
 * @param lookedAt when it was looked whether its effect is there, epoch ms: of a list, its beginning.
 */
export function earlierRequestOf(cycle: PulledCycle, lookedAt = cycle.world.clock.now()): string | undefined {
  const restUntil = restOf(cycle);
  if (lookedAt >= restUntil) return undefined;
  return `the state was lost or restored, and a request that was sent before that may still arrive: new issues, new posts and edits wait until ${new Date(restUntil).toISOString()}`;
}

/** In the place of a time: the state that was lost or restored knew of a change of an issue that was under way. */
export const unsettled = 0;

/** Whether an earlier life may have changed issues, and no pair has been looked at since that is over. */
export function awaitsEarlierLife(cycle: EarlierLife & Pick<Cycle, "memory">): boolean {
  const { settledAt } = cycle.world.ledger.memory.project(cycle.memory.key) ?? cycle.memory;
  const { boardRules, issue } = cycle.settings;
  const isChanging = boardRules.length > 0 || issue.voteLabels !== undefined || settledAt === unsettled;
  return isChanging && (settledAt ?? Number.NEGATIVE_INFINITY) < restOf(cycle);
}

/** Whether a repository was scanned in a life of the state that is over. */
export function isOutdated(
  cycle: Cycle,
  { scannedAt }: RepositoryMemory,
  stamp = stampOf(cycle.world.ledger, projectNow(cycle)),
): boolean {
  return stamp !== undefined && scannedAt !== undefined && scannedAt <= stamp;
}

/**
 * Whether an issue that carries our marker shows that the state is older than the world: our own account opened it, for a
 * project that has run before, and the state knows neither the issue nor a request that could have opened it. A copy that
 * nobody stamped (a snapshot of the disk) is found out by this, as soon as an issue has been opened since it was made.
 */
export function isFromLaterLife(
  cycle: Cycle,
  { repositoryId, createdAt }: Issue,
  marked: MarkedIssue,
  { isExplained }: KnownMark,
): boolean {
  const { world, run } = cycle;
  if (!marked.isOwn || isExplained) return false;
  // Of a project that is new to this config, or not in it, another instance may have opened the issues.
  if (findSynced(world, marked.project)?.settingsPrint === undefined) return false;
  const openedAt = Date.parse(createdAt);
  const { recoveredAt } = world.ledger.memory.repositoryById(repositoryId) ?? {};
  // A request of an earlier life may still arrive for a while after its end was noticed: that is old news.
  if (recoveredAt !== undefined && openedAt <= recoveredAt + world.policy.waits.createMs) return false;
  // A plan works on a copy of its own, while the daemon that has the state goes on opening issues.
  return !(isPreview(run) && openedAt >= run.startedAt - skewMs);
}

/** Makes the state say of itself that it is old: every project of it begins in recovery, once, whatever happens next. */
export async function sayOld(cycle: Cycle, { issue, posts }: MarkedIssue): Promise<void> {
  const { ledger, clock, policy } = cycle.world;
  const now = clock.now();
  // A moment ago: whatever is scanned from now on is newer than the copy.
  await ledger.commit([{ kind: "declare-old", at: now - 1 }]);
  const until = new Date(now + policy.waits.createMs).toISOString();
  noteError(cycle.tally, {
    post: posts[0],
    issue: nameIssue(cycle, issue),
    code: "state.old",
    message: `The issue carries our mark, and the state knows nothing of it: the state is an old copy that was put back. So both sides are taken as they are, once, for each of its projects: nothing is written for what differs, and new issues wait until ${until}. \`boardsync rebuild\` lists what differs.`,
  });
}

/** Logins whose issues have not been looked through since this state is what it is. */
export function authorsToScan(cycle: Cycle, known: RepositoryMemory, stamp?: number): readonly string[] {
  const logins = ourLogins(cycle);
  if (known.scannedAt === undefined || isOutdated(cycle, known, stamp) || hasRested(cycle, known))
    return logins;
  if (formerBoards(cycle).some((board) => !known.scannedFor.includes(board))) return logins;
  return logins.filter((login) => !known.scannedFor.includes(foldLogin(login)));
}

/**
 * Whether a wait for what an earlier life had under way is over since the last scan. What took effect in that time need not
 * have been among the changes: a list that lags shows it behind others.
 */
export function hasRested(
  { world: { clock, policy } }: Cycle,
  { scannedAt, recoveredAt }: RepositoryMemory,
): boolean {
  if (scannedAt === undefined || recoveredAt === undefined) return false;
  const restedAt = recoveredAt + policy.waits.createMs;
  return scannedAt < restedAt && clock.now() >= restedAt;
}

/**
 * Whether every marker of ours in a repository is known. Only then can an issue be opened there, and only then can a marker
 * be unexpected.
 *
 * @param stamp - until when what is known is that of an old copy, epoch ms; left out: the project's own.
 */
export function isScanned(cycle: Cycle, wanted: RepositoryId | RepositoryName, stamp?: number): boolean {
  const { memory } = cycle.world.ledger;
  const known = typeof wanted === "number" ? memory.repositoryById(wanted) : memory.repository(wanted);
  return known !== undefined && authorsToScan(cycle, known, stamp).length === 0;
}

/** Earlier addresses of the board, by their hashes; no login has a colon. */
export function formerBoards({ world: { policy } }: Cycle): readonly string[] {
  return policy.formerBoards.map((board) => `board:${board}`);
}

/** Our own account and those whose markers count like ours, each once. */
export function ourLogins({ account, world: { policy } }: Cycle): readonly string[] {
  const logins = [account, ...policy.trustedAuthors];
  return logins.filter(
    (login, at) => logins.findIndex((other) => foldLogin(other) === foldLogin(login)) === at,
  );
}
