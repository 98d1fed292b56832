import { describe, expect, it } from "vitest";
import type { Repository } from "../../../../src/model/issue.ts";
import type { Tracker } from "../../../../src/tracker/tracker.ts";
import {
  collectIssues,
  collectPages,
  failureOf,
  issueJson,
  repository as known,
  repositoryJson,
  type SandboxFixture,
  sendJson,
  start,
  startSandbox,
  startServer,
  unbounded,
} from "../setup.ts";

const all = { kind: "since", since: undefined } as const;
const latest = { kind: "latest", etag: undefined } as const;

/** Opens issues called 1, 2, …, each so long after the one before. */
function openIssues({ github, clock }: SandboxFixture, count: number, apartMs: number): void {
  for (let index = 1; index <= count; index += 1) {
    github.openIssue("acme/app", {
      title: String(index),
      author: index % 2 === 0 ? github.login : "octocat",
    });
    clock.pass(apartMs);
  }
}

function getRepository(tracker: Tracker): Promise<Repository> {
  return tracker.repository("acme/app", unbounded());
}

function numbers(issues: readonly { readonly issue: { readonly number: number } }[]): readonly number[] {
  return issues.map(({ issue }) => issue.number).toSorted((a, b) => a - b);
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe("the latest issues", () => {
  it("are one page, newest change first, without pull requests, and say that more follows", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 120, 1_000);
    sandbox.github.openPullRequest("acme/app", { title: "a pull request" });
    const [page, ...others] = await collectPages(
      sandbox.tracker,
      await getRepository(sandbox.tracker),
      latest,
    );
    expect(others).toEqual([]);
    expect(page?.issues.map(({ issue }) => issue.number)).toEqual(range(22, 120).toReversed());
    expect(page).toMatchObject({ isUnchanged: false, hasMore: true, lastUpdatedAt: "2026-01-05T10:00:21Z" });
  });

  it("are asked for by a URL that never changes, and 304 says that nothing changed", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 2, 1_000);
    const repository = await getRepository(sandbox.tracker);
    const [first] = await collectPages(sandbox.tracker, repository, latest);
    expect(first).toMatchObject({ hasMore: false, etag: expect.stringContaining('"') });
    const again = { kind: "latest", etag: first?.etag } as const;
    const unchanged = await collectPages(sandbox.tracker, repository, again);
    expect(unchanged).toEqual([
      { issues: [], isUnchanged: true, etag: first?.etag, lastUpdatedAt: undefined, hasMore: false },
    ]);
    sandbox.github.label("acme/app", 1, "bug");
    const [changed] = await collectPages(sandbox.tracker, repository, again);
    expect(changed).toMatchObject({ isUnchanged: false });
    expect(changed?.issues).toHaveLength(2);
    const lists = sandbox.github.requests.slice(1);
    expect(new Set(lists.map(({ path, query }) => JSON.stringify([path, query]))).size).toBe(1);
    expect(lists[0]?.query).toEqual({ state: "all", sort: "updated", direction: "desc", per_page: "100" });
  });

  it("that nobody asked for conditionally can't be unchanged", async () => {
    const { tracker } = await startServer((response) => response.writeHead(304).end());
    expect(await failureOf(collectPages(tracker, known, latest))).toMatchObject({ fault: "unreadable" });
  });

  it("of an empty repository are an empty page", async () => {
    const { tracker } = await startServer((response) => sendJson(response, 200, []));
    expect(await collectPages(tracker, known, latest)).toEqual([
      { issues: [], isUnchanged: false, etag: undefined, lastUpdatedAt: undefined, hasMore: false },
    ]);
  });

  it("say that more follows when a full page lost its Link", async () => {
    const { tracker } = await startServer((response) => {
      sendJson(
        response,
        200,
        range(1, 100).map((number) => issueJson({ number })),
      );
    });
    expect(await collectPages(tracker, known, latest)).toMatchObject([{ hasMore: true }]);
  });
});

describe("issues changed since", () => {
  it("no time at all are all issues, each once, oldest change first", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 250, 1_000);
    const repository = await getRepository(sandbox.tracker);
    const pages = await collectPages(sandbox.tracker, repository, all);
    const issues = pages.flatMap((page) => page.issues);
    expect(issues.map(({ issue }) => issue.number)).toEqual(range(1, 250));
    expect(pages.map((page) => page.hasMore)).toEqual([true, true, false]);
    expect(pages.at(-1)?.lastUpdatedAt).toBe("2026-01-05T10:04:09Z");
    const since = sandbox.github.requests.slice(1).map(({ query }) => query["since"]);
    expect(since).toEqual([undefined, "2026-01-05T10:01:38Z", "2026-01-05T10:03:16Z"]);
    expect(sandbox.github.requests[1]?.query).not.toHaveProperty("since");
  });

  it("a time are those changed from then on", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 20, 1_000);
    const repository = await getRepository(sandbox.tracker);
    const since = new Date(start + 15_000).toISOString();
    const issues = await collectIssues(sandbox.tracker, repository, { kind: "since", since });
    expect(numbers(issues)).toEqual(range(16, 20));
  });

  it.each([
    ["page numbers, inclusive", { paging: "page", since: "inclusive" }],
    ["page numbers, exclusive", { paging: "page", since: "exclusive" }],
    ["cursors, inclusive", { paging: "cursor", since: "inclusive" }],
    ["cursors, exclusive", { paging: "cursor", since: "exclusive" }],
  ] as const)("are complete where seconds are shared (%s)", async (_, quirks) => {
    const sandbox = await startSandbox({ quirks });
    // 7 in a second: most page edges fall into the middle of one.
    for (let burst = 0; burst < 40; burst += 1) {
      openIssues(sandbox, 7, 0);
      sandbox.clock.pass(1_000);
    }
    const issues = await collectIssues(sandbox.tracker, await getRepository(sandbox.tracker), all);
    expect(numbers(issues)).toEqual(range(1, 280));
  });

  it.each(["page", "cursor"] as const)(
    "are complete where one second holds more than a page (%s)",
    async (paging) => {
      const sandbox = await startSandbox({ quirks: { paging } });
      openIssues(sandbox, 30, 1_000);
      openIssues(sandbox, 350, 0);
      sandbox.clock.pass(1_000);
      openIssues(sandbox, 130, 1_000);
      const issues = await collectIssues(sandbox.tracker, await getRepository(sandbox.tracker), all);
      expect(numbers(issues)).toEqual(range(1, 510));
    },
  );

  it("end after exactly one full page of one second", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 100, 0);
    const pages = await collectPages(sandbox.tracker, await getRepository(sandbox.tracker), all);
    expect(numbers(pages.flatMap((page) => page.issues))).toEqual(range(1, 100));
    expect(pages.map((page) => page.hasMore)).toEqual([true, false]);
  });

  it("lose none to an issue that is touched between two pages", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 205, 1_000);
    const repository = await getRepository(sandbox.tracker);
    const seen = new Set<number>();
    let page = 0;
    for await (const { issues } of sandbox.tracker.listIssues(repository, all, unbounded())) {
      for (const { issue } of issues) seen.add(issue.number);
      page += 1;
      // Everything behind moves up by these: by page numbers the rows at the next edge would never be shown.
      if (page === 1) for (const number of range(10, 19)) sandbox.github.label("acme/app", number, "bug");
    }
    expect([...seen].toSorted((a, b) => a - b)).toEqual(range(1, 205));
  });

  it("show an issue again that was touched after it had been shown", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 150, 1_000);
    const records: (readonly string[])[] = [];
    for await (const { issues } of sandbox.tracker.listIssues(
      await getRepository(sandbox.tracker),
      all,
      unbounded(),
    )) {
      if (records.length === 0) sandbox.github.label("acme/app", 3, "bug");
      for (const { issue } of issues) if (issue.number === 3) records.push(issue.labels);
    }
    expect(records).toEqual([[], ["bug"]]);
  });

  it("leave out pull requests, but count them as rows of a full page", async () => {
    const sandbox = await startSandbox();
    for (let index = 0; index < 150; index += 1) {
      sandbox.github.openPullRequest("acme/app", { title: "p" });
      sandbox.clock.pass(1_000);
    }
    openIssues(sandbox, 5, 1_000);
    const pages = await collectPages(sandbox.tracker, await getRepository(sandbox.tracker), all);
    expect(numbers(pages.flatMap((page) => page.issues))).toEqual(range(151, 155));
    expect(pages[0]).toMatchObject({ issues: [], hasMore: true, lastUpdatedAt: "2026-01-05T10:01:39Z" });
  });

  it("go on after a short page that names a next one, even an empty one", async () => {
    const { tracker, seen } = await startServer((response, { count }) => {
      const next = `http://${response.req.headers.host}/repositories/42/issues?after=c%3Aabc:x{y}%20&per_page=100`;
      if (count === 1) sendJson(response, 200, [], { link: `<${next}>; rel="next"` });
      else sendJson(response, 200, [issueJson()]);
    });
    expect(numbers(await collectIssues(tracker, known, all))).toEqual([7]);
    // Octokit would read `:x` and `{y}` as placeholders; the address is GitHub's and stays as it is.
    expect(seen[1]).toBe("GET /repositories/42/issues?after=c%3Aabc:x%7By%7D%20&per_page=100");
  });

  it("end at the page limit", async () => {
    const { tracker, seen } = await startServer(
      (response, { count }) => {
        const next = `http://${response.req.headers.host}/repositories/42/issues?page=${count + 1}`;
        sendJson(response, 200, [], { link: `<${next}>; rel="next"` });
      },
      { pageLimit: 3 },
    );
    expect(await failureOf(collectPages(tracker, known, all))).toMatchObject({
      fault: "unreadable",
      message: "GitHub's pages of acme/app don't come to an end.",
    });
    expect(seen).toHaveLength(3);
  });

  it("are complete in a repository that was renamed, under the id that it keeps", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 120, 1_000);
    const repository = await getRepository(sandbox.tracker);
    sandbox.github.renameRepository("acme/app", "acme/product");
    const issues = await collectIssues(sandbox.tracker, repository, all);
    expect(numbers(issues)).toEqual(range(1, 120));
    expect(new Set(issues.map(({ issue }) => issue.repositoryId))).toEqual(new Set([repository.id]));
  });

  it("are refused when the name now redirects to another repository", async () => {
    const { tracker } = await startServer((response, { count }) => {
      if (count === 1) sendJson(response, 301, {}, { location: "/repositories/43/issues" });
      else sendJson(response, 200, []);
    });
    expect(await failureOf(collectPages(tracker, known, all))).toMatchObject({ fault: "missing" });
  });

  it("are refused when they belong to another repository", async () => {
    const { tracker } = await startServer((response, { url }) => {
      const stranger = issueJson({ repository_url: "https://api.github.com/repos/acme/web" });
      const web = repositoryJson({ id: 43, full_name: "acme/web" });
      sendJson(response, 200, url.includes("/issues") ? [stranger] : web);
    });
    expect(await failureOf(collectPages(tracker, known, all))).toMatchObject({
      fault: "unreadable",
      message: "GitHub's list of acme/app holds an issue of acme/web.",
    });
  });

  it("may name their repository by its id", async () => {
    const { tracker, seen } = await startServer((response, { url }) => {
      const [, id] = /repositories\/(\d+)/.exec(url) ?? [];
      const row = issueJson({ repository_url: "https://api.github.com/repositories/43" });
      sendJson(response, 200, id === undefined ? [row] : repositoryJson({ id: 43, full_name: "acme/web" }));
    });
    expect(await failureOf(collectPages(tracker, known, all))).toMatchObject({ fault: "unreadable" });
    expect(seen).toHaveLength(2);
  });

  it("are unreadable past a Link to another server, which is not asked", async () => {
    const elsewhere = await startServer((response) => sendJson(response, 200, []));
    const { tracker } = await startServer((response) => {
      const link = `<${elsewhere.url}/repositories/42/issues?page=2>; rel="next"`;
      sendJson(response, 200, [], { link });
    });
    expect(await failureOf(collectPages(tracker, known, all))).toMatchObject({ fault: "refused" });
    expect(elsewhere.seen).toEqual([]);
  });

  it("are not silently cut short by a 409 in the middle", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 150, 1_000);
    const repository = await getRepository(sandbox.tracker);
    const body = { message: "Git Repository is empty." };
    sandbox.github.failNext({ path: "/issues", after: 1, answer: { kind: "answer", status: 409, body } });
    expect(await failureOf(collectPages(sandbox.tracker, repository, all))).toMatchObject({
      fault: "refused",
    });
  });
});

describe("issues by an author", () => {
  it.each(["page", "cursor"] as const)("are all of that author, newest first (%s)", async (paging) => {
    const sandbox = await startSandbox({ quirks: { paging } });
    openIssues(sandbox, 450, 1_000);
    sandbox.github.close("acme/app", 2);
    const query = { kind: "by", author: sandbox.github.login, createdSince: undefined } as const;
    const pages = await collectPages(sandbox.tracker, await getRepository(sandbox.tracker), query);
    const found = pages.flatMap((page) => page.issues.map(({ issue }) => issue.number));
    expect(found).toEqual(
      range(1, 225)
        .map((half) => half * 2)
        .toReversed(),
    );
    expect(pages.map((page) => page.hasMore)).toEqual([true, true, false]);
  });

  it("end at the time that was asked for", async () => {
    const sandbox = await startSandbox();
    openIssues(sandbox, 450, 1_000);
    const createdSince = new Date(start + 400_000).toISOString();
    const query = { kind: "by", author: sandbox.github.login, createdSince } as const;
    const pages = await collectPages(sandbox.tracker, await getRepository(sandbox.tracker), query);
    expect(pages).toHaveLength(1);
    expect(pages[0]?.hasMore).toBe(false);
    expect(numbers(pages[0]?.issues ?? [])).toEqual(range(201, 225).map((half) => half * 2));
  });

  it("are asked for with the login as it is, an app's brackets included", async () => {
    const { tracker, seen } = await startServer((response) => sendJson(response, 200, []));
    const query = { kind: "by", author: "acme[bot]", createdSince: undefined } as const;
    expect(await collectIssues(tracker, known, query)).toEqual([]);
    expect(seen).toEqual([
      "GET /repos/acme/app/issues?state=all&creator=acme%5Bbot%5D&sort=created&direction=desc&per_page=100",
    ]);
  });
});
