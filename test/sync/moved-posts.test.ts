/** @module-tag long */
import { describe, expect, it } from "vitest";
import type { Board } from "../../src/board/board.ts";
import { RemoteError } from "../../src/errors.ts";
import type { NewRequest } from "../../src/ledger/orders.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { ProjectReport } from "../../src/sync/ground/reports.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { privateRepositories, twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

const app: ConfigPart = standardProject;
const api: ConfigPart = { ...standardProject, project: "acme-api", repo: "acme/api" };

interface Given {
  /** Of the config, in its order. */
  readonly projects?: readonly ConfigPart[];
  readonly config?: ConfigPart;
  readonly style?: Parameters<typeof openStage>[0] extends infer Options | undefined
    ? Options extends { style?: infer Style }
      ? Style
      : never
    : never;
}

/** One post `p1` of `acme-app`, planned, with the issue `acme/app#1`; two further ones in each project. */
async function openTwo({ projects = [app, api], ...options }: Given = {}): Promise<Stage> {
  const stage = await openStage({
    boardProjects: twoProjects,
    repositories: privateRepositories("acme/app", "acme/api"),
    projects,
    ...options,
  });
  addPlanned(stage, 3);
  addPlanned(stage, 2, "acme-api");
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

type Fields = Parameters<Stage["board"]["editPost"]>[2];

/** A person moves `p1` to the other project, on the board. */
function movePost({ board }: Stage, fields?: Fields): void {
  board.removePost("acme-app", "p1");
  board.restorePost("acme-api", "p1");
  if (fields !== undefined) board.editPost("acme-api", "p1", fields);
}

function issuesOf({ github }: Stage): readonly number[] {
  return ["acme/app", "acme/api"].map((name) => github.issues(name).length);
}

async function reportOf(stage: Stage, key: string): Promise<ProjectReport | undefined> {
  return (await stage.sync()).projects.find(({ project }) => project === key);
}

function mails({ board }: Stage): readonly string[] {
  return board.notifications.map(({ project, post, from, to }) => `${project}/${post} ${from} → ${to}`);
}

async function holdOf(stage: Stage): Promise<string | undefined> {
  const id = stage.ledger.memory.project("acme-api")?.id;
  const held = id === undefined ? [] : await stage.ledger.rows.held(id);
  return held.map(({ post, message }) => `${post}: ${message}`).join("\n");
}

async function approve(stage: Stage, post: string): Promise<void> {
  const project = stage.ledger.memory.project("acme-api")?.id;
  if (project === undefined) throw new Error("The project is not known.");
  const actions = (await stage.ledger.rows.held(project)).filter((action) => action.post === post);
  const request = { kind: "approve", actions, isWhole: false, project, at: stage.clock.now() } as const;
  await stage.ledger.commit([{ kind: "add-request", request }]);
}

describe.each([
  ["the old project first", [app, api]],
  ["the new project first", [api, app]],
])("a post that is moved to another synced project, %s", (_, projects) => {
  it("keeps its issue: nobody is notified, no issue is opened, and closing the issue tells its voters", async () => {
    const stage = await openTwo({ projects });
    movePost(stage);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(issuesOf(stage)).toEqual([3, 2]);
    const { result, projects: reports } = await stage.sync();
    expect(result).toBe("ok");
    expect(reports.map(({ missing = 0 }) => missing)).toEqual([0, 0]);
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(mails(stage)).toEqual(["prj_api/p1 planned → completed"]);
  });

  it("is not written twice although its issue moved on at the same time", async () => {
    const stage = await openTwo({ projects });
    movePost(stage);
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(mails(stage)).toEqual(["prj_api/p1 planned → completed"]);
    stage.github.reopen("acme/app", 1);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(mails(stage)).toEqual(["prj_api/p1 planned → completed", "prj_api/p1 completed → planned"]);
  });

  it("may be moved back", async () => {
    const stage = await openTwo({ projects });
    movePost(stage);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.board.removePost("acme-api", "p1");
    stage.board.restorePost("acme-app", "p1");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 2]);
    expect(mails(stage)).toEqual(["prj_app/p1 planned → completed"]);
  });

  it("is followed also where the new project would not have selected it", async () => {
    const stage = await openTwo({
      projects: projects.map((one) => (one === api ? { ...api, select: { statuses: ["open"] } } : one)),
    });
    movePost(stage);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(mails(stage)).toEqual(["prj_api/p1 planned → completed"]);
  });

  it("keeps what a person wants of it: a pause", async () => {
    const stage = await openTwo({ projects });
    const project = stage.ledger.memory.project("acme-app")?.id;
    if (project === undefined) throw new Error("The project is not known.");
    await stage.ledger.commit([{ kind: "pause", project, post: "p1" as never, at: stage.clock.now() }]);
    movePost(stage);
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(mails(stage)).toEqual([]);
    const there = stage.ledger.memory.project("acme-api")?.id ?? project;
    expect(await stage.ledger.rows.counts(there)).toMatchObject({ paused: 1 });
    expect(issuesOf(stage)).toEqual([3, 2]);
  });

  it("keeps the outcome of a PATCH that nobody knows, and what was parked of it", async () => {
    const stage = await openTwo({ projects, style: { showsUpdatedAt: false } });
    stage.github.close("acme/app", 1, "completed");
    const lost = { kind: "answer", status: 502, applied: true } as const;
    stage.board.failNext(lost, { when: ({ method }) => method === "PATCH" });
    await stage.sync();
    movePost(stage);
    for (let run = 0; run < 6; run += 1) await stage.sync();
    expect(mails(stage)).toEqual(["prj_app/p1 planned → completed"]);
    const there = stage.ledger.memory.project("acme-api")?.id;
    expect(there && (await stage.ledger.rows.counts(there))).toMatchObject({ waiting: 0, parked: 0 });
    expect((await stage.explain("p1", "acme-api")).fields.map(({ field }) => field)).toContain("status");
    stage.github.reopen("acme/app", 1);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(mails(stage)).toHaveLength(2);
  });

  it("is parked there where voters may have heard of it before", async () => {
    const stage = await openTwo({ projects, style: { showsUpdatedAt: false } });
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "answer", status: 502 }, { when: ({ method }) => method === "PATCH" });
    for (let run = 0; run < 5; run += 1) await stage.sync();
    movePost(stage);
    stage.mark();
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.patches()).toEqual([]);
    const there = stage.ledger.memory.project("acme-api")?.id;
    expect(there && (await stage.ledger.rows.counts(there))).toMatchObject({ parked: 1 });
  });

  it("waits until it is known whether its issue was opened, and gets no second one", async () => {
    const stage = await openTwo({ projects });
    const [id = ""] = addPlanned(stage, 1);
    const lost = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ path: "/issues", method: "POST", applied: true, answer: lost });
    await stage.sync();
    stage.board.removePost("acme-app", id);
    stage.board.restorePost("acme-api", id);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([4, 2]);
    stage.clock.skip(30 * minuteMs);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([4, 2]);
    stage.github.close("acme/app", 4, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(mails(stage)).toEqual([`prj_api/${id} planned → completed`]);
  });

  it("waits there, too, for a person to say whether its issue was opened", async () => {
    const stage = await openTwo({ projects });
    const [id = ""] = addPlanned(stage, 1);
    const lost = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ path: "/issues", method: "POST", applied: true, answer: lost });
    await stage.sync();
    stage.github.deleteIssue("acme/app", 4);
    stage.clock.skip(30 * minuteMs);
    await stage.sync();
    stage.board.removePost("acme-app", id);
    stage.board.restorePost("acme-api", id);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 2]);
    const there = stage.ledger.memory.project("acme-api")?.id;
    expect(there && (await stage.ledger.rows.counts(there))).toMatchObject({ parked: 1 });
  });

  it("gets none where a person paused it in its new place, it has come back, and none was opened", async () => {
    const stage = await openTwo({ projects });
    const [id = ""] = addPlanned(stage, 1);
    const lost = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ path: "/issues", method: "POST", answer: lost });
    await stage.sync();
    stage.board.removePost("acme-app", id);
    stage.board.restorePost("acme-api", id);
    await stage.sync();
    const project = stage.ledger.memory.project("acme-api")?.id;
    if (project === undefined) throw new Error("The project is not known.");
    await stage.ledger.commit([{ kind: "pause", project, post: id as PostId, at: stage.clock.now() }]);
    stage.board.removePost("acme-api", id);
    stage.board.restorePost("acme-app", id);
    stage.clock.skip(30 * minuteMs);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 2]);
  });

  it("is followed also where its issue is found later, and the new project would not have selected it", async () => {
    const stage = await openTwo({
      projects: projects.map((one) => (one === api ? { ...api, select: { statuses: ["open"] } } : one)),
    });
    const [id = ""] = addPlanned(stage, 1);
    const lost = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ path: "/issues", method: "POST", applied: true, answer: lost });
    await stage.sync();
    stage.board.removePost("acme-app", id);
    stage.board.restorePost("acme-api", id);
    stage.bend((world) => {
      const listIssues: Tracker["listIssues"] = () => {
        throw new RemoteError("tracker", "unreachable", "GitHub does not answer.");
      };
      return { ...world, tracker: Object.create(world.tracker, { listIssues: { value: listIssues } }) };
    });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.bend((world) => world);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.github.close("acme/app", 4, "completed");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(mails(stage)).toEqual([`prj_api/${id} planned → completed`]);
  });

  it("gets no second one where a person approved one for it, it was opened in its new place, and the post came back", async () => {
    const stage = await openTwo({ projects: [app, api], config: { guard: { issues: 5 } } });
    const [id = ""] = addPlanned(stage, 6);
    await stage.sync();
    const project = stage.ledger.memory.project("acme-app")?.id;
    const held = project === undefined ? [] : await stage.ledger.rows.held(project);
    expect(held).toHaveLength(6);
    const actions = held.filter(({ post }) => post === id);
    const asked = { kind: "approve", actions, isWhole: false, at: stage.clock.now() } as const;
    stage.board.removePost("acme-app", id);
    stage.board.restorePost("acme-api", id);
    await syncWithout(stage, "prj_app");
    expect(issuesOf(stage)).toEqual([3, 3]);
    stage.board.removePost("acme-api", id);
    stage.board.restorePost("acme-app", id);
    if (project !== undefined)
      await stage.ledger.commit([{ kind: "add-request", request: { ...asked, project } }]);
    await syncWithout(stage, "prj_api");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 3]);
    stage.github.close("acme/api", 3, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(mails(stage)).toEqual([`prj_app/${id} planned → completed`]);
  });

  it("counts what its voters have heard before against `guard.flips`", async () => {
    const stage = await openTwo({ projects, config: { guard: { flips: 2 } } });
    for (let step = 0; step < 2; step += 1) {
      if (step === 0) stage.github.close("acme/app", 1, "completed");
      else stage.github.reopen("acme/app", 1);
      for (let run = 0; run < 2; run += 1) await stage.sync();
    }
    expect(mails(stage)).toHaveLength(2);
    movePost(stage);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(mails(stage)).toHaveLength(2);
    const there = stage.ledger.memory.project("acme-api")?.id;
    expect(there && (await stage.ledger.rows.counts(there))).toMatchObject({ quarantined: 1 });
  });

  it("is held, and the other one named, where its title or its time differ", async () => {
    for (const fields of [{ title: "Another" }, { createdAt: "2020-01-01T00:00:00.000Z" }]) {
      const stage = await openTwo({ projects });
      movePost(stage, fields);
      for (let run = 0; run < 3; run += 1) await stage.sync();
      expect(issuesOf(stage)).toEqual([3, 2]);
      const hold = await holdOf(stage);
      expect(hold).toContain("acme-app/p1 has acme/app#1");
      expect(hold).toContain("boardsync link acme-api/p1 acme/app#1");
      expect(hold).toContain("boardsync approve acme-api p1");
      await approve(stage, "p1");
      for (let run = 0; run < 2; run += 1) await stage.sync();
      expect(issuesOf(stage)).toEqual([3, 3]);
      expect(mails(stage)).toEqual([]);
    }
  });

  it("opens no second issue after the state was lost", async () => {
    const repositories = privateRepositories("acme/app");
    const shared = projects.map((one) => ({ ...one, repo: "acme/app" }));
    const stage = await openStage({ boardProjects: twoProjects, repositories, projects: shared });
    addPlanned(stage, 2);
    await stage.sync();
    movePost(stage);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.loseState();
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.github.issues("acme/app")).toHaveLength(2);
    expect(await holdOf(stage)).toContain("acme-app/p1 has acme/app#1");
  });
});

describe("a post that is moved, and lists that don't tell", () => {
  it("follows also where nothing selects it, once it is known what became of the last write", async () => {
    const stage = await openTwo({ projects: [{ ...api, select: { minVotes: 1000 } }, app] });
    const { board, github, clock } = stage;
    board.editPost("acme-app", "p1", { title: "Darker mode" });
    const lost = { kind: "answer", status: 502 } as const;
    github.failNext({ method: "PATCH", path: "/issues/1", applied: "late", answer: lost });
    await stage.sync();
    movePost(stage, { title: "Darker mode" });
    const linked = async () => {
      for (let run = 0; run < 3; run += 1) await stage.sync();
      const row = await stage.ledger.rows.row("prj_api" as ProjectId, "p1" as PostId, clock.now());
      return row?.links.map(({ link }) => link.issue.number);
    };
    expect(await linked()).toEqual([]);
    clock.skip(20 * minuteMs);
    expect(await linked()).toEqual([1]);
  });

  it("waits while the old project's list is not complete, and a person may let it go", async () => {
    const stage = await openTwo({ projects: [api, app] });
    movePost(stage);
    const isOfApp = ({ path, method, query }: { path: string; method: string; query?: unknown }) =>
      method === "GET" && path === "/feedback" && JSON.stringify(query ?? path).includes("prj_app");
    stage.board.failNext({ kind: "answer", status: 503 }, { times: 20, when: isOfApp as never });
    await stage.sync();
    await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 2]);
    expect(await holdOf(stage)).toContain("waits for the next complete list of acme-app");
    await approve(stage, "p1");
    await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 3]);
  });
});

/** One run, in which the list of one project can't be read. */
async function syncWithout(stage: Stage, project: "prj_app" | "prj_api"): Promise<void> {
  stage.bend((world) => {
    const listPosts: Board["listPosts"] = (id, ...asked) => {
      if (id === project) throw new RemoteError("board", "unreachable", "The board does not answer.");
      return world.board.listPosts(id, ...asked);
    };
    return { ...world, board: Object.create(world.board, { listPosts: { value: listPosts } }) };
  });
  await stage.sync();
  stage.bend((world) => world);
}

describe("a post that is moved, seen in its new place before its old one is known to lack it", () => {
  async function openSeen(part: ConfigPart = {}, fields?: Fields): Promise<Stage> {
    const projects = [api, app].map((one) => ({ ...one, ...part }));
    const stage = await openTwo({ projects });
    movePost(stage, fields);
    await syncWithout(stage, "prj_app");
    return stage;
  }

  it("gets no second issue where it was back in the meantime, and has gone again", async () => {
    const stage = await openSeen();
    stage.board.removePost("acme-api", "p1");
    stage.board.restorePost("acme-app", "p1");
    await syncWithout(stage, "prj_api");
    movePost(stage);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 2]);
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(mails(stage)).toEqual(["prj_api/p1 planned → completed"]);
  });

  it("stays paused where a person has paused it in its new place", async () => {
    const stage = await openSeen();
    const project = stage.ledger.memory.project("acme-api")?.id;
    if (project === undefined) throw new Error("The project is not known.");
    await stage.ledger.commit([{ kind: "pause", project, post: "p1" as never, at: stage.clock.now() }]);
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(mails(stage)).toEqual([]);
    expect(await stage.ledger.rows.counts(project)).toMatchObject({ paused: 1 });
  });

  it.each<[string, Fields, "open" | "closed"]>([
    ["does not count as gone from the board", {}, "open"],
    ["does not count as gone from the board, with another title", { title: "Another" }, "open"],
    ["is another one where it was made at another time", { createdAt: "2020-01-01T00:00:00.000Z" }, "closed"],
  ])("%s", async (_, fields, state) => {
    const gone = { state: "closed", reason: "not_planned" };
    const part = { boardRules: [{ when: { missing: true }, set: gone }] };
    const stage = await openSeen(part, fields);
    await syncWithout(stage, "prj_api");
    await syncWithout(stage, "prj_api");
    expect(stage.github.issue("acme/app", 1).state).toBe(state);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe(state);
  });
});

describe("a post that is gone from its project, and another project that can't be listed", () => {
  it("does not count as gone from the board before that is listed once more", async () => {
    const gone = { state: "closed", reason: "not_planned" };
    const stage = await openTwo({
      projects: [{ ...app, boardRules: [{ when: { missing: true }, set: gone }] }, api],
    });
    stage.board.removePost("acme-app", "p1");
    for (let run = 0; run < 3; run += 1) await syncWithout(stage, "prj_api");
    expect(stage.github.issue("acme/app", 1).state).toBe("open");
    stage.clock.skip(3 * minuteMs);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe("closed");
  });

  it("is found there once it is", async () => {
    const gone = { state: "closed", reason: "not_planned" };
    const stage = await openTwo({
      projects: [{ ...app, boardRules: [{ when: { missing: true }, set: gone }] }, api],
    });
    movePost(stage);
    for (let run = 0; run < 3; run += 1) await syncWithout(stage, "prj_api");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe("open");
    expect(issuesOf(stage)).toEqual([3, 2]);
  });
});

describe("what a person asks for of a post in its old place, before its issue follows it", () => {
  /** The old project knows that it is gone, the new one has not looked yet, and is the next one to do so. */
  async function order(
    stage: Stage,
    asked: (at: { readonly project: ProjectId; readonly at: number }) => Promise<NewRequest> | NewRequest,
  ): Promise<void> {
    movePost(stage);
    await syncWithout(stage, "prj_api");
    const project = stage.ledger.memory.project("acme-app")?.id;
    if (project === undefined) throw new Error("The project is not known.");
    const request = await asked({ project, at: stage.clock.now() });
    await stage.ledger.commit([{ kind: "add-request", request }]);
    for (let run = 0; run < 3; run += 1) await stage.sync();
  }

  async function issuesAfter(stage: Stage): Promise<readonly number[] | undefined> {
    const project = stage.ledger.memory.project("acme-api")?.id;
    const row = project && (await stage.ledger.rows.row(project, p1, stage.clock.now()));
    return row?.links.map(({ link }) => link.issue.number);
  }

  const p1 = "p1" as PostId;

  it("links an issue of theirs there", async () => {
    const stage = await openTwo({ projects: [api, app] });
    stage.github.openIssue("acme/app", { title: "Of a person", body: "", author: "ada" });
    await order(stage, (at) => ({ ...at, kind: "link", post: p1, repository: "acme/app", number: 4 }));
    expect(await issuesAfter(stage)).toEqual([1, 4]);
  });

  it("ends a link there", async () => {
    const stage = await openTwo({ projects: [api, app] });
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id;
    if (repositoryId === undefined) throw new Error("The repository is not known.");
    await order(stage, (at) => ({ ...at, kind: "unlink", post: p1, issues: [{ repositoryId, number: 1 }] }));
    expect(await issuesAfter(stage)).toEqual([]);
    expect(issuesOf(stage)).toEqual([3, 2]);
  });

  it.each<[string, readonly string[]]>([
    ["resume", ["prj_api/p1 planned → completed", "prj_app/p2 planned → completed"]],
    ["resume-discard", []],
  ])("ends its pause there, and that of another post in its place: %s", async (kind, told) => {
    const stage = await openTwo({ projects: [api, app] });
    const project = stage.ledger.memory.project("acme-app")?.id;
    if (project === undefined) throw new Error("The project is not known.");
    const posts = [p1, "p2" as PostId];
    const at = stage.clock.now();
    await stage.ledger.commit(posts.map((post) => ({ kind: "pause", project, post, at })));
    stage.github.close("acme/app", 1, "completed");
    stage.github.close("acme/app", 2, "completed");
    const ended = kind as "resume" | "resume-discard";
    await order(stage, (asked) => ({ ...asked, kind: ended, posts }));
    expect(mails(stage)).toEqual(told);
    for (const key of ["acme-app", "acme-api"]) {
      const id = stage.ledger.memory.project(key)?.id;
      expect(id && (await stage.ledger.rows.counts(id))).toMatchObject({ paused: 0 });
    }
    expect(await stage.ledger.requests.newest()).toEqual([]);
  });

  it("lets go there what was held", async () => {
    const stage = await openTwo({ projects: [api, app], config: { guard: { statuses: 1 } } });
    for (const issue of [1, 2, 3]) stage.github.close("acme/app", issue, "completed");
    await stage.sync();
    const approved: Parameters<typeof order>[1] = async (at) => {
      const held = await stage.ledger.rows.held(at.project);
      const actions = held.filter(({ post }) => post === "p1" || post === "p2");
      return { ...at, kind: "approve", actions, isWhole: false };
    };
    await order(stage, approved);
    expect(mails(stage).toSorted()).toEqual([
      "prj_api/p1 planned → completed",
      "prj_app/p2 planned → completed",
    ]);
  });
});

it("a difference that the new project's rules alone make is held, and nobody is notified", async () => {
  const rules = [{ when: { state: "open" }, set: { status: "in_progress" } }];
  const stage = await openTwo({ projects: [app, { ...api, rules }] });
  const before = mails(stage).length;
  movePost(stage);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(mails(stage)).toHaveLength(before);
  expect(await holdOf(stage)).toContain("p1: the rules have changed");
});

it("what it is still to get by the same rules is written there, also where these can't be read at first", async () => {
  const rules = [{ when: { pullRequest: "none" }, set: { status: "in_progress" } }];
  const projects = [app, api].map((project) => ({ ...project, rules }));
  const stage = await openTwo({ projects, config: { settle: "12h" } });
  expect(mails(stage)).toEqual([]);
  stage.clock.skip(7 * 60 * minuteMs);
  movePost(stage);
  const unread = { kind: "unknown", message: "Something went wrong." } as const;
  stage.bend((world) => {
    const readSignals: Tracker["readSignals"] = async function* (nodeIds) {
      yield nodeIds.map((nodeId) => ({ nodeId, signals: { pullRequests: unread } }));
    };
    return { ...world, tracker: Object.create(world.tracker, { readSignals: { value: readSignals } }) };
  });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.bend((world) => world);
  stage.clock.skip(13 * 60 * minuteMs);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(mails(stage)).toContain("prj_api/p1 planned → in_progress");
});

describe("a board that counts the posts of each project by itself", () => {
  /** The same id in the other project, for a post of its own. */
  async function addTwin(stage: Stage): Promise<void> {
    const twin = stage.board.post("acme-app", "p1");
    stage.board.removePost("acme-app", "p1");
    stage.board.restorePost("acme-api", "p1");
    stage.board.editPost("acme-api", "p1", { title: "Another", createdAt: "2026-01-01T00:00:00.000Z" });
    stage.board.restorePost("acme-app", "p1");
    expect(twin).toEqual(stage.board.post("acme-app", "p1"));
  }

  it.each([
    ["the old project first", [app, api], 1],
    ["the new project first", [api, app], 3],
  ])("has two posts of one id, and an issue for each, %s", async (_, projects, runs) => {
    const stage = await openTwo({ projects });
    await addTwin(stage);
    for (let run = 0; run < runs; run += 1) await stage.sync();
    expect(issuesOf(stage)).toEqual([3, 3]);
    await stage.sync();
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });
});

it("its issue's text goes on to follow it, also where the issue stands for a post that stays", async () => {
  const stage = await openTwo();
  const project = stage.ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("The project is not known.");
  const request = { kind: "link", post: "p2" as never, repository: "acme/app", number: 1 } as const;
  await stage.ledger.commit([
    { kind: "add-request", request: { ...request, project, at: stage.clock.now() } },
  ]);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  movePost(stage);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.board.editPost("acme-api", "p1", { description: "Edited after the move." });
  stage.github.openIssue("acme/app", { title: "Another", body: "", author: "ada" });
  for (let run = 0; run < 3; run += 1)
    expect((await stage.sync()).projects.flatMap(({ errors }) => errors)).toEqual([]);
  expect(stage.github.issue("acme/app", 1).body).toContain("Edited after the move.");
  expect(mails(stage)).toEqual([]);
  expect(issuesOf(stage)).toEqual([4, 2]);
});

it("waits where another process has listed it in its old place meanwhile", async () => {
  const stage = await openTwo();
  movePost(stage);
  stage.board.restorePost("acme-app", "p1");
  stage.bend((world) => {
    const { lookup } = world.ledger;
    const namesakes: typeof lookup.namesakes = async (...asked) =>
      (await lookup.namesakes(...asked)).map((found) => ({ ...found, isGone: true }));
    return { ...world, ledger: Object.create(world.ledger, { lookup: { value: { ...lookup, namesakes } } }) };
  });
  expect((await stage.sync()).projects.flatMap(({ errors }) => errors)).toEqual([]);
  expect(issuesOf(stage)).toEqual([3, 2]);
  expect(await holdOf(stage)).toContain("waits for the next complete list of acme-app");
});

it("a post that is moved out of the config is missing, and no more", async () => {
  const stage = await openTwo({ projects: [app] });
  movePost(stage);
  expect(await reportOf(stage, "acme-app")).toMatchObject({ missing: 1 });
  expect(stage.writes()).toEqual([]);
});
