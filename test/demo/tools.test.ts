import { expect, it, onTestFinished } from "vitest";
import { startDemoBoard } from "../../src/demo/board.ts";
import { proposeTools } from "../../src/story/check/tool-proposals.ts";
import { bounds } from "../board/http/given.ts";
import { givenTools } from "../board/mcp/given.ts";

const key = "demo-board-key";

async function openBoard() {
  const board = await startDemoBoard({
    ...{ key, now: Date.now, port: undefined },
    projects: [{ id: "prj_1", slug: "acme-app", name: "Acme App" }],
  });
  onTestFinished(() => board.close());
  const url = new URL("/api/mcp", board.url).href;
  const described = givenTools(url, {}, { key });
  const proposals = proposeTools(await described.describe(bounds()));
  const tools = Object.fromEntries(proposals.map(({ purpose, name, args }) => [purpose, { name, args }]));
  return { board, url, proposals, tools: givenTools(url, tools, { key }) };
}

it("the demo's board has a tool for every purpose but a change of a draft, as `check` proposes them", async () => {
  const { proposals } = await openBoard();
  expect(proposals.map(({ purpose }) => purpose)).toEqual([
    "categories",
    "changelogList",
    "changelogCreate",
    "changelogPublish",
    "feedbackCreate",
  ]);
});

it("the demo's board lists categories, makes a draft and publishes it, and makes a post", async () => {
  const { board, tools } = await openBoard();
  const { records } = await tools.list("categories", {}, bounds());
  expect(records).toMatchObject([{ id: "cat_looks", title: "Looks" }, { id: "cat_data" }]);
  const made = await tools.call("changelogCreate", { title: "1.0", content: "All new", publish: false });
  expect(made).toMatchObject({ kind: "applied", record: { id: "entry_1" } });
  expect(await tools.list("changelogList", {}, bounds())).toMatchObject({
    records: [{ id: "entry_1", title: "1.0", isPublished: false }],
  });
  expect(await tools.call("changelogPublish", { id: "entry_1" })).toMatchObject({ kind: "applied" });
  expect(board.entries.get("entry_1")).toMatchObject({ content: "All new", isPublished: true });
  const post = { project: "prj_1", title: "A wish", description: "https://github.com/acme/app/issues/1" };
  expect(await tools.call("feedbackCreate", { ...post, categoryId: "cat_data" })).toMatchObject({
    kind: "applied",
    record: { id: "p1" },
  });
  expect(board.posts("acme-app")).toMatchObject([{ id: "p1", title: "A wish", categoryId: "cat_data" }]);
});

it("the demo's board refuses what it can't do", async () => {
  const { board, url, tools } = await openBoard();
  expect(await tools.call("changelogCreate", { title: 7 })).toMatchObject({ kind: "rejected" });
  expect(await tools.call("changelogPublish", { id: "entry_9" })).toMatchObject({ kind: "rejected" });
  const post = { project: "nobody", title: "", description: "" };
  expect(await tools.call("feedbackCreate", post)).toMatchObject({ kind: "rejected" });
  expect([board.entries.size, board.posts("acme-app")]).toEqual([0, []]);
  const ask = async (method: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return [answer.status, await answer.text()];
  };
  expect(await ask("GET")).toEqual([405, ""]);
  expect(await ask("POST", { jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([202, ""]);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  expect(await ask("POST", { ...call, params: { name: "drop_all" } })).toEqual([
    200,
    expect.stringContaining("There is no such tool."),
  ]);
  expect(await ask("POST", { ...call, params: { name: "list_categories" } })).toEqual([
    200,
    expect.stringContaining("Looks"),
  ]);
});
