import { describe, expect, it } from "vitest";
import { failureOf, repositoryJson, sendJson, startSandbox, startServer, unbounded } from "./setup.ts";

describe("an Enterprise Server", () => {
  it("is asked below its own path, and tells its version", async () => {
    const basePath = "/api/v3";
    const { tracker, github } = await startSandbox({ basePath, quirks: { enterprise: "3.19.1" } });
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
    const { host } = new URL(github.url);
    expect(await tracker.server(unbounded())).toBe(`GitHub Enterprise Server 3.19.1 at ${host}`);
  });

  it("without rate limits is asked as it is", async () => {
    const { tracker } = await startSandbox({ limits: { requestsPerHour: Number.POSITIVE_INFINITY } });
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
  });

  it("that does not know our version of the API is asked without one, which is said once", async () => {
    const { tracker, github, logged } = await startSandbox({ quirks: { apiVersions: [] } });
    await tracker.repository("acme/app", unbounded());
    await tracker.repository("acme/app", unbounded());
    expect(github.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
    expect(logged.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("that refuses a request for another reason is believed", async () => {
    const { tracker, seen } = await startServer((response) =>
      sendJson(response, 400, { message: "Problems parsing JSON" }),
    );
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ fault: "refused" });
    expect(seen).toHaveLength(1);
  });
});

describe("what a token lacks", () => {
  const words = "Resource not accessible by personal access token";

  it.each<[string, number, string, Record<string, string>, string]>([
    [
      "permissions of a fine-grained token",
      403,
      words,
      { "x-accepted-github-permissions": "issues=write,metadata=read; pull_requests=write" },
      `${words} (the token lacks issues: write and metadata: read, or pull_requests: write)`,
    ],
    [
      "permissions of an App",
      403,
      "Resource not accessible by integration",
      { "x-accepted-github-permissions": "issues=read" },
      "Resource not accessible by integration (the App lacks issues: read)",
    ],
    [
      "scopes of a classic token",
      403,
      "Must have admin rights to Repository.",
      { "x-oauth-scopes": "read:user, gist", "x-accepted-oauth-scopes": "repo, public_repo" },
      "(the token has the scopes read:user, gist, and this needs repo or public_repo)",
    ],
    [
      "any scope at all",
      404,
      "Not Found",
      { "x-oauth-scopes": "", "x-accepted-oauth-scopes": "repo" },
      "can't see it (the token has the scopes none, and this needs repo)",
    ],
    [
      "nothing that its scopes could give",
      404,
      "Not Found",
      { "x-oauth-scopes": "repo", "x-accepted-oauth-scopes": "repo" },
      "it does not exist or the token can't see it.",
    ],
    [
      "what a hidden repository needs",
      404,
      "Not Found",
      { "x-accepted-github-permissions": "metadata=read" },
      "can't see it (this needs metadata: read)",
    ],
  ])("is named: %s", async (_, status, message, headers, expected) => {
    const { tracker } = await startServer((response) => sendJson(response, status, { message }, headers));
    const error = await failureOf(tracker.repository("acme/app", unbounded()));
    expect(error.message).toContain(expected);
  });

  it("is no matter of an answer that is fine", async () => {
    const { tracker } = await startServer((response) =>
      sendJson(response, 200, repositoryJson(), { "x-accepted-github-permissions": "metadata=read" }),
    );
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
  });
});
