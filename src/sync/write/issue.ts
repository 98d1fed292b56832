import { RemoteError } from "../../errors.ts";
import type { AuditEntry, NewIntent } from "../../ledger/journal.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRecord, IssueRef, RepositoryName } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import type { Action, ActionKind, PatchPost } from "../../plan/ground/action.ts";
import { hashBody } from "../../plan/ground/identity.ts";
import type { IssueWrite, WriteOutcome } from "../../tracker/tracker.ts";
import { isOpen, nameIssue, type PulledCycle, repositoryById } from "../ground/cycle-state.ts";
import { closePart, laneOf, laneOfIssue } from "../ground/lane.ts";
import { isLookedAt, lookOnce } from "../ground/looks.ts";
import { postpone, putOff } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { closedBy, type Outcome, type PartOutcome, waitForTurn, worse } from "../ground/verdict.ts";
import type { Closure } from "../ground/world.ts";
import { parkAbsent } from "../read/absent.ts";
import { takeAnswer } from "../read/follow.ts";
import { askRepositoryAgain, asProjectError } from "../read/repositories.ts";
import { failWrite } from "./failure.ts";
import { type Composed, intentLine, type Request, send } from "./send.ts";

/** One write to an issue, as its writer wants it sent. */
export interface IssueWriting {
  readonly action: Exclude<Action, PatchPost>;
  readonly signature: string | undefined;
  readonly repository: RepositoryMemory;
  readonly write: IssueWrite;
  /** What the journal keeps of it besides. */
  readonly kept: Pick<NewIntent, "content" | "issueWrites" | "updatedAtBefore">;
  /** As the audit tells them. */
  readonly fields: AuditEntry["fields"];
  /** Whether the answer shows what was asked for; anything less is an unknown outcome. Left out where any answer does. */
  readonly isShown?: (record: IssueRecord | undefined) => boolean;
  /** Set where a refusal is this write's own, whatever the tracker says: it names a label that could not be made. */
  readonly isOwnRefusal?: boolean;
  /** Records what was applied, as one with the end of the intent: by the cycle that it is given. */
  readonly record: (cycle: PulledCycle, record: IssueRecord | undefined) => Promise<void>;
}

/** The request of a write to an issue. */
export function issueRequest(cycle: PulledCycle, writing: IssueWriting): Request<WriteOutcome> {
  const { action, signature, write, kept, fields, isShown = () => true, isOwnRefusal, record } = writing;
  const { post, reason, kind } = action;
  const { repository } = writing.repository;
  const number = "number" in write ? write.number : undefined;
  return {
    post,
    reason,
    line: intentLine(
      cycle,
      {
        post,
        reason,
        kind,
        bodyHash: hashBody(write),
        repository: repository.id,
        ...(number !== undefined && { number }),
        ...kept,
      },
      signature,
    ),
    call: async () => {
      const answer = await cycle.world.tracker.write(repository, write);
      if (answer.kind === "forbidden" && isOwnRefusal === true)
        return { kind: "rejected", status: 403, message: answer.message, fields: [] };
      return answer.kind !== "applied" || isShown(answer.record) ? answer : notShown;
    },
    tell: (answer) => {
      const opened = answer.kind === "applied" ? answer.record?.issue.number : undefined;
      const known = number ?? opened;
      const issue = known === undefined ? undefined : { repository: repository.name, number: known };
      return { kind: write.kind, issue, fields };
    },
    words: ({ record: shown }) =>
      number === undefined && shown !== undefined ? `opened as #${shown.issue.number}` : "accepted",
    record: (own, answer) => record(own, answer.record),
    fail: (own, failure) => {
      const issue =
        number === undefined ? repository.name : nameIssue(cycle, { repositoryId: repository.id, number });
      return failWrite(
        own,
        "tracker",
        { post, issue, claim: claims[kind] ?? "the issue was changed" },
        failure,
      );
    },
  };
}

const claims: Readonly<Partial<Record<ActionKind, string>>> = {
  "create-issue": "the issue was opened",
  "comment-issue": "the comment was made",
};

/** Counts what was written to an issue, and says it. */
export function sayIssueWritten(
  { tally, world, run, project }: PulledCycle,
  about: { readonly post: PostId; readonly issue: string; readonly [field: string]: unknown },
  what = "Issue changed",
): void {
  tally.issueWrites += 1;
  world.log.info({ run: run.number, project: project.key, ...about }, what);
}

const notShown: WriteOutcome = {
  kind: "unknown",
  message: "the answer does not show the issue that was asked for",
};

/** An issue as it is this moment, in a repository that can be written to. */
export interface FreshIssue {
  readonly repository: RepositoryMemory;
  readonly record: IssueRecord;
}

/** Reads an issue right before it is written to; or says what has become of the action where it can't be written to now. */
export async function readFresh(
  cycle: PulledCycle,
  action: Pick<Action, "post" | "kind">,
  issue: IssueRef,
): Promise<FreshIssue | Outcome> {
  const found = repositoryById(cycle, issue.repositoryId);
  if (found === undefined) return waitForTurn("its repository can't be used in this run");
  const repository = await openForWrites(cycle, found);
  if ("kind" in repository) return repository;
  const hasOpened = found.repository.isPrivate && !repository.repository.isPrivate;
  if (hasOpened && action.kind !== "change-issue")
    return waitForTurn("its repository has just turned public, and the next run makes its text anew");
  const answer = await cycle.world.tracker.readIssue(issue, cycle.run.bounds);
  if (answer.kind === "found") return { repository, record: answer.record };
  // What the lists show of it still counts.
  if (answer.kind === "refused") throw answer.error;
  // The issue is not where it was: a transfer is followed, and the next run writes to its new place.
  await takeAnswer(cycle, issue, answer);
  await parkAbsent(cycle);
  if (answer.kind === "moved")
    return waitForTurn("its issue was moved, and the next run goes on with it there");
  return { kind: "failed", why: `${nameIssue(cycle, issue)} is not found` };
}

/**
 * Sends one write to an issue that is there, made of what that shows right before. What is refused is left to the writer.
 *
 * @returns `answer`: left out where nothing was sent, and where all that is to be written there waits.
 */
export async function writeToIssue(
  cycle: PulledCycle,
  action: Exclude<Action, PatchPost>,
  issue: IssueRef,
  compose: (fresh: FreshIssue) => Promise<Composed<WriteOutcome>>,
): Promise<PartOutcome & { readonly answer?: WriteOutcome }> {
  const turn = { action, lane: laneOfIssue(cycle.world, issue, action.kind), pace: "other" } as const;
  let fresh: FreshIssue | Outcome | undefined;
  const { answer, outcome } = await send<WriteOutcome>(cycle, turn, async () => {
    fresh = await readFresh(cycle, action, issue);
    return "kind" in fresh ? fresh : compose(fresh);
  });
  // What can't be read waits by itself; whatever else has changed is decided anew by the next run.
  if (fresh !== undefined && "kind" in fresh) return { outcome, next: "go on" };
  if (answer === undefined || fresh === undefined) return { outcome, next: "stop" };
  const closed = await waitIfClosed(cycle, fresh.repository, action, answer);
  if (closed !== undefined) return { outcome: closed, next: "go on" };
  return { answer, outcome, next: answer.kind === "applied" ? "go on" : "stop" };
}

/** Does what an action asks of each of its issues, one after the other. One whose lane takes nothing more is put off, and stops no other. */
export async function eachIssue(
  cycle: PulledCycle,
  kind: ActionKind,
  issues: readonly IssueRef[],
  work: (issue: IssueRef, isAllDone: boolean) => Promise<PartOutcome>,
): Promise<PartOutcome> {
  let whole: Outcome = { kind: "done" };
  for (const issue of issues) {
    const lane = laneOfIssue(cycle.world, issue, kind);
    if (!isOpen(cycle, lane)) whole = worse(whole, putOff(cycle, lane));
    else {
      const { outcome, next } = await work(issue, whole.kind === "done");
      whole = worse(whole, outcome);
      if (next === "stop") return { outcome: whole, next };
    }
  }
  return { outcome: whole, next: "go on" };
}

/** Where a repository can't be written to, the action waits, and that is said once a run. @returns the repository as it is now. */
export async function openForWrites(
  cycle: PulledCycle,
  known: RepositoryMemory,
): Promise<RepositoryMemory | Outcome> {
  const closure = await whyClosed(cycle, known);
  return closure === undefined ? repositoryNow(cycle, known) : wait(cycle, closure);
}

/**
 * Asks for a repository once a run, before the first write of any project to its issues: whether it is still the same, not archived, with
 * its issues on, and as private as it was. A plan asks as well: it is to say what the run will do.
 *
 * @returns why it can't be written to.
 */
export async function whyClosed(cycle: PulledCycle, known: RepositoryMemory): Promise<Closure | undefined> {
  const current = repositoryNow(cycle, known);
  const isFresh = current.checkedAt >= cycle.run.startedAt && !isLookedAt(cycle, lookOf(known, "second"));
  return isFresh ? repositoryClosure(current) : ask(cycle, known);
}

/**
 * After a refusal: the repository may have been archived, or its issues switched off, a moment ago. Then the write is not to
 * blame, and waits like every other one. The repository is asked for this once a run. Where it takes writes, and the tracker
 * refuses them all the same, a permission is missing: no other write of this kind is tried there in this run, and nothing is
 * parked, so that all goes on by itself once the permission is there.
 *
 * @returns undefined where the refusal is the write's own.
 */
export async function waitIfClosed(
  cycle: PulledCycle,
  known: RepositoryMemory,
  action: Pick<Action, "post" | "kind">,
  answer: WriteOutcome,
): Promise<Outcome | undefined> {
  const isForbidden = answer.kind === "forbidden";
  if (!isForbidden && (answer.kind !== "rejected" || ![403, 404, 410].includes(answer.status)))
    return undefined;
  const closure = await ask(cycle, known, "second");
  if (closure !== undefined) return wait(cycle, closure);
  if (!isForbidden) return undefined;
  const { name } = repositoryNow(cycle, known).repository;
  const lane = laneOf(cycle.world, name, action.kind);
  // It was asked before, or what it shows of itself lags.
  if (answer.isArchived) {
    const archived = archivedAs(name);
    closePart(cycle.run, lane, archived);
    return wait(cycle, archived);
  }
  const message = `GitHub refuses to ${doings[action.kind]} ${name}: ${answer.message.replace(/\.$/, "")}`;
  const refused = { code: "tracker.permission", message };
  closePart(cycle.run, lane, refused);
  noteError(cycle.tally, { ...refused, issue: name, message: `${message}. What is to be done there waits.` });
  return postpone(cycle, refused);
}

const doings: Readonly<Record<ActionKind, string>> = {
  "create-issue": "open issues in",
  "update-issue": "edit issues of",
  "change-issue": "change issues of",
  "comment-issue": "take comments in",
  "patch-post": "write to",
  "create-post": "make posts of",
};

/** The second look of a run is there for a refusal, and what it has shown counts from then on. */
type WhichLook = "first" | "second";

async function ask(
  cycle: PulledCycle,
  known: RepositoryMemory,
  turn: WhichLook = isLookedAt(cycle, lookOf(known, "second")) ? "second" : "first",
): Promise<Closure | undefined> {
  try {
    await lookOnce(cycle, lookOf(known, turn), () => askRepositoryAgain(cycle, known));
    return repositoryClosure(repositoryNow(cycle, known));
  } catch (error) {
    if (error instanceof RemoteError && error.concerns === "all") throw error;
    const detail = error instanceof RemoteError ? error.detail : undefined;
    const { code, message } = error instanceof RemoteError ? error : asProjectError(error);
    const { name } = known;
    return { code, message: message.includes(name) ? message : `${name}: ${message}`, detail };
  }
}

function lookOf({ repository: { id } }: RepositoryMemory, turn: WhichLook): string {
  return `${turn} look before writes to ${id}`;
}

/** The repository as the state knows it by now. */
export function repositoryNow({ world: { ledger } }: PulledCycle, known: RepositoryMemory): RepositoryMemory {
  return ledger.memory.repositoryById(known.repository.id) ?? known;
}

/** Reading goes on there, and so do the board's writes; only what would be written to its issues waits. */
function repositoryClosure({ name, repository }: RepositoryMemory): Closure | undefined {
  if (repository.isArchived) return archivedAs(name);
  if (repository.hasIssues) return undefined;
  const message = `Issues are switched off in ${name}. Switch them on in the repository's settings; what is to be written there waits.`;
  return { code: "tracker.no-issues", message };
}

function archivedAs(name: RepositoryName): Closure {
  const message = `The repository ${name} is archived, so nothing can be written to its issues: that waits until it is unarchived.`;
  return { code: "tracker.archived", message };
}

function wait(cycle: PulledCycle, closure: Closure): Outcome {
  noteError(cycle.tally, closure);
  return { kind: "wait", ...closedBy(closure) };
}
