import { describe, expect, it } from "vitest";
import type { IssueWrite } from "../../../../src/tracker/tracker.ts";
import { issueJson, repository, sendJson, start, startServer } from "../setup.ts";

const create: IssueWrite = {
  kind: "create-issue",
  title: "t",
  body: "b",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
};
const edit: IssueWrite = { kind: "edit-issue", number: 7, state: "closed" };
const addLabels: IssueWrite = { kind: "add-labels", number: 7, labels: ["x"] };
const removeLabel: IssueWrite = { kind: "remove-label", number: 7, label: "x" };
const createLabel: IssueWrite = { kind: "create-label", name: "x" };
const addComment: IssueWrite = { kind: "add-comment", number: 7, body: "x" };

/** What the one answer makes of the one write. */
async function outcomeOf(
  write: IssueWrite,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const { tracker, seen } = await startServer((response) => {
    if (status === 204) response.writeHead(204, headers).end();
    else sendJson(response, status, body, headers);
  });
  const outcome = await tracker.write(repository, write);
  expect(seen).toHaveLength(1);
  return outcome;
}

function error(message: string, errors?: readonly unknown[]): object {
  return { message, documentation_url: "https://docs.github.com/rest", ...(errors && { errors }) };
}

const html = { "content-type": "text/html" };

describe("an answer of success", () => {
  it.each<[string, IssueWrite, number, unknown, string]>([
    ["201 with the issue", create, 201, issueJson(), "applied"],
    ["201 with a comment", addComment, 201, { id: 1, body: "x" }, "applied"],
    ["200 where a comment is due", addComment, 200, { id: 1, body: "x" }, "unknown"],
    ["201 without a comment", addComment, 201, [], "unknown"],
    ["200 with the issue, where 201 is due", create, 200, issueJson(), "unknown"],
    ["200 with a list: a redirect that turned into a GET", create, 200, [issueJson()], "unknown"],
    ["201 with a list", create, 201, [issueJson()], "unknown"],
    ["201 without a number", create, 201, issueJson({ number: undefined }), "unknown"],
    ["201 with a number that is text", create, 201, issueJson({ number: "7" }), "unknown"],
    ["201 with a number beyond 2^53", create, 201, '{"number": 90071992547409931}', "unknown"],
    ["201 with half an issue", create, 201, '{"number": 7, "title":', "unknown"],
    ["201 with nothing", create, 201, "", "unknown"],
    [
      "201 with an issue of another repository",
      create,
      201,
      issueJson({ repository_url: "https://api.github.com/repos/acme/web" }),
      "unknown",
    ],
    [
      "201 with an issue that names the repository in another case",
      create,
      201,
      issueJson({ repository_url: "https://ghe.example.com/api/v3/repos/Acme/App" }),
      "applied",
    ],
    ["201 with a pull request", create, 201, issueJson({ pull_request: {} }), "unknown"],
    ["202", create, 202, issueJson(), "unknown"],
    ["204", create, 204, undefined, "unknown"],
    ["200 with the issue", edit, 200, issueJson(), "applied"],
    ["201 with the issue, where 200 is due", edit, 201, issueJson(), "unknown"],
    ["200 with another issue", edit, 200, issueJson({ number: 8 }), "unknown"],
    ["200 with the labels", addLabels, 200, [{ name: "x" }], "applied"],
    ["200 with no list", addLabels, 200, {}, "unknown"],
    ["201 with the labels", addLabels, 201, [{ name: "x" }], "unknown"],
    ["200 with the labels left", removeLabel, 200, [], "applied"],
    ["204", removeLabel, 204, undefined, "unknown"],
    ["201 with the label", createLabel, 201, { name: "x" }, "applied"],
    ["200 with a label", createLabel, 200, { name: "x" }, "unknown"],
    ["201 with a list", createLabel, 201, [], "unknown"],
  ])("%s ($1.kind) counts as it should", async (_, write, status, body, kind) => {
    expect(await outcomeOf(write, status, body)).toMatchObject({ kind });
  });
});

describe("an answer of refusal", () => {
  it.each([403, 404, 451])("%i in GitHub's shape is of the repository", async (status) => {
    for (const write of [create, edit, addLabels, removeLabel, addComment])
      expect(await outcomeOf(write, status, error("No."))).toEqual({ kind: "forbidden", message: "No." });
  });

  it.each([403, 404, 451])("%i to a label that is to be made is of that label", async (status) => {
    expect(await outcomeOf(createLabel, status, error("No."))).toMatchObject({ kind: "rejected", status });
  });

  it("403 to a locked issue is of that write", async () => {
    const message = "Unable to create comment because issue is locked.";
    expect(await outcomeOf(addComment, 403, error(message))).toMatchObject({ kind: "rejected", status: 403 });
  });

  it("403 that names the account is about the credential", async () => {
    const outcome = await outcomeOf(create, 403, error("Sorry. Your account was suspended."));
    expect(outcome).toEqual({
      kind: "unauthorized",
      message: "GitHub does not accept the token (403): Sorry. Your account was suspended.",
    });
  });

  it.each([400, 410, 413, 422])("%i in GitHub's shape is a definite no", async (status) => {
    expect(await outcomeOf(create, status, error("No."))).toEqual({
      kind: "rejected",
      status,
      message: "No.",
      fields: [],
    });
  });

  it.each([400, 401, 403, 404, 410, 413, 422, 451])("%i in another shape says nothing", async (status) => {
    expect(await outcomeOf(create, status, "<h1>Not here</h1>", html)).toEqual({
      kind: "unknown",
      message: `GitHub answered ${status}: the answer is not GitHub's`,
    });
    expect(await outcomeOf(create, status, [error("No.")])).toMatchObject({ kind: "unknown" });
    expect(await outcomeOf(create, status, { message: 5 })).toMatchObject({ kind: "unknown" });
  });

  it("401 in GitHub's shape is about the credential", async () => {
    expect(await outcomeOf(create, 401, error("Bad credentials"))).toMatchObject({ kind: "unauthorized" });
  });

  it.each([402, 405, 406, 407, 408, 409, 411, 418, 425, 431, 500, 501, 502, 503, 504, 599])(
    "%i says nothing, whatever its shape",
    async (status) => {
      expect(await outcomeOf(create, status, error("?"))).toMatchObject({ kind: "unknown" });
    },
  );

  it("a missing permission is named", async () => {
    const outcome = await outcomeOf(create, 403, error("Resource not accessible by personal access token"), {
      "x-accepted-github-permissions": "issues=write; pull_requests=write",
    });
    expect(outcome).toMatchObject({
      kind: "forbidden",
      message:
        "Resource not accessible by personal access token (the token lacks issues: write, or pull_requests: write)",
    });
  });

  it.each<[string, IssueWrite, unknown[], string, string[]]>([
    [
      "a field",
      create,
      [{ resource: "Issue", field: "assignees", code: "invalid" }],
      "Validation Failed",
      ["assignees"],
    ],
    [
      "two fields",
      create,
      [{ field: "title" }, { field: "body" }, { field: "title" }],
      "",
      ["title", "body"],
    ],
    ["a comment's data", create, [{ resource: "Issue", field: "data" }], "", ["body"]],
    ["a label's name", addLabels, [{ resource: "Label", field: "name", code: "invalid" }], "", ["labels"]],
    [
      "a new label's name",
      createLabel,
      [{ resource: "Label", field: "name", code: "invalid" }],
      "",
      ["name"],
    ],
    [
      "only words in an error",
      create,
      [{ code: "custom", message: "Type Bug is not enabled" }],
      "",
      ["type"],
    ],
    ["only text", create, ["The milestone is closed", "One label is bad"], "", ["milestone", "labels"]],
    ["only a message", create, [], "The assignee can't be assigned", ["assignees"]],
    ["an unknown field", create, [{ field: "colour", code: "invalid" }], "Validation Failed", []],
    ["a field called constructor", create, [{ field: "constructor" }], "", []],
    ["nothing", create, [5, null], "Validation Failed", []],
  ])("a 422 that names %s tells the fields", async (_, write, errors, message, fields) => {
    expect(await outcomeOf(write, 422, error(message, errors))).toMatchObject({ kind: "rejected", fields });
  });

  it("its words are cut at 300 characters and hold no control characters", async () => {
    const bad = `\u001b[31mred\u0007\u202e ${"x".repeat(5_000)}`;
    const outcome = await outcomeOf(create, 422, error(bad, Array(50).fill({ field: "title", value: bad })));
    const message = outcome.kind === "rejected" ? outcome.message : "";
    expect(Array.from(message)).toHaveLength(300);
    expect(message).toMatch(/^\[31mred x+…$/);
  });

  it("only the label's own 404 and 422 mean that it is already so", async () => {
    const absent = error("Label does not exist");
    const exists = error("Validation Failed", [{ resource: "Label", code: "already_exists", field: "name" }]);
    expect(await outcomeOf(removeLabel, 404, absent)).toMatchObject({ kind: "applied" });
    expect(await outcomeOf(removeLabel, 404, error("Not Found"))).toMatchObject({ kind: "forbidden" });
    expect(await outcomeOf(addLabels, 404, absent)).toMatchObject({ kind: "forbidden" });
    expect(await outcomeOf(createLabel, 422, exists)).toMatchObject({ kind: "applied" });
    expect(await outcomeOf(createLabel, 422, error("Validation Failed", ["?"]))).toMatchObject({
      kind: "rejected",
    });
    expect(await outcomeOf(create, 422, exists)).toMatchObject({ kind: "rejected" });
  });
});

describe("an answer that names a limit", () => {
  const reset = String(start / 1000 + 1_800);
  const inAnHour = "Mon, 05 Jan 2026 11:00:00 GMT";
  const aMinuteAgo = "Mon, 05 Jan 2026 09:59:00 GMT";

  it.each<[string, number, object | string, Record<string, string>, number]>([
    ["429 without a word", 429, "", {}, 60_000],
    ["429 of a proxy", 429, "<h1>Slow down</h1>", { ...html, "retry-after": "7" }, 7_000],
    [
      "429 with nothing left",
      429,
      error("?"),
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      1_801_000,
    ],
    [
      "403 with nothing left",
      403,
      error("?"),
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      1_801_000,
    ],
    ["403 with a time", 403, error("Wait"), { "retry-after": "30" }, 30_000],
    ["403 with a date", 403, error("Wait"), { "retry-after": inAnHour }, 3_600_000],
    [
      "403 with both: the nearer rule first",
      403,
      error("?"),
      { "retry-after": "30", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      30_000,
    ],
    [
      "403 with a reset on a clock that is behind ours",
      403,
      error("?"),
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset, date: aMinuteAgo },
      1_861_000,
    ],
    [
      "403 with a date on a clock that is behind ours",
      403,
      error("Wait"),
      { "retry-after": inAnHour, date: aMinuteAgo },
      3_660_000,
    ],
    ["403 in words", 403, error("You have exceeded a secondary rate limit."), {}, 60_000],
    ["403 in older words", 403, error("You have triggered an abuse detection mechanism."), {}, 60_000],
    [
      "403 with a reset that is past",
      403,
      error("?"),
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "5" },
      60_000,
    ],
    ["403 with a reset that is no number", 403, error("?"), { "x-ratelimit-remaining": "0" }, 60_000],
    ["429 with a time that is no time", 429, error("?"), { "retry-after": "soon" }, 60_000],
    ["429 with a time without end", 429, error("?"), { "retry-after": "999999999" }, 86_400_000],
  ])("%s was not applied and says when", async (_, status, body, headers, waitMs) => {
    expect(await outcomeOf(create, status, body, headers)).toMatchObject({
      kind: "limited",
      retryAt: start + waitMs,
    });
  });

  it.each<[string, object | string, Record<string, string>]>([
    ["a permission", error("Resource not accessible by integration"), { "x-ratelimit-remaining": "4999" }],
    ["a permission on a server without limits", error("Must have admin rights to Repository."), {}],
  ])("a 403 about %s is none", async (_, body, headers) => {
    expect(await outcomeOf(create, 403, body, headers)).toMatchObject({ kind: "forbidden" });
  });

  it.each<[number, string, readonly unknown[]]>([
    [422, "Validation Failed", [{ resource: "Issue", code: "abuse" }]],
    [422, "was submitted too quickly", []],
    [422, "You have exceeded a secondary rate limit", []],
    [400, "API rate limit exceeded", []],
    [503, "You have exceeded a secondary rate limit", []],
  ])("%i with the words of one (%s) is one", async (status, message, errors) => {
    expect(await outcomeOf(create, status, error(message, errors), { "retry-after": "60" })).toMatchObject({
      kind: "limited",
      retryAt: start + 60_000,
    });
    expect(await outcomeOf(createLabel, status, error(message, errors))).toMatchObject({ kind: "limited" });
  });

  it("a 503 that only names a time does not tell what became of the write, and is believed for that time", async () => {
    expect(await outcomeOf(create, 503, error("Unicorn"), { "retry-after": "60" })).toMatchObject({
      kind: "unknown",
      retryAt: start + 60_000,
    });
  });
});
