import { describe, expect, it } from "vitest";
import { listNext, listNow, relist, type Shown } from "../support/listing.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

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
    ["the other one last", (posts: readonly Shown[]) => [...posts, { ...posts[0], status: "declined" }]],
    ["the other one first", (posts: readonly Shown[]) => [{ ...posts[0], status: "declined" }, ...posts]],
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
  listNext(stage, body, 9);
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
  listNext(stage, body, 9);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual([]);
});

it("nor one whose last post has gone", async () => {
  const stage = await openStage({ projects: [project], style: { items: "ideas" } });
  addPlanned(stage, [{ title: "One" }]);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  stage.clock.skip(hourMs);
  const body = { ideas: [], categories };
  listNext(stage, body, 9);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(["One"]);
});

it.each([
  ["description", { type: "doc", content: [{ type: "text", text: "Both of them." }] }],
  ["title", { en: "Export", de: "Ausfuhr" }],
])("a %s that can't be read is no empty one: the issue keeps its text", async (field, value) => {
  const stage = await openStage();
  addPlanned(stage, [
    { title: "Export", description: "Both of them." },
    { title: "Import", description: "And back." },
  ]);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  const before = stage.github.issues("acme/app").map(({ title, body }) => [title, body]);
  await relist(
    stage,
    ([first, second]) => [{ ...first, [field]: value, updatedAt: "2026-03-09T10:00:00Z" }, second as Shown],
    99,
  );
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app").map(({ title, body }) => [title, body])).toEqual(before);
});

it.each([
  ["a readable one (as it is to be)", "completed"],
  ["a list", ["completed"]],
  ["one in two languages", { en: "Completed", de: "Erledigt" }],
])("a status that can't be read is none that may be written over: %s", async (_, status) => {
  const rules = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { state: "open" }, set: { status: "planned" } },
  ];
  const stage = await openStage({ projects: [{ ...standardProject, select: { archived: false }, rules }] });
  stage.board.addPost("acme-app", { title: "Export", status: "completed", votes: 40 });
  stage.board.addPost("acme-app", { title: "Import", status: "planned" });
  await relist(stage, ([first, second]) => [{ ...first, status }, second as Shown], 99);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.board.notifications).toEqual([]);
});

it.each([
  ["an object", { html: "<p>Call Ada before Friday</p>" }],
  ["a list", ["Call Ada before Friday"]],
  ["a list of records", [{ id: "n1", author: "bob", text: "Call Ada before Friday" }]],
  [
    "rich text",
    { type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text: "Call Ada" }] }] },
  ],
  ["a number", 4711],
])("a note that is %s is not written over", async (_, internalNote) => {
  const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
  addPlanned(stage, [
    { title: "Export", internalNote: "Call Ada before Friday" },
    { title: "Import", internalNote: "plain" },
  ]);
  await relist(stage, ([first, second]) => [{ ...first, internalNote }, second as Shown], 99);
  for (let run = 0; run < 4; run += 1) await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.internalNote).toContain("Call Ada before Friday");
});

it("a lost write does not count as moved by a person because one list can't be read: it is in doubt, and that is said", async () => {
  const stage = await openStage();
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.board.failNext(
    { kind: "answer", status: 502 },
    { times: 1, when: ({ method }) => method === "PATCH" },
  );
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  stage.clock.skip(10 * minuteMs);
  await relist(stage, ([first, second]) => [{ ...first, status: { en: "Planned" } }, second as Shown]);
  expect(await stage.syncOne()).toMatchObject({
    parked: 1,
    errors: [{ code: "board.unsure" }, { code: "tracker.undecided" }],
  });
  const request = { kind: "retry", posts: ["p1"], project: "prj_app", at: stage.clock.now() } as never;
  await stage.ledger.commit([{ kind: "add-request", request }]);
  stage.clock.skip(10 * minuteMs);
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
});
