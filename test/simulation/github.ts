import { RemoteError } from "../../src/errors.ts";
import type { IssueRef, Repository } from "../../src/model/issue.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import type { IssueAnswer, IssueWrite, Tracker, WriteOutcome } from "../../src/tracker/tracker.ts";
import type { Answer } from "../support/sandbox/loopback/loopback.ts";
import { releasesOf } from "./github-facts.ts";
import { listed, listIssues, listLabelled, requireIssues } from "./github-lists.ts";
import { readAnswer } from "./github-requests.ts";
import type { HubRepository, HubServer } from "./github-server.ts";
import { findField, listSignals } from "./github-signals.ts";
import type { Life } from "./process.ts";
import { pickWeighted } from "./random.ts";
import {
  findRefusal,
  findSignalLimit,
  findWriteRefusal,
  type Refusal,
  refuseRead,
  refuseWrite,
} from "./refusals.ts";
import { elsewhere, ourLogin, type Scenario } from "./scenario.ts";
import type { Events } from "./watcher.ts";
import { limitEnd, type Wire } from "./wire.ts";

interface Line {
  readonly server: HubServer;
  readonly wire: Wire;
  readonly events: Events;
  readonly life: Life;
  readonly scenario: Scenario;
}

/** GitHub as a process reaches it over a bad line. Like the real adapter it is quiet while it is limited. */
export function createSimTracker(
  server: HubServer,
  wire: Wire,
  events: Events,
  life: Life,
  scenario: Scenario,
): Tracker {
  const line: Line = { server, wire, events, life, scenario };
  let requests = 0;
  const read = async (bounds: ReadBounds): Promise<void> => {
    refuseWhileLimited(line);
    requests += 1;
    events.trackerAsked();
    try {
      await wire.read(life, "tracker", bounds, scenario.skewMs);
    } catch (error) {
      if (error instanceof RemoteError && error.fault === "limited") closeGate(line, error.retryAt ?? 0);
      throw error;
    }
  };
  /** GraphQL has a limit of its own beside that of all else. */
  const readSignals = async (bounds: ReadBounds): Promise<void> => {
    const programNow = (): number => wire.time.now() + scenario.skewMs;
    refuseWhileLimited(line);
    if (programNow() < life.signalsUntil) throw limitOfSignals(life.signalsUntil);
    events.signalsAsked();
    await read(bounds);
    const until = findSignalLimit(server, wire.time.now());
    if (until === undefined) return;
    wire.count("tracker: signals limited");
    life.signalsUntil = until + scenario.skewMs;
    events.signalsLimits(life.signalsUntil);
    throw limitOfSignals(life.signalsUntil);
  };
  const repositoryOf = ({ id }: Repository): HubRepository => repositoryById(server, id);
  return {
    get requests() {
      return requests;
    },
    async account(bounds) {
      await read(bounds);
      return { login: ourLogin };
    },
    async repository(wanted, bounds) {
      await read(bounds);
      const found = server.repositories.find(
        ({ id, name, formerNames }) =>
          id === wanted || name === wanted || formerNames.some((former) => former === wanted),
      );
      if (found === undefined) throw new RemoteError("tracker", "missing", "There is no such repository.");
      assertFree(line, { repository: found });
      const { id, name, hasIssues, isArchived } = found;
      return { id, name, hasIssues, isArchived, isPrivate: true, canPush: server.canPush };
    },
    async catalogue(repository, bounds) {
      await read(bounds);
      assertFree(line, { repository: repositoryOf(repository) });
      const { labels, milestones } = requireIssues(repositoryOf(repository));
      return { labels: [...labels], milestones: [...milestones] };
    },
    issueTypes: () => Promise.resolve({ kind: "listed", rows: [], etag: undefined }),
    isAssignable: () => Promise.resolve(true),
    async labels(repository, etag, bounds) {
      await read(bounds);
      assertFree(line, { repository: repositoryOf(repository) }).names.show();
      return listed(requireIssues(repositoryOf(repository)).labels, etag);
    },
    async milestones(repository, etag, bounds) {
      await read(bounds);
      assertFree(line, { repository: repositoryOf(repository) }).names.show();
      return listed(requireIssues(repositoryOf(repository)).milestones, etag);
    },
    async releases(repository, etag, bounds) {
      await read(bounds);
      assertFree(line, { repository: repositoryOf(repository) });
      return listed(releasesOf(server, repository), etag);
    },
    async *comments({ repositoryId, number }, bounds) {
      await read(bounds);
      const issue = server.find(repositoryId, number);
      assertFree(line, { repository: repositoryById(server, repositoryId), issue });
      yield issue === undefined ? [] : server.commentsOf(issue);
    },
    async projectField(wanted, bounds) {
      await readSignals(bounds);
      return findField(server, wanted);
    },
    readSignals: (nodeIds, wish, bounds) =>
      listSignals(server, wire, nodeIds, wish, () => readSignals(bounds)),
    budgetOf: (_repository, use) => (use === "signals" ? ofSignals : ""),
    server: () => Promise.resolve("a simulation"),
    listIssues: (repository, query, bounds) =>
      listIssues(line, repositoryOf(repository), query, async () => {
        await read(bounds);
        assertFree(line, { repository: repositoryOf(repository) });
      }),
    async labelled(repository, wanted, bounds) {
      await read(bounds);
      assertFree(line, { repository: repositoryOf(repository) });
      return listLabelled(line, requireIssues(repositoryOf(repository)), wanted);
    },
    // The line plays no part in it: without them a change is decided afresh.
    events: () => Promise.resolve([]),
    async labellers(issue, bounds) {
      await read(bounds);
      return server.labellersOf(issue);
    },
    async readIssue(ref, bounds) {
      await read(bounds);
      const repository = requireIssues(repositoryById(server, ref.repositoryId));
      const issue = server.follow(ref.repositoryId, ref.number);
      const refusal = findRefusal(server, wire.time.now(), { repository, issue });
      if (refusal !== undefined) return { kind: "refused", error: tellRefusal(wire, refusal) };
      return answerFor(server, ref);
    },
    async write(repository, write) {
      if (wire.time.now() + scenario.skewMs < life.closedUntil) {
        return { kind: "limited", retryAt: life.closedUntil, message: "Limited, and not asked again yet." };
      }
      requests += 1;
      const leftAt = wire.time.now();
      await wire.leave(life);
      const { outcome } = send(line, repositoryOf(repository), write, leftAt);
      if (outcome.kind === "limited") closeGate(line, outcome.retryAt);
      await wire.arrive(life);
      return outcome;
    },
  };
}

/** Throws what the adapter throws where GitHub refuses just this. */
function assertFree({ server, wire }: Line, place: Parameters<typeof findRefusal>[2]): HubRepository {
  const refusal = findRefusal(server, wire.time.now(), place);
  if (refusal === undefined) return place.repository;
  throw tellRefusal(wire, refusal);
}

function tellRefusal(wire: Wire, refusal: Refusal): RemoteError {
  wire.count(`tracker: ${refusal.of.kind} refused with ${refusal.status}`);
  return refuseRead(refusal);
}

function repositoryById(server: HubServer, id: number): HubRepository {
  const found = server.repositories.find((repository) => repository.id === id);
  if (found === undefined) throw new RemoteError("tracker", "missing", "There is no such repository.");
  return found;
}

/** What GitHub says of one issue: a redirect where it was transferred, nothing where its new place is hidden from us. */
export function answerFor(server: HubServer, { repositoryId, number }: IssueRef): IssueAnswer {
  const issue = server.follow(repositoryId, number);
  if (issue === undefined || issue.isDeleted) return { kind: "gone" };
  const { repository, record } = issue;
  if (repository.id === repositoryId && issue.number === number) return { kind: "found", record };
  if (repository.name === elsewhere && !server.traits.showsElsewhere) return { kind: "missing" };
  return { kind: "moved", record, to: repository.name };
}

function refuseWhileLimited({ wire, life, scenario }: Line): void {
  if (life.isDead || wire.time.now() + scenario.skewMs >= life.closedUntil) return;
  throw new RemoteError("tracker", "limited", "Limited, and not asked again yet.", {
    retryAt: life.closedUntil,
  });
}

/** What the adapter calls the budget. */
const ofSignals = "GraphQL";

function limitOfSignals(retryAt: number): RemoteError {
  return new RemoteError("tracker", "limited", "GraphQL is limited.", { retryAt, budget: ofSignals });
}

function closeGate({ life, events }: Line, until: number): void {
  life.closedUntil = Math.max(life.closedUntil, until);
  events.trackerLimits(until);
}

/** What became of a write, as the program gets to know it; GitHub's own answer where it was asked. */
export interface SentWrite {
  readonly outcome: WriteOutcome;
  readonly answer?: Answer;
}

/** One write, and what the program gets to know of it. */
export function send(
  line: Line,
  repository: HubRepository,
  write: IssueWrite,
  leftAt: number,
  fate = drawFate(line, write),
): SentWrite {
  const { server, wire, events, life, scenario } = line;
  const refusal = findWriteRefusal(server, wire.time.now(), repository, write);
  if (refusal !== undefined) {
    events.issueWriteLeaves({ life, repository, write, leftAt, isHeard: false, hasArrived: true });
    wire.count(`tracker: ${write.kind} refused with ${refusal.status}`);
    return { outcome: refuseWrite(refusal, write) };
  }
  const isTaken = fate === "fine" || fate === "answer lost" || fate === "late" || fate === "wrong answer";
  // Without push access labels are dropped without a word: for the program nothing took effect.
  const isDropped = !server.canPush && (write.kind === "add-labels" || write.kind === "remove-label");
  const isHeard = isTaken && !isDropped && repository.hasIssues && !repository.isArchived;
  const hasArrived = fate !== "unsent";
  events.issueWriteLeaves({ life, repository, write, leftAt, isHeard, hasArrived });
  if (fate !== "fine") wire.count(`tracker: write ${fate}`);
  const reject = (status: number, message: string, fields: readonly string[] = []): SentWrite => {
    return { outcome: { kind: "rejected", status, message, fields } };
  };
  switch (fate) {
    case "fine":
      return take(line, repository, write, lagOf(line, 0), true);
    case "unsent":
      return { outcome: { kind: "unsent", message: "The connection was refused." } };
    case "unauthorized":
      return { outcome: { kind: "unauthorized", message: "Bad credentials." } };
    case "rejected":
      return write.kind === "create-label"
        ? reject(403, "Resource not accessible.")
        : { outcome: { kind: "forbidden", message: "Resource not accessible." } };
    case "invalid":
      return reject(422, "Validation failed.");
    case "bad assignee":
      return reject(422, "Validation failed.", ["assignees"]);
    case "limited": {
      const now = wire.time.now() + scenario.skewMs;
      const retryAt = limitEnd(wire, wire.outage("tracker"), now, scenario.skewMs);
      return { outcome: { kind: "limited", retryAt, message: "You have exceeded a secondary rate limit." } };
    }
    case "lost":
      return { outcome: { kind: "unknown", message: "The connection was reset." } };
    case "answer lost": {
      const { answer } = take(line, repository, write, lagOf(line, 0), false);
      return { outcome: { kind: "unknown", message: "HTTP 502." }, ...(answer && { answer }) };
    }
    case "late": {
      const delayMs = wire.weather.random.between(1, Math.floor(scenario.policy.waits.createMs * 0.6));
      const lagMs = lagOf(line, delayMs);
      const created = write.kind === "create-issue" ? 1 : 0;
      repository.arriving += created;
      wire.time.at(wire.time.now() + delayMs, () => {
        repository.arriving -= created;
        take(line, repository, write, lagMs, false);
      });
      return { outcome: { kind: "unknown", message: "No answer in time." } };
    }
    case "wrong answer": {
      const { outcome, answer } = take(line, repository, write, lagOf(line, 0), true);
      if (outcome.kind !== "applied" || outcome.record === undefined || !answer) return { outcome };
      const body = "Somebody else's issue.";
      return {
        outcome: { kind: "applied", record: { ...outcome.record, body } },
        answer: { ...answer, body: { ...(answer.body as object), body } },
      };
    }
  }
}

/** What took effect is in the lists within the wait, counted from the moment at which we gave up on it. */
function lagOf({ server, wire, scenario }: Line, delayMs: number): number {
  const most = Math.min(server.traits.lagMs, scenario.policy.waits.createMs - delayMs - 1);
  return most <= 0 ? 0 : wire.weather.random.between(0, Math.floor(most));
}

/** @param isAnswered whether the program gets to know of it. */
function take(
  { server, events }: Line,
  repository: HubRepository,
  write: IssueWrite,
  lagMs: number,
  isAnswered: boolean,
): SentWrite {
  const { answer, issue, before } = server.write(repository, write, lagMs);
  if (write.kind === "create-issue" && issue !== undefined) events.issueOpens(issue);
  else if (write.kind !== "create-issue" && write.kind !== "create-label" && issue && before)
    events.issueIsWritten({ issue, before: before.issue, write, isAnswered });
  const isShown = write.kind === "create-issue" || write.kind === "edit-issue";
  return { answer, outcome: readAnswer(write, answer, isShown ? issue?.record : undefined) };
}

export type Fate =
  | "fine"
  | "unsent"
  | "unauthorized"
  | "rejected"
  | "invalid"
  | "bad assignee"
  | "limited"
  | "lost"
  | "answer lost"
  | "late"
  | "wrong answer";

/** A write that only board rules ask for. */
export function isChange(write: IssueWrite): boolean {
  switch (write.kind) {
    case "create-issue":
    case "create-label":
      return false;
    case "edit-issue":
      return write.title === undefined && write.body === undefined;
    case "add-labels":
    case "remove-label":
    case "add-comment":
      return true;
  }
}

export function drawFate({ wire }: Pick<Line, "wire">, write: IssueWrite): Fate {
  const { random, faultRate } = wire.weather;
  const outage = wire.outage("tracker");
  if (outage !== undefined) {
    if (outage.fault !== "unreachable") return outage.fault;
    return random.chance(0.5) ? "unsent" : "lost";
  }
  if (!random.chance(faultRate)) return "fine";
  const hasAssignees = write.kind === "create-issue" && write.assignees.length > 0;
  return pickWeighted(random, {
    unsent: 2,
    unauthorized: 1,
    rejected: 0.5,
    invalid: isChange(write) ? 0.5 : 0,
    "bad assignee": hasAssignees ? 2 : 0,
    limited: 1,
    lost: 3,
    "answer lost": 4,
    late: 4,
    "wrong answer": 0.5,
  });
}
