import { connectSides } from "../../src/app.ts";
import type { Board, ListEnd, ListWishes, PostPage } from "../../src/board/board.ts";
import { configSchema } from "../../src/config/schema.ts";
import { createSender } from "../../src/http/send.ts";
import type { Log } from "../../src/log.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import { createGitHubTracker } from "../../src/tracker/github/github.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import type { Gate } from "../support/sandbox/github/gate.ts";
import type { Reply } from "../support/sandbox/loopback/loopback.ts";
import { drawFlaw, type Flaw } from "./board.ts";
import { answerBoard } from "./http-board.ts";
import { answerGitHub, createGate } from "./http-github.ts";
import type { Manners, Passage } from "./http-passage.ts";
import { type Request, startServer } from "./http-server.ts";
import { Crash } from "./process.ts";
import { createRandom } from "./random.ts";
import { ownRepo, projectId, projectKey } from "./scenario.ts";
import type { Connect } from "./sides.ts";

/** The board and GitHub of one history behind real HTTP on loopback. */
export interface Loopback {
  readonly connect: Connect;
  close(): Promise<void>;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Nobody ever waits so long, so no deadline of the machine's own time has a part in a history. */
const timeout = "10m";

/**
 * Starts both servers. They hold nothing: what they answer from is the history's own board and GitHub, and who asks is known
 * by its secret.
 */
export async function openLoopback(seed: number): Promise<Loopback> {
  const passages = new Map<string, Passage>();
  const manners = drawManners(seed);
  const respondBy =
    (answer: (passage: Passage, request: Request) => Promise<Reply>) =>
    async (request: Request): Promise<Reply> => {
      const passage = passages.get(request.secret);
      if (passage === undefined || passage.surroundings.life.isDead) return { kind: "reset" };
      return answer(passage, request).catch((error: unknown): Reply => {
        // A process that is over gets no answer; its call ends, and what asked for it never hears of that.
        if (!(error instanceof Crash)) passage.surroundings.violate("no bug", `a server fails: ${error}`);
        return { kind: "reset" };
      });
    };
  const board = await startServer("/api/v1", respondBy(answerBoard));
  const gitHub = await startServer("/api/v3", respondBy(answerGitHub));
  const servers = [board, gitHub];
  const config = configSchema.parse({
    board: { url: board.url, timeout },
    tracker: { url: gitHub.url, timeout },
    projects: [{ project: projectKey, repo: ownRepo }],
  });
  const hangUpOnTheDead = (): void => {
    for (const [secret, { surroundings }] of passages) {
      if (!surroundings.life.isDead) continue;
      passages.delete(secret);
      for (const server of servers) server.hangUp(secret);
    }
  };
  let processes = 0;
  let gate: Gate | undefined;
  return {
    connect(surroundings) {
      hangUpOnTheDead();
      processes += 1;
      const secret = `secret-of-process-${processes}`;
      gate ??= createGate(surroundings.hub, gitHub.url, manners);
      const passage: Passage = {
        surroundings,
        manners,
        flaw: "fine",
        shown: [],
        bounds: unbounded,
        gate,
      };
      passages.set(secret, passage);
      const { clock, carry } = surroundings;
      const random = createRandom(processes).next;
      const machine = { clock, random, log: silent, version: "simulation", environment: {} };
      const github = { kind: "token", token: secret } as const;
      const secrets = { boardApiKey: secret, github, all: [secret] };
      const sides = connectSides(config, secrets, machine);
      const sender = createSender({ proxy: {}, timeoutMs: config.tracker.timeout, clock });
      const tracker =
        carry === undefined
          ? sides.tracker
          : createGitHubTracker({
              url: gitHub.url,
              token: secret,
              clock,
              random,
              log: silent,
              sender: { ...sender, send: carry(sender.send) },
            });
      return { board: mortalBoard(passage, sides.board), tracker: mortalTracker(passage, tracker) };
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

const unbounded: ReadBounds = { until: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

function drawManners(seed: number): Manners {
  const random = createRandom(seed);
  return {
    paging: random.pick(["offset", "page", "cursor", "link"]),
    isSinceInclusive: random.chance(0.5),
    hasPageNumbers: random.chance(0.5),
    hasTags: random.chance(0.5),
  };
}

/**
 * One call to a side. Where the process ends meanwhile, the server ends the connection and the adapter its call, but nothing
 * of the process ever hears of it.
 */
async function call<T>(passage: Passage, bounds: ReadBounds, ask: () => Promise<T>): Promise<T> {
  const { life } = passage.surroundings;
  if (life.isDead) throw new Crash("This process is over.");
  passage.bounds = bounds;
  const [result] = await Promise.allSettled([ask()]);
  if (life.isDead) throw new Crash("The process ended during a request.");
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

async function* callEach<T>(
  passage: Passage,
  bounds: ReadBounds,
  pages: AsyncIterable<T>,
): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  for (;;) {
    const step = await call(passage, bounds, () => iterator.next());
    if (step.done === true) return;
    yield step.value;
  }
}

function mortalBoard(passage: Passage, board: Board): Board {
  return {
    get requests() {
      return board.requests;
    },
    verifyKey: (bounds) => call(passage, bounds, () => board.verifyKey(bounds)),
    listProjects: (bounds) => call(passage, bounds, () => board.listProjects(bounds)),
    listPosts: (project, bounds, wishes) => listPosts(passage, board, project, bounds, wishes),
    patchPost: (project, post, change) =>
      call(passage, unbounded, () => board.patchPost(project, post, change)),
  };
}

/** Tells how a list ended: as the board knows it where it was at fault, else as the adapter found it. */
async function* listPosts(
  passage: Passage,
  board: Board,
  project: ProjectId,
  bounds: ReadBounds,
  wishes: ListWishes | undefined,
): AsyncGenerator<PostPage> {
  const { events, board: server, wire } = passage.surroundings;
  passage.flaw = drawFlaw(wire);
  const shown: PostId[] = [];
  passage.shown = shown;
  try {
    for await (const page of callEach(passage, bounds, board.listPosts(project, bounds, wishes))) {
      if (page.end !== undefined && wishes?.from === undefined)
        events.boardListEnds(shown, endOf(passage.flaw, page.end), projectId);
      yield page;
    }
  } catch (error) {
    events.boardListEnds(shown, "broken", projectId);
    throw error;
  }
  if (passage.flaw !== "fine") return;
  for (const post of server.posts) if (post.hiddenFor > 0) post.hiddenFor -= 1;
}

function endOf(flaw: Flaw, end: ListEnd): ListEnd["kind"] {
  return flaw === "cut" || flaw === "incomplete" ? flaw : end.kind;
}

function mortalTracker(passage: Passage, tracker: Tracker): Tracker {
  return {
    get requests() {
      return tracker.requests;
    },
    account: (bounds) => call(passage, bounds, () => tracker.account(bounds)),
    server: (bounds) => call(passage, bounds, () => tracker.server(bounds)),
    repository: (wanted, bounds) => call(passage, bounds, () => tracker.repository(wanted, bounds)),
    catalogue: (repository, bounds) => call(passage, bounds, () => tracker.catalogue(repository, bounds)),
    issueTypes: (repository, etag, bounds) =>
      call(passage, bounds, () => tracker.issueTypes(repository, etag, bounds)),
    isAssignable: (repository, login, bounds) =>
      call(passage, bounds, () => tracker.isAssignable(repository, login, bounds)),
    labels: (repository, etag, bounds) =>
      call(passage, bounds, () => tracker.labels(repository, etag, bounds)),
    milestones: (repository, etag, bounds) =>
      call(passage, bounds, () => tracker.milestones(repository, etag, bounds)),
    releases: (repository, etag, bounds) =>
      call(passage, bounds, () => tracker.releases(repository, etag, bounds)),
    comments: (issue, bounds) => callEach(passage, bounds, tracker.comments(issue, bounds)),
    projectField: (wanted, bounds) => call(passage, bounds, () => tracker.projectField(wanted, bounds)),
    readSignals: (nodeIds, wish, bounds) =>
      callEach(passage, bounds, tracker.readSignals(nodeIds, wish, bounds)),
    listIssues: (repository, query, bounds) =>
      callEach(passage, bounds, tracker.listIssues(repository, query, bounds)),
    labelled: (repository, wanted, bounds) =>
      call(passage, bounds, () => tracker.labelled(repository, wanted, bounds)),
    events: () => Promise.resolve([]),
    labellers: (issue, bounds) => call(passage, bounds, () => tracker.labellers(issue, bounds)),
    readIssue: (issue, bounds) => call(passage, bounds, () => tracker.readIssue(issue, bounds)),
    budgetOf: tracker.budgetOf,
    write: (repository, write) => call(passage, unbounded, () => tracker.write(repository, write)),
  };
}
