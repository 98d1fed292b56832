import { describe, expect, it } from "vitest";
import type { IssueComment } from "../../../../src/tracker/tracker.ts";
import {
  etagOf,
  failureOf,
  issueJson,
  repository as known,
  repositoryJson,
  type SandboxFixture,
  sendJson,
  startSandbox,
  startServer,
  unbounded,
} from "../setup.ts";

function getRepository({ tracker }: SandboxFixture, name = "acme/app") {
  return tracker.repository(name, unbounded());
}

/** Labels as the sandbox lists them. */
function named(names: readonly string[]): readonly object[] {
  return names.map((name) => ({ id: expect.stringMatching(/^LA_/u), name }));
}

describe("our account", () => {
  it("is the one that the token belongs to", async () => {
    const { tracker } = await startSandbox({ login: "acme-bot" });
    expect(await tracker.account(unbounded())).toEqual({ login: "acme-bot" });
  });

  it("is refused with a wrong token, in GitHub's words", async () => {
    const { tracker, github } = await startSandbox();
    github.revokeToken(github.token);
    const error = await failureOf(tracker.account(unbounded()));
    expect(error).toMatchObject({ fault: "unauthorized", code: "tracker.unauthorized" });
    expect(error.message).toBe("GitHub does not accept the token (401): Bad credentials.");
  });

  it("is nobody's where the address is not the root of GitHub's API, and the address is what is asked about", async () => {
    const { tracker } = await startServer((response) => sendJson(response, 404, { message: "Not Found" }));
    const error = await failureOf(tracker.account(unbounded()));
    expect(error).toMatchObject({ fault: "missing", detail: "page" });
    expect(error.message).toBe("The server answered 404 for our account, which GitHub's API always has.");
  });

  it("sends the version, the media type, who we are and the token with each request", async () => {
    const headers: Record<string, unknown>[] = [];
    const { tracker } = await startServer((response) => {
      headers.push(response.req.headers);
      sendJson(response, 200, { login: "acme-bot" });
    });
    await tracker.account(unbounded());
    expect(headers[0]).toMatchObject({
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      authorization: expect.stringMatching(/^token ghp_/),
      "user-agent": expect.stringMatching(/^boardsync /),
    });
    expect(tracker.requests).toBe(1);
  });
});

describe("a repository", () => {
  it("is found by name and by id, with what boardsync may do there", async () => {
    const { tracker, github } = await startSandbox({ repositories: [] });
    const id = github.addRepository({ name: "acme/app", private: true, archived: true, canPush: false });
    const expected = {
      id,
      name: "acme/app",
      hasIssues: true,
      isArchived: true,
      isPrivate: true,
      canPush: false,
    };
    expect(await tracker.repository("acme/app", unbounded())).toEqual(expected);
    expect(await tracker.repository(id, unbounded())).toEqual(expected);
  });

  it("without issues says so", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", hasIssues: false }] });
    expect(await getRepository(sandbox)).toMatchObject({ hasIssues: false, canPush: true, isPrivate: false });
  });

  it("that was renamed is followed by its old name, once more asked, and logged", async () => {
    const sandbox = await startSandbox();
    const before = await getRepository(sandbox);
    sandbox.github.renameRepository("acme/app", "acme/product");
    expect(await getRepository(sandbox)).toEqual({ ...before, name: "acme/product" });
    expect(sandbox.logged).toEqual([
      {
        level: "info",
        message: "GitHub redirects a read: something was renamed or transferred",
        fields: {
          from: `${sandbox.github.url}/repos/acme/app`,
          to: `${sandbox.github.url}/repositories/${before.id}`,
        },
      },
    ]);
  });

  it("that is not there or hidden is missing", async () => {
    const sandbox = await startSandbox();
    sandbox.github.setVisible("acme/app", false);
    for (const name of ["acme/app", "acme/other"]) {
      const error = await failureOf(getRepository(sandbox, name));
      expect(error.fault).toBe("missing");
      expect(error.message).toBe(
        `GitHub answered 404 for ${name}: it does not exist or the token can't see it.`,
      );
    }
    expect(await failureOf(sandbox.tracker.repository(5, unbounded()))).toMatchObject({ fault: "missing" });
  });

  it.each(["app", "a/b/c", "../app", "acme/..", "acme/", "/app", "acme/a b", "acme/ä", "acme/app?x"])(
    "is not asked for by %j, which is no name",
    async (name) => {
      const sandbox = await startSandbox();
      const error = await failureOf(getRepository(sandbox, name));
      expect(error).toMatchObject({ fault: "refused", message: expect.stringContaining(name) });
      expect(sandbox.tracker.requests).toBe(0);
    },
  );

  it("is public and not ours to write to where GitHub does not say", async () => {
    const { tracker } = await startServer((response) => {
      sendJson(response, 200, { id: 42, full_name: "acme/app" });
    });
    expect(await tracker.repository("acme/app", unbounded())).toEqual({ ...known, canPush: false });
  });

  it.each([
    ["another id than the one asked for", repositoryJson({ id: 43 })],
    ["an id beyond 2^53", JSON.stringify(repositoryJson()).replace("42", "90071992547409931")],
    ["a name that is none", repositoryJson({ full_name: "acme/../app" })],
    ["a list", []],
  ])("with %s is unreadable", async (_, body) => {
    const { tracker } = await startServer((response) => sendJson(response, 200, body));
    expect(await failureOf(tracker.repository(42, unbounded()))).toMatchObject({ fault: "unreadable" });
  });

  it("whose redirect leads to another server is refused, and the token stays here", async () => {
    const elsewhere = await startServer((response) => sendJson(response, 200, repositoryJson()));
    const { tracker } = await startServer((response) =>
      sendJson(response, 301, {}, { location: `${elsewhere.url}/repositories/42` }),
    );
    const error = await failureOf(tracker.repository("acme/app", unbounded()));
    expect(error).toMatchObject({ fault: "refused", message: expect.stringContaining("another server") });
    expect(elsewhere.seen).toEqual([]);
  });

  it.each(["", "http://[", "http://user:pass@"])("whose redirect says %j leads nowhere", async (location) => {
    const { tracker, seen } = await startServer((response, { url }) => {
      const host = String(response.req.headers.host);
      sendJson(
        response,
        302,
        {},
        { location: location.endsWith("@") ? `${location}${host}${url}` : location },
      );
    });
    expect((await failureOf(tracker.repository("acme/app", unbounded()))).fault).toMatch(
      /refused|unreadable/,
    );
    expect(seen).toHaveLength(1);
  });

  it("that redirects for ever ends after three hops", async () => {
    const { tracker, seen } = await startServer((response, { count }) => {
      sendJson(response, 308, {}, { location: `/repositories/${count}` });
    });
    expect(await failureOf(tracker.repository("acme/app", unbounded()))).toMatchObject({
      fault: "unreadable",
    });
    expect(seen).toEqual([
      "GET /repos/acme/app",
      "GET /repositories/1",
      "GET /repositories/2",
      "GET /repositories/3",
    ]);
  });
});

describe("the catalogue", () => {
  it("has all labels and the milestones of both states, over as many pages as there are", async () => {
    const labels = Array.from({ length: 230 }, (_, index) => `label ${index}`);
    const sandbox = await startSandbox({
      repositories: [
        { name: "acme/app", labels, milestones: ["Backlog", { title: "Old", state: "closed" }] },
      ],
    });
    const repository = await getRepository(sandbox);
    expect(await sandbox.tracker.catalogue(repository, unbounded())).toEqual({
      labels: named(labels),
      milestones: [
        { number: 1, title: "Backlog", state: "open" },
        { number: 2, title: "Old", state: "closed" },
      ],
    });
    expect(sandbox.tracker.requests).toBe(5);
  });

  it.each([
    ["a milestone of a third state", [{ number: 1, title: "M", state: "late" }]],
    ["a milestone without a number", [{ title: "M", state: "open" }]],
    ["no list", { message: "?" }],
  ])("with %s is unreadable", async (_, milestones) => {
    const { tracker } = await startServer((response, { url }) => {
      sendJson(response, 200, url.includes("labels") ? [] : milestones);
    });
    expect(await failureOf(tracker.catalogue(known, unbounded()))).toMatchObject({ fault: "unreadable" });
  });

  it("that pages in circles is unreadable", async () => {
    const { tracker, seen } = await startServer((response) => {
      const next = `http://${response.req.headers.host}/repositories/42/labels?page=2`;
      sendJson(response, 200, [], { link: `<${next}>; rel="next"` });
    });
    expect(await failureOf(tracker.catalogue(known, unbounded()))).toMatchObject({ fault: "unreadable" });
    expect(seen).toHaveLength(2);
  });

  it("ends at the page limit", async () => {
    const { tracker, seen } = await startServer(
      (response, { count }) => {
        const next = `http://${response.req.headers.host}/repositories/42/labels?page=${count}`;
        sendJson(response, 200, [], { link: `<${next}>; rel=next` });
      },
      { pageLimit: 4 },
    );
    expect(await failureOf(tracker.catalogue(known, unbounded()))).toMatchObject({ fault: "unreadable" });
    expect(seen).toHaveLength(5);
  });
});

describe("a conditional list", () => {
  it("of labels is one request, and unchanged until one is added or renamed", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", labels: ["bug"] }] });
    const { tracker, github } = sandbox;
    const repository = await getRepository(sandbox);
    const etag = etagOf(await tracker.labels(repository, undefined, unbounded()));
    const before = tracker.requests;
    expect(await tracker.labels(repository, etag, unbounded())).toEqual({ kind: "unchanged" });
    expect(tracker.requests).toBe(before + 1);
    github.renameLabel("acme/app", "bug", "defect");
    const listed = await tracker.labels(repository, etag, unbounded());
    expect(listed).toEqual({ kind: "listed", rows: named(["defect"]), etag: expect.any(String) });
  });

  it("of milestones is unchanged until one is closed or renamed", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", milestones: ["Next"] }] });
    const { tracker, github } = sandbox;
    const repository = await getRepository(sandbox);
    const etag = etagOf(await tracker.milestones(repository, undefined, unbounded()));
    expect(await tracker.milestones(repository, etag, unbounded())).toEqual({ kind: "unchanged" });
    github.closeMilestone("acme/app", "Next");
    expect(await tracker.milestones(repository, etag, unbounded())).toEqual({
      kind: "listed",
      rows: [{ number: 1, title: "Next", state: "closed" }],
      etag: expect.any(String),
    });
  });

  it("of several pages is one conditional request for each, which is free, and unchanged until one page has changed", async () => {
    const labels = Array.from({ length: 250 }, (_, index) => `label ${index}`);
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", labels }] });
    const { tracker, github } = sandbox;
    const repository = await getRepository(sandbox);
    let etag: string | undefined;
    for (const [place, requests] of [
      [0, 3],
      [120, 2 + 3],
      [249, 3 + 3],
    ] as const) {
      const listed = await tracker.labels(repository, etag, unbounded());
      expect(listed).toMatchObject({ kind: "listed", rows: named(github.labels("acme/app")) });
      etag = etagOf(listed);
      github.clearRequests();
      expect(await tracker.labels(repository, etag, unbounded())).toEqual({ kind: "unchanged" });
      expect(github.requests.map(({ status }) => status)).toEqual([304, 304, 304]);
      github.renameLabel("acme/app", github.labels("acme/app")[place] ?? "", `renamed ${place}`);
      github.clearRequests();
      expect(await tracker.labels(repository, etag, unbounded())).toMatchObject({ kind: "listed" });
      expect(github.requests).toHaveLength(requests);
    }
  });

  it.each([
    ["whose last page is full is read whole: what is added behind it changes no page", 100, undefined],
    ["whose last page is not is unchanged until one is added", 99, expect.any(String)],
  ])("%s", async (_, count, validator) => {
    const labels = Array.from({ length: count }, (__, index) => `label ${index}`);
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app", labels }] });
    const repository = await getRepository(sandbox);
    const etag = etagOf(await sandbox.tracker.labels(repository, undefined, unbounded()));
    expect(etag).toEqual(validator);
    sandbox.github.addLabel("acme/app", "new");
    expect(await sandbox.tracker.labels(repository, etag, unbounded())).toMatchObject({
      kind: "listed",
      rows: named([...labels, "new"]),
    });
  });

  it("is read whole where a page comes without an ETag", async () => {
    const { tracker } = await startServer((response, { url }) => {
      const next = `http://${response.req.headers.host}/repositories/42/labels?page=2`;
      const isSecond = url.includes("page=2");
      sendJson(
        response,
        200,
        [{ name: "one" }],
        isSecond ? {} : { etag: '"1"', link: `<${next}>; rel="next"` },
      );
    });
    const listed = { kind: "listed", rows: [{ name: "one" }, { name: "one" }], etag: undefined };
    expect(await tracker.labels(known, undefined, unbounded())).toEqual(listed);
  });
});

describe("comments of an issue", () => {
  it("are all of them, oldest first, whatever the repository is called meanwhile", async () => {
    const sandbox = await startSandbox();
    const { github, tracker } = sandbox;
    const { id } = await getRepository(sandbox);
    github.openIssue("acme/app", { title: "One" });
    const bodies = Array.from({ length: 130 }, (_, index) => `comment ${index}`);
    for (const body of bodies) github.comment("acme/app", 1, body, "ann");
    github.renameRepository("acme/app", "acme/application");
    const found: IssueComment[] = [];
    for await (const page of tracker.comments({ repositoryId: id, number: 1 }, unbounded()))
      found.push(...page);
    expect(found.map(({ body }) => body)).toEqual(bodies);
    expect(found[0]).toEqual({ author: "ann", body: "comment 0" });
  });

  it("of an issue that is gone are missing", async () => {
    const sandbox = await startSandbox();
    const { id } = await getRepository(sandbox);
    const read = async () => {
      for await (const _ of sandbox.tracker.comments({ repositoryId: id, number: 7 }, unbounded()));
    };
    expect(await failureOf(read())).toMatchObject({ fault: "missing" });
  });
});

describe("one issue", () => {
  it("is read with every fact that rules look at", async () => {
    const sandbox = await startSandbox({
      repositories: [{ name: "acme/app", milestones: ["Backlog"], types: ["Feature"] }],
    });
    const { id } = await getRepository(sandbox);
    const opened = sandbox.github.openIssue("acme/app", {
      title: "Dark mode",
      body: null,
      author: null,
      labels: ["bug", "ui"],
      assignees: ["ann", "bob"],
      milestone: "Backlog",
      type: "Feature",
    });
    sandbox.clock.pass(60_000);
    sandbox.github.close("acme/app", opened.number, "duplicate");
    sandbox.github.lock("acme/app", opened.number);
    const answer = await sandbox.tracker.readIssue({ repositoryId: id, number: opened.number }, unbounded());
    expect(answer).toEqual({
      kind: "found",
      record: {
        issue: {
          repositoryId: id,
          number: opened.number,
          nodeId: expect.any(String),
          state: "closed",
          stateReason: "duplicate",
          closed: { at: "2026-01-05T10:01:00Z", by: "octocat" },
          labels: ["bug", "ui"],
          labelIds: [expect.stringMatching(/^LA_/u), expect.stringMatching(/^LA_/u)],
          assignees: ["ann", "bob"],
          milestone: { number: 1, title: "Backlog", state: "open" },
          type: "Feature",
          typeId: "IT_1",
          locked: true,
          createdAt: "2026-01-05T10:00:00Z",
          updatedAt: "2026-01-05T10:01:00Z",
        },
        author: null,
        title: "Dark mode",
        body: "",
      },
    });
    expect(sandbox.github.requests.map(({ path }) => path)).toEqual([
      "/repos/acme/app",
      `/repositories/${id}/issues/${opened.number}`,
    ]);
  });

  it("of a repository that was never looked at costs one request more, once", async () => {
    const { tracker, github } = await startSandbox({ repositories: [] });
    const repositoryId = github.addRepository({ name: "acme/app" });
    const { number } = github.openIssue("acme/app", { title: "a" });
    for (let round = 0; round < 2; round += 1) {
      expect(await tracker.readIssue({ repositoryId, number }, unbounded())).toMatchObject({ kind: "found" });
    }
    expect(tracker.requests).toBe(3);
  });

  it("of a renamed repository is found where it was", async () => {
    const sandbox = await startSandbox();
    const { id: repositoryId } = await getRepository(sandbox);
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    sandbox.github.renameRepository("acme/app", "acme/product");
    const answer = await sandbox.tracker.readIssue({ repositoryId, number }, unbounded());
    expect(answer).toMatchObject({ kind: "found", record: { issue: { repositoryId, number } } });
  });

  it("that was transferred says where it lives now", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app" }, { name: "acme/web" }] });
    const { id } = await getRepository(sandbox);
    const web = await getRepository(sandbox, "acme/web");
    sandbox.github.openIssue("acme/web", { title: "older" });
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    const moved = sandbox.github.transfer("acme/app", number, "acme/web");
    const answer = await sandbox.tracker.readIssue({ repositoryId: id, number }, unbounded());
    expect(answer).toMatchObject({
      kind: "moved",
      to: "acme/web",
      record: { issue: { repositoryId: web.id, number: moved.number }, title: "a" },
    });
  });

  it("that was transferred to the same number of another repository is moved, too", async () => {
    const sandbox = await startSandbox({ repositories: [{ name: "acme/app" }, { name: "acme/web" }] });
    const { id } = await getRepository(sandbox);
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    expect(sandbox.github.transfer("acme/app", number, "acme/web").number).toBe(number);
    expect(await sandbox.tracker.readIssue({ repositoryId: id, number }, unbounded())).toMatchObject({
      kind: "moved",
      to: "acme/web",
    });
  });

  it.each([
    ["another number", { number: 8 }],
    ["another repository", { repository_url: "https://api.github.com/repos/acme/web" }],
    ["another repository's id", { repository_url: "https://api.github.com/repositories/43" }],
  ])("that comes as a 200 with %s is moved", async (_, changes) => {
    const { tracker } = await startServer((response, { url }) => {
      const isIssue = url.includes("/issues/");
      sendJson(
        response,
        200,
        isIssue ? issueJson(changes) : repositoryJson({ id: 43, full_name: "acme/web" }),
      );
    });
    const answer = await tracker.readIssue({ repositoryId: 42, number: 7 }, unbounded());
    expect(answer).toMatchObject({ kind: "moved", to: "acme/web", record: { issue: { repositoryId: 43 } } });
  });

  it("whose repository is named by its id is found without asking further", async () => {
    const { tracker, seen } = await startServer((response) => {
      sendJson(response, 200, issueJson({ repository_url: "https://api.github.com/repositories/42" }));
    });
    const answer = await tracker.readIssue({ repositoryId: 42, number: 7 }, unbounded());
    expect(answer).toMatchObject({ kind: "found", record: { issue: { repositoryId: 42, number: 7 } } });
    expect(seen).toHaveLength(1);
  });

  it("that was deleted is gone, one that never was is missing, and so is a pull request", async () => {
    const sandbox = await startSandbox();
    const { id: repositoryId } = await getRepository(sandbox);
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    const pull = sandbox.github.openPullRequest("acme/app", { title: "b" });
    sandbox.github.deleteIssue("acme/app", number);
    const read = (wanted: number) => sandbox.tracker.readIssue({ repositoryId, number: wanted }, unbounded());
    expect(await read(number)).toEqual({ kind: "gone" });
    expect(await read(99)).toEqual({ kind: "missing" });
    expect(await read(pull.number)).toEqual({ kind: "missing" });
  });

  it("is not taken for deleted when only the repository's issues are switched off", async () => {
    const sandbox = await startSandbox();
    const { id: repositoryId } = await getRepository(sandbox);
    const { number } = sandbox.github.openIssue("acme/app", { title: "a" });
    sandbox.github.disableIssues("acme/app");
    expect(await sandbox.tracker.readIssue({ repositoryId, number }, unbounded())).toMatchObject({
      kind: "refused",
      error: { fault: "refused", message: expect.stringContaining("disabled") },
    });
  });

  it.each([404, 410])("is not taken for lost when a %i is not GitHub's", async (status) => {
    const { tracker } = await startServer((response) => {
      response.writeHead(status, { "content-type": "text/html" }).end("<h1>deleted</h1>");
    });
    expect(await tracker.readIssue({ repositoryId: 42, number: 7 }, unbounded())).toMatchObject({
      kind: "refused",
      error: { fault: "unreadable", detail: "page" },
    });
  });
});
