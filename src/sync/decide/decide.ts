import type { Intent } from "../../ledger/journal.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { type Decision, isNotifying } from "../../plan/ground/action.ts";
import { absence } from "../../plan/ground/obstacle.ts";
import { isUndecidable, wishesOf } from "../../plan/plan.ts";
import { chunks, inOrder } from "../../select.ts";
import { issueKey, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { isPreview, takesAsItIs } from "../ground/order.ts";
import { outcomeOf, planNow, recordDecision } from "../ground/record.ts";
import { attemptNow, noteError } from "../ground/report.ts";
import { eachDueRow, readRow, type ShowLinks } from "../ground/rows.ts";
import { isFree, isFreeCreate, type Judged, postsWith, type Wanted, waitForTurn } from "../ground/verdict.ts";
import { countVoters } from "../ground/voters.ts";
import { isAbsenceSaid } from "../read/absent.ts";
import { holdsOfNamesakes } from "../read/namesakes.ts";
import { holdsOfNaming } from "../read/naming.ts";
import { holdsOfOtherMarks } from "../read/other-marks.ts";
import { holdsOfPublic } from "../read/visibility.ts";
import { adoptMarked, adoptOrdered } from "./adopt.ts";
import { takeApprovals } from "./approvals.ts";
import { decideImports } from "./imports.ts";
import { judge } from "./judge.ts";
import { holdsOfImports } from "./named.ts";
import { takeRequests } from "./requests.ts";
import { wantAll } from "./want.ts";

/** What a run wants to write, when the guard has looked over it. */
export interface Decided {
  readonly judged: readonly Judged[];
  /** What is left to the next run, because it follows something that this one writes. */
  readonly following: readonly Judged[];
}

/**
 * Decides every due row. What needs no write is recorded at once; a row with actions stays due until they are done. Then
 * the guard looks over all of it, before the first write.
 */
export async function decide(cycle: PulledCycle): Promise<Decided> {
  await takeRequests(cycle);
  const wanted: Wanted[] = [];
  const unsettled = new Set<PostId>();
  const settling: Settling[] = [];
  const { progress } = cycle.world;
  let done = 0;
  await eachDueRow(cycle, async (own, row, now, showLinks) => {
    done += 1;
    // A board that has just grown takes a while, and the pages' bar has come to its end by then.
    if (done % shownAtOnce === 0)
      progress?.show({ project: cycle.project.key, what: "posts decided", done, total: undefined });
    const decided = await attemptNow(own, row.post.id, () => decideRow(own, row, now, showLinks, settling));
    if (decided === undefined || decided === "undecidable") unsettled.add(row.post.id);
    else wanted.push(...decided);
  });
  saySettling(cycle, settling);
  const imports = await decideImports(cycle);
  for (const post of imports.unsettled) unsettled.add(post);
  const held = await holdCreates(cycle, wanted);
  const open = await cycle.world.ledger.journal.open(cycle.memory.id);
  for (const { post } of open) unsettled.add(post);
  const asked = await takeApprovals(cycle, [...held, ...imports.wanted], unsettled);
  const decided = putBehind(await leastTriedFirst(cycle, open, await judge(cycle, asked)));
  await recordHeld(cycle, decided.judged, decided.following);
  await dropUnwanted(cycle, open, decided.judged);
  return decided;
}

const shownAtOnce = 500;

/** What holds new issues. What a person lets go was shown to be public last. */
const holders = [holdsOfOtherMarks, holdsOfImports, holdsOfNaming, holdsOfNamesakes, holdsOfPublic] as const;

/** Says of new issues why a person has to let them go: each by the first of the causes that it has. */
async function holdCreates(cycle: PulledCycle, wanted: readonly Wanted[]): Promise<readonly Wanted[]> {
  let all = wanted;
  for (const holdsOf of holders) {
    const creates = all.filter(isFreeCreate);
    if (creates.length === 0) return all;
    const holdOf = await holdsOf(cycle, creates);
    all = await inOrder(all, async (action) => {
      const hold = isFreeCreate(action) ? await holdOf(action) : undefined;
      return hold === undefined ? action : { ...action, hold };
    });
  }
  return all;
}

/** Decides one row as it is now, and records what needs no write. */
async function decideRow(
  cycle: PulledCycle,
  row: Row,
  now: number,
  showLinks: ShowLinks,
  settling: Settling[],
): Promise<readonly Wanted[] | "undecidable"> {
  if (row.hasStrayMark && (await adoptMarked(cycle, row, now, showLinks))) return [];
  if (takesAsItIs(cycle.run)) {
    await adoptOrdered(cycle, row, now);
    return [];
  }
  const decision = await planNow(cycle, row, now);
  await sayUndecided(cycle, row, decision);
  settling.push(...settlingOf(cycle, row, decision));
  const { row: left, told } = await recordDecision(cycle, row, decision, now);
  if (decision.actions.length === 0 && isUndecidable(row, decision)) return "undecidable";
  const waited = row.notes?.filter(({ kind }) => kind === "waiting") ?? [];
  const others = left.notes.filter(({ kind }) => kind !== "waiting");
  return wantAll(cycle, { ...left, notes: [...others, ...waited] }, decision, told);
}

/**
 * The order in which a plan names them and a run sends them. What was refused most often comes last: a refusal that may concern
 * all of its kind there ends them for a run, and whatever would have gone through must not stand behind it for ever.
 */
async function leastTriedFirst(
  { world: { ledger }, memory, course }: PulledCycle,
  open: readonly Intent[],
  judged: readonly Judged[],
): Promise<readonly Judged[]> {
  const known = new Map(open.map(({ kind, post, attempts }) => [`${kind} ${post}`, attempts]));
  const calls =
    course.imports.size === 0 ? [] : await ledger.toolCalls.unsettled(memory.id, "feedbackCreate");
  const called = new Map(calls.map(({ subject, attempts }) => [subject, attempts]));
  const triesOf = ({ kind, post }: Judged): number => {
    const issue = kind === "create-post" ? course.imports.get(post) : undefined;
    return (issue === undefined ? known.get(`${kind} ${post}`) : called.get(issueKey(issue))) ?? 0;
  };
  return judged.toSorted((one, other) => triesOf(one) - triesOf(other));
}

/** A missing fact is a failure of the post. If its issue is not where it was, that has been said already. */
async function sayUndecided(cycle: PulledCycle, row: Row, { notes }: Decision): Promise<void> {
  const undecided = notes.filter((note) => note.kind === "undecided");
  for (const { cause, message } of undecided)
    if (cause === "template") noteError(cycle.tally, { post: row.post.id, code: "config.template", message });
  const missing = undecided.filter(({ cause }) => cause !== "template");
  if (missing.length === 0 || (await isAbsenceSaid(cycle, row))) return;
  // A limit only means "later"; what else kept signals from being read has been said.
  if (row.links.some(({ link }) => cycle.course.stale.has(issueKey(link.issue)))) return;
  for (const { cause, message } of missing) {
    const failure = { post: row.post.id, code: "tracker.undecided", message };
    if (cause === "undecided") noteError(cycle.tally, failure);
    // Anybody can make an issue too large to be read. So this is no failure of the run, and it is said once.
    else if (row.notes?.some((note) => note.cause === "too-large") !== true)
      cycle.world.log.warn({ project: cycle.project.key, ...failure }, tooMuch);
  }
}

/** A change that will notify voters. */
type Settling = ReturnType<typeof settlingOf>[number];

/** What will notify voters is said when it begins to settle: it can still be taken back. */
function settlingOf(cycle: PulledCycle, row: Row, { settling, notes }: Decision) {
  if (settling === undefined || !isNotifying(settling) || isPreview(cycle.run)) return [];
  if (row.notes?.some(({ kind }) => kind === "settling") === true) return [];
  const first = row.links[0]?.link.issue;
  const issue = first && nameIssue(cycle, first);
  const said = notes.find((note) => note.kind === "settling" && note.field === "status");
  return [{ post: row.post.id, issue, voters: settling.notifies, reason: said?.message ?? "" }];
}

/** Once for all that settles alike. */
function saySettling({ world, project }: PulledCycle, settling: readonly Settling[]): void {
  for (const [reason, alike] of Map.groupBy(settling, (one) => one.reason)) {
    const { known, unknown } = countVoters(alike.map(({ voters }) => voters));
    const [{ post, issue } = {}] = alike;
    const where = alike.length === 1 ? { post, issue } : { changes: alike.length };
    world.log.info(
      { project: project.key, ...where, voters: unknown === alike.length ? null : known, reason },
      "What settles will notify voters; `boardsync pause` stops it",
    );
  }
}

const tooMuch =
  "A post stays undecided, because its issue shows more than can be read; nothing else waits for it";

/**
 * Board rules wait for the run after a PATCH: until the post is listed again we don't know its values, so a plan could name a
 * write that the next run won't make.
 */
function putBehind(all: readonly Judged[]): Decided {
  const patched = postsWith(all, "patch-post");
  const [judged, following]: [Judged[], Judged[]] = [[], []];
  for (const one of all) {
    const isOfBoardRule = one.kind === "change-issue" || one.kind === "comment-issue";
    (isOfBoardRule && patched.has(one.post) ? following : judged).push(one);
  }
  return { judged, following };
}

/** What was prepared for an earlier run and is not asked for any more ends here. */
async function dropUnwanted(
  cycle: PulledCycle,
  open: readonly Intent[],
  judged: readonly Judged[],
): Promise<void> {
  for (const intent of open) {
    const { post, kind, state } = intent;
    if (state !== "PREPARED" || judged.some((wanted) => wanted.post === post && wanted.kind === kind))
      continue;
    await attemptNow(cycle, post, () => dropIfUnwanted(cycle, intent));
  }
}

async function dropIfUnwanted(cycle: PulledCycle, { id, post, kind }: Intent): Promise<void> {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const row = await readRow(cycle, post);
  if (row === undefined) return;
  // Nothing is wanted for a post that people took away. If it comes back, it is decided afresh.
  const decision = await planNow(cycle, row, now);
  const wished = absence(row) === undefined ? wishesOf(row, decision) : [];
  if (wished === undefined || wished.some((action) => action.kind === kind)) return;
  const message = "not sent; it is not wanted any more";
  await ledger.commit([{ kind: "resolve", intent: id, state: "REJECTED", at: now, message }]);
}

/** What is held may be all of a large import: so many are recorded together. */
const recordedAtOnce = 100;

/**
 * Records why actions are held, or left to a later run. Their rows stay due until the actions are approved, their turn comes, or
 * they are not wanted any more.
 */
async function recordHeld(
  cycle: PulledCycle,
  judged: readonly Judged[],
  following: readonly Judged[],
): Promise<void> {
  const held = [...judged, ...following].filter(({ verdict }) => verdict.kind === "hold");
  sayHeld(cycle, held);
  // Of a post that is there its decision says so.
  const paused = judged.filter(({ kind, verdict }) => kind === "create-post" && verdict.kind === "pause");
  const behind = following.filter(isFree);
  for (const some of chunks([...held, ...paused, ...behind], recordedAtOnce)) {
    await cycle.world.ledger.commit(
      some.map((one) => outcomeOf(cycle, one, one.verdict.kind === "go" ? afterPatch : one.verdict)),
    );
  }
}

const afterPatch = waitForTurn("the post is changed first, and a run after that one goes on");

/** Once for each cause for which actions begin to wait for a person. */
function sayHeld({ world, run, project }: PulledCycle, held: readonly Judged[]): void {
  const begun = held.filter(({ wasHeld }) => !wasHeld);
  if (begun.length === 0 || isPreview(run)) return;
  const holds = begun.flatMap(({ verdict, planned: { notifies } }) =>
    verdict.kind === "hold" && verdict.isApprovable ? [{ ...verdict, notifies }] : [],
  );
  for (const alike of Map.groupBy(holds, ({ cause, why }) => `${cause} ${why}`).values()) {
    const [{ cause, why } = {}] = alike;
    const voters = countVoters(alike.map(({ notifies }) => notifies));
    world.log.warn(
      { project: project.key, cause, changes: alike.length, voters: voters.known, reason: why },
      "Changes need you; `boardsync status` shows the ways out",
    );
  }
}
