import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fixture, type Received, start, startFixture } from "../../github-client.ts";

let fixture: Fixture;
const issues = "/repos/acme/app/issues";

beforeEach(async () => {
  fixture = await startFixture({
    repositories: [
      {
        name: "acme/app",
        labels: ["bug", "api"],
        milestones: ["Backlog", { title: "Old", state: "closed" }],
        types: ["Feature"],
      },
    ],
  });
});

afterEach(() => fixture.github.stop());

/** Opens issues `a`, `b`, … a second apart. */
function openIssues(count: number): void {
  for (let index = 0; index < count; index += 1) {
    fixture.github.openIssue("acme/app", { title: String.fromCodePoint(97 + index) });
    fixture.clock.pass(1000);
  }
}

function titles({ rows }: Received): string {
  return rows.map((row) => row["title"]).join("");
}

/** Relations and URLs of a `Link` header. */
function links({ headers }: Received): Readonly<Record<string, string>> {
  const found = (headers.get("link") ?? "").matchAll(/<(?<url>[^>]+)>; rel="(?<rel>\w+)"/gu);
  return Object.fromEntries([...found].map(({ groups }) => [groups?.["rel"], groups?.["url"]]));
}

describe("listing issues", () => {
  it("shows pull requests too, told by their key", async () => {
    fixture.github.openIssue("acme/app", { title: "a" });
    fixture.github.openPullRequest("acme/app", { title: "b" });
    const { rows } = await fixture.send("GET", issues);
    expect(rows.map((row) => [row["title"], "pull_request" in row])).toEqual([
      ["b", true],
      ["a", false],
    ]);
  });

  it("shows only pull requests where issues are disabled", async () => {
    fixture.github.openIssue("acme/app", { title: "a" });
    fixture.github.openPullRequest("acme/app", { title: "b" });
    fixture.github.disableIssues("acme/app");
    expect(titles(await fixture.send("GET", issues))).toBe("b");
  });

  it.each([404, 410] as const)(
    "is refused with %i where issues are off, as the quirk says",
    async (issuesOff) => {
      const quirky = await startFixture({
        repositories: [{ name: "acme/app", hasIssues: false }],
        quirks: { issuesOff },
      });
      const { status } = await quirky.send("GET", issues);
      await quirky.github.stop();
      expect(status).toBe(issuesOff);
    },
  );

  it("leaves out what was deleted or transferred", async () => {
    openIssues(3);
    fixture.github.addRepository({ name: "acme/other" });
    fixture.github.deleteIssue("acme/app", 1);
    fixture.github.transfer("acme/app", 2, "acme/other");
    expect(titles(await fixture.send("GET", `${issues}?state=all`))).toBe("c");
  });

  it.each([
    ["", "dcb"],
    ["?state=closed", "a"],
    ["?state=all", "dcba"],
    ["?state=all&direction=asc", "abcd"],
    ["?state=all&sort=updated", "badc"],
    ["?state=all&sort=updated&direction=asc", "cdab"],
    ["?state=all&sort=comments", "bdca"],
    ["?creator=ada", "c"],
    ["?labels=bug", "cb"],
    ["?labels=BUG,api", "b"],
    ["?labels=absent", ""],
    ["?milestone=1", "b"],
    ["?milestone=none", "dc"],
    ["?milestone=*", "b"],
    ["?assignee=ada", "d"],
    ["?assignee=none", "cb"],
    ["?type=Feature", "d"],
    ["?state=all&since=2026-01-05T10:00:05Z", "ba"],
    ["?state=all&since=2026-01-05T10:00:07Z", ""],
  ])("by %s gives %s", async (query, expected) => {
    const { github, clock, send } = fixture;
    github.openIssue("acme/app", { title: "a" });
    clock.pass(1000);
    github.openIssue("acme/app", { title: "b", labels: ["bug", "api"], milestone: "Backlog" });
    clock.pass(1000);
    github.openIssue("acme/app", { title: "c", labels: ["bug"], author: "ada" });
    clock.pass(1000);
    github.openIssue("acme/app", { title: "d", assignees: ["ada"], type: "Feature" });
    clock.pass(2000);
    github.close("acme/app", 1, "not_planned");
    clock.pass(1000);
    github.comment("acme/app", 2, "Me too.");
    expect(titles(await send("GET", issues + query))).toBe(expected);
  });

  it("may leave out the very second of `since`", async () => {
    const exclusive = await startFixture({ quirks: { since: "exclusive" } });
    exclusive.github.openIssue("acme/app", { title: "a" });
    const same = await exclusive.send("GET", `${issues}?since=2026-01-05T10:00:00Z`);
    const before = await exclusive.send("GET", `${issues}?since=2026-01-05T09:59:59Z`);
    await exclusive.github.stop();
    expect([titles(same), titles(before)]).toEqual(["", "a"]);
  });

  it("gives times in whole seconds, so that several changes share one", async () => {
    fixture.github.openIssue("acme/app", { title: "a" });
    fixture.clock.pass(500);
    fixture.github.openIssue("acme/app", { title: "b" });
    const { rows } = await fixture.send("GET", issues);
    expect(rows.map((row) => row["updated_at"])).toEqual(["2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z"]);
  });

  it.each(["?state=done", "?sort=title", "?direction=up", "?since=yesterday"])(
    "refuses %s with 422",
    async (query) => {
      expect((await fixture.send("GET", issues + query)).status).toBe(422);
    },
  );

  it("refuses page numbers beyond 10,000 rows", async () => {
    const refused = await fixture.send("GET", `${issues}?per_page=100&page=101`);
    expect(refused.status).toBe(422);
    expect(refused.body["message"]).toContain("cursor based pagination");
  });
});

describe("paging", () => {
  it.each([
    ["", 30],
    ["?per_page=7", 7],
    ["?per_page=100", 100],
    ["?per_page=1000", 100],
    ["?per_page=0", 30],
    ["?per_page=x", 30],
  ])("%s gives %i rows a page", async (query, size) => {
    openIssues(101);
    expect((await fixture.send("GET", issues + query)).rows).toHaveLength(size);
  });

  it("links to the other pages by the repository's numeric id, keeping the query", async () => {
    openIssues(5);
    const { github, send } = fixture;
    const { body } = await send("GET", "/repos/acme/app");
    const page = (number: number): string =>
      `${github.url}/repositories/${body["id"]}/issues?state=all&per_page=2&page=${number}`;
    const first = await send("GET", `${issues}?state=all&per_page=2`);
    expect(links(first)).toEqual({ next: page(2), last: page(3) });
    const second = await send("GET", String(links(first)["next"]));
    expect(links(second)).toEqual({ prev: page(1), next: page(3), last: page(3), first: page(1) });
    const third = await send("GET", String(links(second)["next"]));
    expect(links(third)).toEqual({ prev: page(2), first: page(1) });
    expect([first, second, third].map(titles)).toEqual(["ed", "cb", "a"]);
    const fourth = await send("GET", page(4));
    expect([titles(fourth), links(fourth)["prev"]]).toEqual(["", page(3)]);
  });

  it("has no Link when everything is on one page", async () => {
    openIssues(2);
    expect((await fixture.send("GET", issues)).headers.get("link")).toBeNull();
  });

  it("skips an issue at the page boundary when another is touched during an ascending scan", async () => {
    openIssues(4);
    const scan = `${issues}?sort=updated&direction=asc&per_page=2`;
    const first = await fixture.send("GET", scan);
    fixture.github.label("acme/app", 1, "bug");
    const second = await fixture.send("GET", String(links(first)["next"]));
    expect(titles(first) + titles(second)).toBe("abda");
  });

  it.each([
    ["asc", "abcde"],
    ["desc", "edcba"],
  ])("by cursor, %s, skips nothing and names no last page", async (direction, expected) => {
    const cursored = await startFixture({ quirks: { paging: "cursor" } });
    for (const title of "abcde") {
      cursored.github.openIssue("acme/app", { title });
      cursored.clock.pass(400);
    }
    const pages: Received[] = [];
    let next: string | undefined = `${issues}?direction=${direction}&per_page=2`;
    while (next !== undefined) {
      const page: Received = await cursored.send("GET", next);
      pages.push(page);
      next = links(page)["next"];
    }
    const empty = await cursored.send("GET", `${issues}?state=closed`);
    await cursored.github.stop();
    expect(pages.map(titles).join("")).toBe(expected);
    expect(pages.map((page) => Object.keys(links(page)))).toEqual([["next"], ["next"], []]);
    expect(empty.rows).toEqual([]);
  });
});

describe("lag", () => {
  it("shows new issues and changes in lists only later, while a single read is immediate", async () => {
    const { github, clock, send } = fixture;
    github.setLag({ listMs: 3000 });
    const created = await send("POST", issues, { title: "a" });
    expect(titles(await send("GET", issues))).toBe("");
    expect((await send("GET", `${issues}/${created.body["number"]}`)).status).toBe(200);
    clock.pass(2999);
    expect(titles(await send("GET", issues))).toBe("");
    clock.pass(1);
    expect(titles(await send("GET", issues))).toBe("a");
    github.close("acme/app", 1);
    expect(titles(await send("GET", issues))).toBe("a");
    clock.pass(3000);
    expect(titles(await send("GET", issues))).toBe("");
  });
});

describe("ETags", () => {
  it("answer 304 for the same list, without counting it", async () => {
    openIssues(1);
    const { send } = fixture;
    const first = await send("GET", issues);
    const etag = String(first.headers.get("etag"));
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/u);
    const again = await send("GET", issues, undefined, { "if-none-match": etag });
    expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
    const strong = await send("GET", issues, undefined, { "if-none-match": etag.slice(2) });
    expect(strong.status).toBe(304);
    expect(strong.headers.get("x-ratelimit-used")).toBe("1");
  });

  it("change with the list, the URL and the token", async () => {
    openIssues(1);
    const { github, send } = fixture;
    const etag = String((await send("GET", issues)).headers.get("etag"));
    const conditional = { "if-none-match": etag };
    github.addToken("another-token");
    const authorization = "token another-token";
    expect((await send("GET", `${issues}?page=1`, undefined, conditional)).status).toBe(200);
    expect((await send("GET", issues, undefined, { ...conditional, authorization })).status).toBe(200);
    github.label("acme/app", 1, "bug");
    expect((await send("GET", issues, undefined, conditional)).status).toBe(200);
  });

  it("need their quotes", async () => {
    const etag = String((await fixture.send("GET", issues)).headers.get("etag"));
    const bare = etag.replace(/^W\/"|"$/gu, "");
    expect((await fixture.send("GET", issues, undefined, { "if-none-match": bare })).status).toBe(200);
  });
});

it("starts at the time of its clock", async () => {
  openIssues(1);
  const { body } = await fixture.send("GET", `${issues}/1`);
  expect(Date.parse(String(body["created_at"]))).toBe(Math.floor(start / 1000) * 1000);
});
