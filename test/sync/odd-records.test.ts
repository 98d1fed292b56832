import { describe, expect, it } from "vitest";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

type Rec = Record<string, unknown>;

async function listNow({ board }: Stage): Promise<{ readonly feedback: Rec[] }> {
  const address = `${board.url}/feedback?project=prj_app`;
  return (await fetch(address, { headers: { authorization: `Bearer ${board.key}` } })).json() as never;
}

/** From now on the board lists this. */
async function relist(stage: Stage, change: (posts: Rec[]) => readonly Rec[], times = 99): Promise<void> {
  const { feedback } = await listNow(stage);
  stage.board.failNext(
    { kind: "answer", status: 200, body: { feedback: change(feedback) } },
    { times, when: isList },
  );
}

const isList = ({ path, method }: { path: string; method: string }) =>
  path === "/feedback" && method === "GET";

async function openPosts(count: number, changes: ConfigPart = {}): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, ...changes }] });
  addPlanned(stage, count);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.mark();
  return stage;
}

describe("a post that one page shows twice, and otherwise each time,", () => {
  const boardRules = [{ when: { status: "declined" }, set: { state: "closed", reason: "not_planned" } }];

  it.each([
    ["the other one last", (posts: Rec[]) => [...posts, { ...posts[0], status: "declined" }]],
    ["the other one first", (posts: Rec[]) => [{ ...posts[0], status: "declined" }, ...posts]],
  ])("moves nothing, and makes the pull incomplete: %s", async (_, change) => {
    const stage = await openPosts(2, { boardRules });
    await relist(stage, change);
    const { errors, issueWrites } = await stage.syncOne();
    expect({ issueWrites, codes: errors.map(({ code }) => code) }).toEqual({
      issueWrites: 0,
      codes: ["board.incomplete"],
    });
  });
});

describe("a value of a type that can't be used is unknown, and never no:", () => {
  it("a post that says when it was archived becomes no issue", async () => {
    const stage = await openPosts(1);
    addPlanned(stage, 1);
    await relist(stage, ([first, second]) => [
      { ...first },
      { ...second, isArchived: "2026-03-01T10:00:00Z" },
    ]);
    await stage.sync();
    expect(stage.github.issues("acme/app")).toHaveLength(1);
  });

  it("nor does the issue of an archived post open again because of it", async () => {
    const boardRules = [{ when: { archived: true }, set: { state: "closed", reason: "not_planned" } }];
    const stage = await openPosts(2, { boardRules });
    stage.board.editPost("acme-app", "p1", { isArchived: true });
    await stage.sync();
    stage.clock.skip(hourMs);
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe("closed");
    await relist(stage, ([first, second]) => [
      { ...first, isArchived: "2026-03-01T10:00:00Z" },
      { ...second },
    ]);
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe("closed");
  });
});

const closing = [{ when: { missing: true }, set: { state: "closed", reason: "not_planned" } }];

/** The same sign in the types in which records may show a flag, too. */
it.each<[string, Readonly<Record<string, unknown>>]>([
  ["true", { hasMore: true }],
  ["the text true", { hasMore: "true" }],
  ["1", { hasMore: 1 }],
  ["the last page is not this one", { isLast: "false" }],
  ["in an envelope", { meta: { has_more: "1" } }],
])("a list that says that more follows (%s) is incomplete: what it lacks is not gone", async (_, signs) => {
  const stage = await openStage({ projects: [{ ...standardProject, boardRules: closing }] });
  addPlanned(stage, 3);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  const { feedback } = await listNow(stage);
  const body = { feedback: feedback.slice(0, 2), ...signs };
  stage.board.failNext({ kind: "answer", status: 200, body }, { times: 9, when: isList });
  const { errors } = await stage.syncOne();
  await stage.sync();
  await stage.sync();
  expect([stage.github.issue("acme/app", 3).state, errors.map(({ code }) => code)]).toEqual([
    "open",
    ["board.incomplete"],
  ]);
});

const project = { ...standardProject, select: {} };
const categories = [{ id: "cat_1", name: "Billing" }];

it("a board without posts yet has no issue opened for what else its answer lists", async () => {
  const stage = await openStage({ projects: [project] });
  const body = { ideas: [], categories };
  stage.board.failNext({ kind: "answer", status: 200, body }, { times: 9, when: isList });
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual([]);
});

it("nor one whose last post has gone", async () => {
  const stage = await openStage({ projects: [project], style: { items: "ideas" } });
  addPlanned(stage, [{ title: "One" }]);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  stage.clock.skip(hourMs);
  const body = { ideas: [], categories };
  stage.board.failNext({ kind: "answer", status: 200, body }, { times: 9, when: isList });
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(["One"]);
});
