import type { Change } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type IssueRef, isSameIssue } from "../../model/issue.ts";
import type { LinkedIssue, Row } from "../../model/link.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { isOther } from "../../plan/namesake.ts";
import { inOrder } from "../../select.ts";
import { type Cycle, issueKey } from "./cycle-state.ts";
import { type Policy, pickProject, type Run, type World } from "./world.ts";

/** The row of a post as the state has it now; undefined for a post that no listing has shown. */
export async function readRow(cycle: Cycle, post: PostId): Promise<Row | undefined> {
  const { world, memory } = cycle;
  const row = await world.ledger.rows.row(memory.id, post, world.clock.now());
  return row && asRead(cycle, row);
}

/** The row by what this run could read. */
function asRead(cycle: Cycle, row: Row): Promise<Row> {
  return withMove(cycle, withoutUnread(cycle, row));
}

/** Whose row it is, and what is known of other projects. */
interface OfProject extends Pick<Cycle, "settings" | "memory"> {
  readonly world: { readonly ledger: Ledger; readonly policy: Pick<Policy, "projectKeys" | "waits"> };
  readonly run?: Partial<Pick<Run, "listed">>;
}

/**
 * Where a rule waits for the post to be gone, the row says whether it may have been moved: another project of the config lists what
 * may be the very post, or has not been listed as a whole since the post was missed.
 */
export async function withMove({ settings, memory, world, run }: OfProject, row: Row): Promise<Row> {
  const { ledger, policy } = world;
  if (row.missing < 2 || !settings.boardRules.some(({ when }) => when.missing === true)) return row;
  const others = policy.projectKeys
    .flatMap((key) => ledger.memory.project(key)?.id ?? pickProject(run?.listed ?? [], key)?.id ?? [])
    .filter((id) => id !== memory.id);
  // It is new to the state, so it has not been listed.
  if (others.some((id) => ledger.memory.projectById(id) === undefined)) return { ...row, mayHaveMoved: true };
  // A list may lag.
  const listedAfter = (row.missingSince ?? 0) + policy.waits.patchMs;
  for (const { project, isListed, pulledAt = 0 } of await ledger.lookup.elsewhere(row.post.id, others)) {
    const found = isListed ? await ledger.lookup.namesakes(project, [row.post.id]) : [];
    const isHere = found.some((namesake) => namesake.project === memory.id && !isOther(namesake));
    if (isHere || (!isListed && pulledAt < listedAfter)) return { ...row, mayHaveMoved: true };
  }
  return row;
}

/**
 * Of issues in repositories that could not be read nothing counts: neither as they are, nor as the end of a duplicate. Of one whose
 * signals could not be read its record alone counts.
 */
function withoutUnread({ unread, course: { stale } }: Cycle, row: Row): Row {
  if (unread.size === 0 && stale.size === 0) return row;
  const isUnread = (issue: IssueRef | undefined): boolean =>
    issue !== undefined && unread.has(issue.repositoryId);
  const links = row.links.map((linked): LinkedIssue => {
    if (linked.known === undefined || isUnread(linked.link.issue)) return { ...linked, known: undefined };
    const { canonical, signals, ...record } = linked.known;
    if (stale.has(issueKey(linked.link.issue))) return { ...linked, known: record };
    return isUnread(canonical?.issue)
      ? { ...linked, known: { ...record, ...(signals && { signals }) } }
      : linked;
  });
  return { ...row, links };
}

/**
 * Rows are read from the ledger this many at a time, so that a large board never stands in memory as a whole. What is recorded
 * of them lives until the batch is committed: with many more it outlives its youth there, and the process grows.
 */
const batchSize = 50;

/** Shows a visit the links to an issue that rows before it have just got. To be called before links of the issue are read. */
export type ShowLinks = (issue: IssueRef) => Promise<void>;

type Visit<C extends Cycle> = (cycle: C, row: Row, now: number, showLinks: ShowLinks) => Promise<void>;

/** Visits every row that is due, by post. */
export async function eachDueRow<C extends Cycle>(cycle: C, visit: Visit<C>): Promise<void> {
  for await (const { rows, now } of dueRows(cycle.world, cycle.memory.id, cycle.run)) {
    const shown = await inOrder(rows, (row) => asRead(cycle, row));
    await visitBatch(cycle, shown, (own, row, showLinks) => visit(own, row, now, showLinks));
  }
}

/** Visits the rows of posts as the state has them now. */
export async function eachRowOf<C extends Cycle>(
  cycle: C,
  posts: readonly PostId[],
  visit: (cycle: C, row: Row, now: number) => Promise<void>,
): Promise<void> {
  const { world, memory } = cycle;
  const now = world.clock.now();
  const rows = await world.ledger.rows.rows(memory.id, posts, now);
  const shown = await inOrder(rows, (row) => asRead(cycle, row));
  await visitBatch(cycle, shown, (own, row) => visit(own, row, now));
}

/**
 * The rows of a project that are due, by post, a batch at a time, each as of its time. Between two batches others have their turn: a
 * daemon answers while a large board is decided.
 */
export async function* dueRows(
  { ledger, clock }: Pick<World, "ledger" | "clock">,
  project: ProjectId,
  { bounds }: Pick<Run, "bounds">,
): AsyncGenerator<{ readonly rows: readonly Row[]; readonly now: number }, void> {
  let after: PostId | undefined;
  for (;;) {
    const now = clock.now();
    const rows = await ledger.rows.due(project, now, after, batchSize);
    yield { rows, now };
    after = rows.at(-1)?.post.id;
    if (rows.length < batchSize) return;
    await clock.sleep(0, bounds.signal);
  }
}

/**
 * What is recorded of a batch is committed as one; each row knows only of its own. Where a row comes to an issue that one before
 * it has just been linked to, that is committed first: an issue's text belongs to one post.
 */
async function visitBatch<C extends Cycle>(
  cycle: C,
  rows: readonly Row[],
  visit: (cycle: C, row: Row, showLinks: ShowLinks) => Promise<void>,
): Promise<void> {
  const { ledger } = cycle.world;
  let waiting: Change[] = [];
  const showLinks: ShowLinks = async (issue) => {
    if (!waiting.some((change) => change.kind === "link" && isSameIssue(change.link.issue, issue))) return;
    await ledger.commit(waiting);
    waiting = [];
  };
  const { own, take } = draft(cycle);
  for (const row of rows) {
    await visit(own, row, showLinks);
    waiting.push(...take());
  }
  if (waiting.length > 0) await ledger.commit(waiting);
}

/**
 * Does what belongs together: whatever `work` commits through the cycle that it is given is committed as one, when it has
 * ended; nothing is where it throws. What it reads there is as its own changes will leave it.
 */
export async function asOne<C extends Cycle, T>(cycle: C, work: (cycle: C) => Promise<T>): Promise<T> {
  const { own, take } = draft(cycle);
  const result = await work(own);
  const changes = take();
  if (changes.length > 0) await cycle.world.ledger.commit(changes);
  return result;
}

/** The changes that `work` would commit, which are left to the caller: those of many posts go together. */
export async function changesOf<C extends Cycle>(
  cycle: C,
  work: (cycle: C) => Promise<unknown>,
): Promise<readonly Change[]> {
  const { own, take } = draft(cycle);
  await work(own);
  return take();
}

/** A cycle whose commits are kept until they are taken. It reads as what it keeps will leave the state. */
export function draft<C extends Cycle>(cycle: C) {
  const { world } = cycle;
  const changes: Change[] = [];
  const ahead = world.ledger.after(() => changes);
  const kept: Pick<Ledger, "commit" | "after"> = {
    commit: async (more) => void changes.push(...more),
    after: (more) => world.ledger.after(() => [...changes, ...more()]),
  };
  const ledger = new Proxy(world.ledger, {
    get: (now, name) => Reflect.get([kept, ahead].find((one) => name in one) ?? now, name),
  });
  return { own: { ...cycle, world: { ...world, ledger } }, take: () => changes.splice(0) };
}
