import { type IssueRecord, refOf } from "../../model/issue.ts";
import type { CreateIssue } from "../../plan/ground/action.ts";
import { planSignature } from "../../plan/ground/identity.ts";
import { signalsOfNew } from "../../plan/rules/conditions.ts";
import { looksBesideRecord, neededSignals } from "../../plan/rules/signals.ts";
import { parseMarker } from "../../plan/text/marker.ts";
import type { OptionalValue, WriteOutcome } from "../../tracker/tracker.ts";
import { isListed, isOpen, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { inBrackets } from "../ground/describe.ts";
import { boardLane, laneOf } from "../ground/lane.ts";
import { type Asked, outcomeOf, replan } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { tellAction } from "../ground/standing.ts";
import { type Hold, type Outcome, waitForTurn } from "../ground/verdict.ts";
import { repositoryNames } from "../ground/world.ts";
import { earlierRequestOf, isScanned } from "../read/old-state.ts";
import { lookAgain } from "../read/page.ts";
import { publicHold } from "../read/visibility.ts";
import { parkAction } from "./failure.ts";
import { issueRequest, openForWrites, waitIfClosed } from "./issue.ts";
import { patchPost } from "./patch.ts";
import {
  type CreateWrite,
  droppedFrom,
  findMilestone,
  nameValues,
  type Opening,
  prepareIssue,
  refusedIn,
  rememberRefused,
  without,
} from "./prepare.ts";
import { type Sent, send } from "./send.ts";

/**
 * Opens one issue. The request is journalled before it leaves and sent once; what became of it is decided by the answer,
 * and by the marker when there was none.
 *
 * @param followUp why the PATCH that follows it is held, although the issue may be opened; undefined where that goes, too.
 */
export async function createIssue(
  cycle: PulledCycle,
  { row, action }: Asked<CreateIssue>,
  followUp: Hold | undefined,
): Promise<Outcome> {
  // Perhaps it is gone: the list before may have lacked it, too, and have been too short to be believed.
  if (!isListed(cycle, row)) return waitForTurn(notListed);
  const found = cycle.repositories.get(action.repo);
  if (found === undefined) return waitForTurn(`${action.repo} can't be used in this run`);
  const open = await openForWrites(cycle, found);
  if ("kind" in open) return open;
  const isPublic = publicHold(cycle, open, action.post);
  if (isPublic !== undefined) return { ...isPublic, isApprovable: true };
  const doubt = doubtOf(cycle);
  if (doubt !== undefined) return waitForTurn(doubt);
  const repository = cycle.world.ledger.memory.repository(found.name) ?? found;
  const opening: Opening = { cycle, repository, action };
  const outcome = await sendCreate(opening, await prepareIssue(opening));
  if (outcome.kind !== "done") return outcome;
  if (followUp === undefined && action.followUp === undefined) return { kind: "done", isUndecided: true };
  await patchAfter(cycle, action, followUp);
  return outcome;
}

/** Why no issue is opened for a post that the list has not shown. */
const notListed = "this run's list of posts did not get as far as the post; the next one looks again";

/**
 * Why the post might have its issue already without our knowing, as words; undefined when it can't. It may be in any
 * repository of the project: where a post belongs changes with its category and with the config.
 */
export function doubtOf(cycle: PulledCycle, lookedAt?: number): string | undefined {
  const unscanned = repositoryNames(cycle.settings).find((name) => !isScanned(cycle, name));
  if (unscanned !== undefined) {
    if (cycle.world.ledger.memory.repository(unscanned)?.repository.hasIssues === false) {
      const message = `Issues are switched off in ${unscanned}, so it can't be searched for those that this state does not know: no issue is opened in any repository of the project until they are switched on there, or it is taken out of the config.`;
      noteError(cycle.tally, { issue: unscanned, code: "tracker.no-issues", message });
    }
    return `${unscanned} could not be searched yet for issues that this state does not know; if it is gone for good, take it out of the config`;
  }
  return earlierRequestOf(cycle, lookedAt);
}

/** Refusals of single values that are believed before a field is left out as a whole. */
const mostNamed = 3;

/** Sends the create; once more without what a 422 names, until it names nothing that the issue can do without. */
async function sendCreate(opening: Opening, wanted: CreateWrite): Promise<Outcome> {
  const { cycle, repository, action } = opening;
  const place = repository.repository.name;
  let write = wanted;
  for (let refusals = 0; ; refusals += 1) {
    const { answer, outcome } = await sendOnce(opening, write);
    if (answer === undefined) return outcome;
    const closed = await waitIfClosed(cycle, repository, action, answer);
    if (closed !== undefined) return closed;
    if (answer.kind !== "rejected") return outcome;
    const refused = refusedIn(write, answer, refusals >= mostNamed);
    if (refused.length === 0) {
      const message = `${repository.name} refuses the issue: ${answer.message}`;
      return parkAction(cycle, action, { issue: place, code: "tracker.rejected", message });
    }
    const now = refusals < mostNamed ? await findAgain(opening, refused) : undefined;
    const left = refused.filter(({ field }) => now === undefined || field !== "milestone");
    write = { ...without(write, refused), ...(now !== undefined && { milestone: now }) };
    if (left.length === 0) continue;
    await rememberRefused(opening, left);
    const message = `${repository.name} refuses ${nameValues(left, action)} ${inBrackets(answer.message)}, so the issue is opened without.`;
    noteError(cycle.tally, { post: action.post, issue: place, code: "tracker.field-refused", message });
  }
}

/** The number of a milestone that was refused may have become another one's: by its title it is looked up once more. */
async function findAgain(
  { cycle, repository, action: { milestone } }: Opening,
  refused: readonly OptionalValue[],
): Promise<number | undefined> {
  const before = refused.find(({ field }) => field === "milestone")?.value;
  if (milestone === undefined || before === undefined) return undefined;
  const found = await findMilestone(cycle, repository, milestone, true);
  return found?.state !== "open" || String(found.number) === before ? undefined : found.number;
}

function sendOnce(opening: Opening, write: CreateWrite): Promise<Sent<WriteOutcome>> {
  const { cycle, repository, action } = opening;
  const request = issueRequest(cycle, {
    action,
    signature: planSignature(action),
    repository,
    write,
    kept: { content: action.content },
    fields: [
      { field: "title", value: action.title },
      ...action.labels.map((label) => ({ field: "label", value: label })),
    ],
    isShown: (record) => record !== undefined && isOurs(cycle, action, record),
    record: async (own, record) => {
      if (record !== undefined) await linkOpened({ ...opening, cycle: own }, write, record);
    },
  });
  const lane = laneOf(cycle.world, repository.repository.name, action.kind);
  return send<WriteOutcome>(cycle, { action, lane, pace: "create" }, () => request);
}

/** An answer counts as the new issue only when it shows our marker for this very post. */
function isOurs({ world, memory }: PulledCycle, { post }: CreateIssue, { body }: IssueRecord): boolean {
  const marker = parseMarker(body);
  return (
    marker?.board === world.policy.boardHash && marker.project === memory.id && marker.posts.includes(post)
  );
}

async function linkOpened(
  { cycle, repository, action }: Opening,
  write: CreateWrite,
  record: IssueRecord,
): Promise<void> {
  const { ledger, log } = cycle.world;
  const { post, content } = action;
  const issue = refOf(record.issue);
  const link = { post, issue, origin: "opened" } as const;
  await ledger.commit([{ kind: "link", project: cycle.memory.id, link, issue: record.issue, content }]);
  if (looksBesideRecord(neededSignals(cycle.settings)))
    await ledger.commit([{ kind: "store-signals", issue, signals: signalsOfNew, isFill: false }]);
  cycle.tally.created += 1;
  const name = nameIssue(cycle, issue);
  log.info({ run: cycle.run.number, project: cycle.project.key, post, issue: name }, "Issue opened");
  const dropped = droppedFrom(write, action, record);
  if (dropped.length === 0) return;
  const message = `The issue was opened without ${dropped.join(", ")}: ${repository.name} did not take it. The token needs push access there, and the name must exist.`;
  noteError(cycle.tally, { post, issue: name, code: "tracker.dropped", message });
}

/** The PATCH that the plan promised with the create, when the issue came out as it was asked for; or why that is held. */
async function patchAfter(
  cycle: PulledCycle,
  { post, followUp }: CreateIssue,
  hold: Hold | undefined,
): Promise<void> {
  const isTried = hold === undefined && followUp !== undefined && isOpen(cycle, boardLane);
  const row = isTried ? await lookAgain(cycle, post) : undefined;
  const next = await replan(cycle, { post, kind: "patch-post" }, row);
  if (next === undefined) return;
  const told = tellAction(cycle, next.row, next.action);
  const isPromised = JSON.stringify(next.action.writes) === JSON.stringify(followUp?.writes);
  const { ledger } = cycle.world;
  if (hold !== undefined) await ledger.commit([outcomeOf(cycle, told, hold)]);
  else if (isTried && isPromised) await ledger.commit([outcomeOf(cycle, told, await patchPost(cycle, next))]);
}
