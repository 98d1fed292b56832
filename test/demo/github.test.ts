import { describe, expect, it, onTestFinished } from "vitest";
import { type DemoGitHub, startDemoGitHub } from "../../src/demo/github.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import type { IssueWrite, SignalWish } from "../../src/tracker/tracker.ts";
import { startSandboxGitHub } from "../support/sandbox/github/github.ts";
import {
  createFakeClock,
  createFixture,
  etagOf,
  type FakeClock,
  token,
  unbounded,
} from "../tracker/github/setup.ts";

const name = "acme/app";
const labels = ["feedback", "in progress"];
const wish: SignalWish = {
  ...{ pullRequests: true, subIssues: true, released: true, duplicates: true, facts: true, editors: true },
  projects: [],
};

async function startDemo(now: () => number): Promise<DemoGitHub> {
  const github = await startDemoGitHub({
    repositories: [{ name, labels }],
    ...{ people: ["dana"], login: "acme-boardsync", token, now, port: undefined },
  });
  onTestFinished(() => github.stop());
  return github;
}

async function startSandbox(clock: FakeClock) {
  const github = await startSandboxGitHub({
    ...{ clock, token, login: "acme-boardsync" },
    repositories: [{ name, labels, private: true, collaborators: ["dana"] }],
  });
  onTestFinished(() => github.stop());
  return github;
}

const issue = { body: "Text", assignees: [], milestone: undefined, type: undefined };
const writes: readonly IssueWrite[] = [
  { kind: "create-issue", ...issue, title: "One", labels: ["Feedback", "new one"], assignees: ["dana"] },
  { kind: "create-issue", ...issue, title: "Two", labels: [] },
  { kind: "create-issue", ...issue, title: " ", labels: [] },
  { kind: "create-issue", ...issue, title: "Three", labels: [], assignees: ["nobody"] },
  { kind: "edit-issue", number: 1, title: "One more", body: "Other text" },
  { kind: "edit-issue", number: 1, title: "One more" },
  { kind: "edit-issue", number: 1, state: "closed", stateReason: "not_planned" },
  { kind: "edit-issue", number: 1, state: "closed", stateReason: "completed" },
  { kind: "edit-issue", number: 2, state: "closed" },
  { kind: "edit-issue", number: 2, state: "open", stateReason: "reopened" },
  { kind: "edit-issue", number: 9, title: "Nothing" },
  { kind: "add-labels", number: 2, labels: ["in progress", "FEEDBACK"] },
  { kind: "remove-label", number: 2, label: "In Progress" },
  { kind: "remove-label", number: 2, label: "in progress" },
  { kind: "create-label", name: "later" },
  { kind: "create-label", name: "Later" },
  { kind: "create-label", name: " " },
  { kind: "add-comment", number: 2, body: "Hello" },
  { kind: "add-comment", number: 9, body: "Hello" },
];

/** Everything that the adapter can be asked for, without what counts things up on a GitHub. */
async function playAll(url: string, clock: FakeClock): Promise<unknown> {
  const { tracker } = createFixture(url, { clock });
  const bounds: ReadBounds = unbounded();
  const repository = await tracker.repository(name, bounds);
  const outcomes: unknown[] = [];
  for (const write of writes) {
    clock.pass(1500);
    outcomes.push(await tracker.write(repository, write));
  }
  const latest = await collect(tracker.listIssues(repository, { kind: "latest", etag: undefined }, bounds));
  const { etag } = latest[0] ?? { etag: undefined };
  const since = latest[0]?.issues[0]?.issue.updatedAt;
  const author = "acme-boardsync";
  const catalogue = await tracker.catalogue(repository, bounds);
  const labels = await tracker.labels(repository, undefined, bounds);
  const known = latest.flatMap(({ issues }) => issues.map((record) => record.issue));
  const nodeIds = [...known.map(({ nodeId }) => nodeId), "I_0"];
  const ref = { repositoryId: repository.id, number: 2 };
  const found = {
    ...{ repository, outcomes, latest, catalogue },
    byId: await tracker.repository(repository.id, bounds),
    account: await tracker.account(bounds),
    server: (await tracker.server(bounds)).replace(new URL(url).host, "HOST"),
    unchanged: await collect(tracker.listIssues(repository, { kind: "latest", etag }, bounds)),
    since: await collect(tracker.listIssues(repository, { kind: "since", since }, bounds)),
    by: await collect(
      tracker.listIssues(repository, { kind: "by", author, createdSince: undefined }, bounds),
    ),
    one: await tracker.readIssue(ref, bounds),
    none: await tracker.readIssue({ ...ref, number: 9 }, bounds),
    comments: await collect(tracker.comments(ref, bounds)),
    types: await tracker.issueTypes(repository, undefined, bounds),
    labels,
    again: await tracker.labels(repository, etagOf(labels), bounds),
    dana: await tracker.isAssignable(repository, "dana", bounds),
    nobody: await tracker.isAssignable(repository, "nobody", bounds),
    elsewhere: await tracker.repository("acme/none", bounds).catch((error: unknown) => String(error)),
    signals: await collect(tracker.readSignals(nodeIds, wish, bounds)),
  };
  // Of the editors only others than boardsync count, and here are none.
  const counted = ["editors", "id", "nodeId", "repositoryId", "labelIds", "etag"];
  return JSON.parse(
    JSON.stringify(found, (key, value: unknown) => (counted.includes(key) ? undefined : value)),
  );
}

async function collect<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

it("the demo's GitHub answers boardsync as the sandbox of the tests does, whatever it asks or writes", async () => {
  const clocks = [createFakeClock(), createFakeClock()] as const;
  const [demo, sandbox] = [await startDemo(clocks[0].now), await startSandbox(clocks[1])];
  const played = await playAll(demo.url, clocks[0]);
  expect(played).toEqual(await playAll(sandbox.url, clocks[1]));
  expect(played).toMatchObject({ one: { kind: "found" }, unchanged: [{ isUnchanged: true }] });
});

describe("the demo's GitHub", () => {
  async function open() {
    const github = await startDemo(() => Date.parse("2026-01-05T10:00:00Z"));
    const ask = (method: string, path: string, body?: string, authorization = `token ${token}`) =>
      fetch(`${github.url}${path}`, { method, headers: { authorization }, ...(body && { body }) });
    return { github, ask };
  }

  it.each([
    ["GET", "/user", undefined, 200],
    ["POST", "/graphql", '{"query":"{ viewer { login } }"}', 404],
    ["GET", "/repos/acme/app/pulls", undefined, 404],
    ["GET", "/orgs/acme", undefined, 404],
    ["GET", "/repos/acme/app/issues/1", undefined, 404],
    ["POST", "/repos/acme/app/issues", '{"body":"no title"}', 422],
    ["POST", "/repos/acme/app/issues", '{"title":"A pony","labels":"feedback"}', 422],
    ["POST", "/repos/ACME/App/issues", '{"title":"A pony","state":"closed"}', 201],
    ["POST", "/repos/acme/app/labels", "{", 400],
  ])("answers %s %s with %s by %i", async (method, path, body, status) => {
    const { github, ask } = await open();
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(status);
    expect(github.issues(name).map(({ state }) => state)).toEqual(status === 201 ? ["open"] : []);
  });

  it("lets nobody in without its token, and has the time of the story", async () => {
    const { ask } = await open();
    const { headers } = await ask("GET", "/user");
    expect(headers.get("date")).toBe("Mon, 05 Jan 2026 10:00:00 GMT");
    expect((await ask("GET", "/user", undefined, "")).status).toBe(401);
    expect((await ask("GET", "/user", undefined, "Bearer another")).status).toBe(401);
  });

  it("leads from page to page", async () => {
    const { github, ask } = await open();
    for (const title of ["One", "Two", "Three"])
      await ask("POST", "/repos/acme/app/issues", JSON.stringify({ title }));
    const first = await ask("GET", "/repos/acme/app/issues?per_page=2&direction=asc");
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await ask("GET", String(next).replace(github.url, ""));
    expect(second.headers.get("link")).toBeNull();
    expect(JSON.parse(await second.text())).toMatchObject([{ title: "Three" }]);
  });

  it("throws where the story names what is not there", async () => {
    const { github } = await open();
    expect(() => github.issues("acme/none")).toThrow("The demo has no repository acme/none.");
    expect(() => github.label(name, 1, "feedback")).toThrow("The demo has no issue acme/app#1.");
  });
});
