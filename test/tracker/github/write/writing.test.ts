import { describe, expect, it } from "vitest";
import type { IssueWrite } from "../../../../src/tracker/tracker.ts";
import { until } from "../../../support/until.ts";
import {
  repository as known,
  type SandboxFixture,
  sendJson,
  startSandbox,
  startServer,
  unbounded,
} from "../setup.ts";

const create: IssueWrite = {
  kind: "create-issue",
  title: "Dark mode",
  body: "<!-- marker -->\nPlease.",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
};

async function send(sandbox: SandboxFixture, write: IssueWrite) {
  const repository = await sandbox.tracker.repository("acme/app", unbounded());
  return sandbox.tracker.write(repository, write);
}

describe("a write", () => {
  it("opens an issue with everything that was asked for, and shows it", async () => {
    const sandbox = await startSandbox({
      repositories: [
        { name: "acme/app", milestones: ["Backlog"], types: ["Feature"], collaborators: ["ann"] },
      ],
    });
    const outcome = await send(sandbox, {
      ...create,
      labels: ["feedback", "ui"],
      assignees: ["ann"],
      milestone: 1,
      type: "Feature",
    });
    expect(outcome).toMatchObject({
      kind: "applied",
      record: {
        author: sandbox.github.login,
        title: "Dark mode",
        body: "<!-- marker -->\nPlease.",
        issue: {
          number: 1,
          state: "open",
          labels: ["feedback", "ui"],
          assignees: ["ann"],
          milestone: { number: 1, title: "Backlog" },
          type: "Feature",
        },
      },
    });
    expect(sandbox.github.issues("acme/app")).toHaveLength(1);
  });

  it("comments on an issue, once for each time that it is sent", async () => {
    const sandbox = await startSandbox();
    sandbox.github.openIssue("acme/app", { title: "One" });
    const write: IssueWrite = { kind: "add-comment", number: 1, body: "Planned for spring." };
    expect(await send(sandbox, write)).toEqual({ kind: "applied", record: undefined });
    expect(sandbox.github.comments("acme/app", 1)).toEqual([
      { author: sandbox.github.login, body: "Planned for spring." },
    ]);
    sandbox.github.lock("acme/app", 1);
    expect(await send(sandbox, write)).toMatchObject({ kind: "rejected", status: 403 });
    const long: IssueWrite = { ...write, body: "x".repeat(65_537) };
    sandbox.github.unlock("acme/app", 1);
    expect(await send(sandbox, long)).toMatchObject({ kind: "rejected", fields: ["body"] });
  });

  it("sends no field that was not given", async () => {
    const sandbox = await startSandbox();
    await send(sandbox, create);
    await send(sandbox, { kind: "edit-issue", number: 1, title: "Darker" });
    expect(
      sandbox.github.requests.slice(1).flatMap(({ body }) => (body === undefined ? [] : [body])),
    ).toEqual([
      { title: "Dark mode", body: "<!-- marker -->\nPlease.", labels: [], assignees: [] },
      { title: "Darker" },
    ]);
  });

  it("carries any text unharmed", async () => {
    const sandbox = await startSandbox();
    const title = '123n {owner} :name "quoted" \u2028 😀';
    const body = '"5n", {"a":12345678901234567890n}';
    expect(await send(sandbox, { ...create, title, body })).toMatchObject({
      kind: "applied",
      record: { title, body },
    });
  });

  it("shows what GitHub dropped without push access", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", canPush: false }] });
    const outcome = await send(sandbox, { ...create, labels: ["feedback"] });
    expect(outcome).toMatchObject({ kind: "applied", record: { issue: { labels: [] } } });
  });

  it("changes title, body, state, reason and milestone of an issue", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", milestones: ["Backlog"] }] });
    const { number } = sandbox.github.openIssue("acme/app", { title: "a", labels: ["theirs"] });
    const outcome = await send(sandbox, {
      kind: "edit-issue",
      number,
      title: "b",
      body: "c",
      state: "closed",
      stateReason: "not_planned",
      milestone: 1,
    });
    expect(outcome).toMatchObject({
      kind: "applied",
      record: {
        title: "b",
        body: "c",
        issue: { state: "closed", stateReason: "not_planned", labels: ["theirs"] },
      },
    });
    expect(sandbox.github.issue("acme/app", number).milestone).toBe("Backlog");
    await send(sandbox, { kind: "edit-issue", number, state: "open", milestone: null });
    expect(sandbox.github.issue("acme/app", number)).toMatchObject({ state: "open", milestone: null });
  });

  it("adds and removes labels one by one, so that people's labels stay", async () => {
    const sandbox = await startSandbox();
    const { number } = sandbox.github.openIssue("acme/app", { title: "a", labels: ["theirs"] });
    const applied = { kind: "applied", record: undefined };
    expect(await send(sandbox, { kind: "add-labels", number, labels: ["area: a/b?", "50 %"] })).toEqual(
      applied,
    );
    expect(sandbox.github.issue("acme/app", number).labels).toEqual(["theirs", "area: a/b?", "50 %"]);
    expect(await send(sandbox, { kind: "remove-label", number, label: "area: a/b?" })).toEqual(applied);
    expect(await send(sandbox, { kind: "remove-label", number, label: "50 %" })).toEqual(applied);
    expect(sandbox.github.issue("acme/app", number).labels).toEqual(["theirs"]);
  });

  it("creates a label, and is content with what is already so", async () => {
    const sandbox = await startSandbox();
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    const applied = { kind: "applied", record: undefined };
    for (let round = 0; round < 2; round += 1) {
      expect(await send(sandbox, { kind: "create-label", name: "feedback" })).toEqual(applied);
      expect(await send(sandbox, { kind: "remove-label", number, label: "none" })).toEqual(applied);
    }
    expect(sandbox.github.labels("acme/app")).toEqual(["feedback"]);
  });

  it.each(["", ".", "..", "\ud800"])(
    "does not try to remove the label %j, which would hit another address",
    async (label) => {
      const { tracker, seen } = await startServer((response) => sendJson(response, 200, []));
      const outcome = await tracker.write(known, { kind: "remove-label", number: 7, label });
      expect(outcome).toMatchObject({ kind: "rejected", fields: ["labels"] });
      expect(seen).toEqual([]);
    },
  );

  it("is not sent to what is no repository's name", async () => {
    const { tracker, seen } = await startServer((response) => sendJson(response, 201, {}));
    expect(await tracker.write({ ...known, name: "acme/.." }, create)).toMatchObject({ kind: "rejected" });
    expect(seen).toEqual([]);
  });
});

describe("GitHub refuses", () => {
  it.each<[string, (sandbox: SandboxFixture) => void, IssueWrite, object]>([
    [
      "an assignee who can't be",
      () => {},
      { ...create, assignees: ["nobody"] },
      { status: 422, fields: ["assignees"], message: expect.stringContaining("nobody") },
    ],
    [
      "a milestone that is not there",
      () => {},
      { ...create, milestone: 99 },
      { status: 422, fields: ["milestone"] },
    ],
    [
      "a title that is too long",
      () => {},
      { ...create, title: "x".repeat(300) },
      { status: 422, fields: ["title"] },
    ],
    [
      "a body that is too long",
      () => {},
      { ...create, body: "x".repeat(70_000) },
      { status: 422, fields: ["body"] },
    ],
    [
      "a label that is too long",
      () => {},
      { ...create, labels: ["x".repeat(60)] },
      { status: 422, fields: ["labels"] },
    ],
    [
      "a new label that is too long",
      () => {},
      { kind: "create-label", name: "x".repeat(60) },
      { status: 422, fields: ["name"] },
    ],
    [
      "an archived repository",
      ({ github }) => github.archive("acme/app"),
      create,
      { kind: "forbidden", message: "Repository was archived so is read-only.", isArchived: true },
    ],
    [
      "a repository whose issues are switched off",
      ({ github }) => github.disableIssues("acme/app"),
      create,
      { kind: "forbidden", message: "Issues are disabled for this repo" },
    ],
    [
      "an issue that never was",
      () => {},
      { kind: "edit-issue", number: 99, title: "b" },
      { kind: "forbidden" },
    ],
    [
      "an issue that was deleted",
      ({ github }) => {
        github.openIssue("acme/app", { title: "a" });
        github.deleteIssue("acme/app", 1);
      },
      { kind: "add-labels", number: 1, labels: ["x"] },
      { status: 410, message: "This issue was deleted" },
    ],
    [
      "an account without push access",
      ({ github }) => {
        github.openIssue("acme/app", { title: "a" });
        github.setPush("acme/app", false);
      },
      { kind: "edit-issue", number: 1, title: "b" },
      { kind: "forbidden", message: "Must have admin rights to Repository." },
    ],
  ])("%s", async (_, prepare, write, expected) => {
    const sandbox = await startSandbox();
    const repository = await sandbox.tracker.repository("acme/app", unbounded());
    prepare(sandbox);
    expect(await sandbox.tracker.write(repository, write)).toMatchObject({ kind: "rejected", ...expected });
  });

  it("a token that it does not accept, and nothing is applied", async () => {
    const sandbox = await startSandbox();
    const repository = await sandbox.tracker.repository("acme/app", unbounded());
    sandbox.github.revokeToken(sandbox.github.token);
    expect(await sandbox.tracker.write(repository, create)).toEqual({
      kind: "unauthorized",
      message: "GitHub does not accept the token (401): Bad credentials",
    });
  });
});

describe("a write of which nothing certain is known", () => {
  const writes: readonly IssueWrite[] = [
    create,
    { kind: "edit-issue", number: 1, title: "b" },
    { kind: "add-labels", number: 1, labels: ["x"] },
    { kind: "remove-label", number: 1, label: "theirs" },
    { kind: "create-label", name: "x" },
    { kind: "add-comment", number: 1, body: "x" },
  ];
  const rows = writes.flatMap((write) =>
    (["reset", "truncate", "cut", "hang", 500, 502, 503, 504, 408] as const).map((fault) => ({
      write,
      fault,
      kind: write.kind,
    })),
  );

  it.each(rows)("$kind is sent exactly once: $fault", async ({ write, fault }) => {
    const sandbox = await startSandbox();
    sandbox.github.openIssue("acme/app", { title: "a", labels: ["theirs"] });
    const repository = await sandbox.tracker.repository("acme/app", unbounded());
    sandbox.github.clearRequests();
    sandbox.github.failNext({
      applied: true,
      answer:
        typeof fault === "number"
          ? { kind: "answer", status: fault, body: { message: "Server Error" } }
          : { kind: fault },
    });
    const writing = sandbox.tracker.write(repository, write);
    if (fault === "hang") {
      await until(() => sandbox.github.requests.length === 1);
      sandbox.clock.passDeadlines();
    }
    expect(await writing).toMatchObject({ kind: "unknown" });
    expect(sandbox.github.requests).toHaveLength(1);
    expect(sandbox.tracker.requests).toBe(2);
  });

  it("is a create under the repository's former name: GitHub's 307 is not followed", async () => {
    const sandbox = await startSandbox();
    const repository = await sandbox.tracker.repository("acme/app", unbounded());
    sandbox.github.renameRepository("acme/app", "acme/product");
    sandbox.github.clearRequests();
    expect(await sandbox.tracker.write(repository, create)).toMatchObject({
      kind: "unknown",
      message: "GitHub answered 307: it redirects, and the write was not sent again",
    });
    expect(sandbox.github.requests).toHaveLength(1);
    expect(sandbox.github.issues("acme/product")).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])("is one that a %i redirects", async (status) => {
    const { tracker, seen } = await startServer((response) => {
      sendJson(response, status, { message: "Moved" }, { location: "/repositories/42/issues" });
    });
    expect(await tracker.write(known, create)).toMatchObject({ kind: "unknown" });
    expect(seen).toEqual(["POST /repos/acme/app/issues"]);
  });

  it("is one to an issue that was transferred", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app" }, { name: "acme/web" }] });
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    sandbox.github.transfer("acme/app", number, "acme/web");
    const outcome = await send(sandbox, { kind: "edit-issue", number, title: "b" });
    expect(outcome).toMatchObject({ kind: "unknown" });
    expect(sandbox.github.issue("acme/web", 1).title).toBe("a");
  });
});
