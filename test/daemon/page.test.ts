import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/daemon/metrics.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { addLinks, addOthers, addPost, addWaits, openPage, parkPost } from "../support/page-stage.ts";

const script = '"><script>alert(1)</script><img src=x onerror=alert(2)>';

describe("the status page", () => {
  it("shows each project with its last and next run, its counts and its requests", async () => {
    const { page } = await openPage();
    const text = await page("/");
    expect(text).toContain("<h1>All in step</h1>");
    expect(text).toMatch(/acme-app <span class="quiet">↔ acme\/app/);
    expect(text).toMatch(/Last run<\/dt><dd><time datetime="[^"]+">[^<]+<\/time>/);
    expect(text).toMatch(/Next run<\/dt><dd><time/);
    expect(text).toContain("4 opened");
    expect(text).toMatch(/board \d, GitHub \d+/);
    expect(text).toMatch(/6 of 450 <span class="quiet more">6 of 150 new issues/);
    expect(text).toContain("<bdi>In step.</bdi>");
    expect(text).toMatch(/What needs you<\/h2>\s*<p class="lead">Nothing\.<\/p>/);
  });

  it("names what waits for a person, with the command that frees it, the oldest first", async () => {
    const { page } = await openPage({ after: addWaits });
    const text = await page("/");
    expect(text).toContain("<h1>1 project needs you</h1>");
    expect(text).toContain("<bdi>Needs you (3 actions)");
    expect([...text.matchAll(/<code class="command">([^<]+)</g)].map(([, command]) => command)).toEqual([
      "boardsync explain acme-app/p1",
      "boardsync approve acme-app p1 --discard",
      "boardsync approve acme-app p1",
      "boardsync retry acme-app/p2",
      "boardsync release acme-app/p4",
    ]);
    expect(text).toContain("<code>board.rejected</code>");
  });

  it("shows commands as the program was started", async () => {
    const { page } = await openPage({ after: addWaits, command: "docker compose exec 'b&s' boardsync" });
    const text = await page("/");
    expect(text).toContain(
      '<code class="command">docker compose exec &#39;b&#38;s&#39; boardsync retry acme-app/p2</code>',
    );
    expect(text).not.toMatch(/<code[^>]*>boardsync [a-z]/);
  });

  it('is not "all in step" while one post settles and one differs, and shows both by themselves', async () => {
    const { page } = await openPage({ after: addOthers });
    const text = await page("/");
    expect(text).toContain("<h1>1 project has posts that follow later</h1>");
    expect(text).toMatch(
      /<bdi>1 post follows later, the next from [^;]+ on; 1 post differs from its issue and stays so\.<\/bdi>/,
    );
    expect(text).toContain("<summary>acme-app: follow later (1)</summary>");
    expect(text).toContain("<summary>acme-app: differ and stay so (1)</summary>");
  });

  it("shows what is paused, with the command that ends it, and needs nobody for it", async () => {
    const { page } = await openPage({
      after: (ledger) =>
        ledger.commit([{ kind: "pause", project: "prj_app" as ProjectId, post: "p1" as PostId, at: 1 }]),
    });
    const text = await page("/");
    expect(text).toContain("<bdi>1 post is paused.</bdi>");
    expect(text).toMatch(/What needs you<\/h2>\s*<p class="lead">Nothing\.<\/p>/);
    expect(text).toContain("<summary>acme-app: are paused (1)</summary>");
    expect(text).toContain('<code class="command">boardsync resume acme-app/p1</code>');
  });

  it("counts and names linked posts that the board no longer lists, and needs nobody for them", async () => {
    const { page } = await openPage({
      after: (ledger) =>
        ledger.commit([{ kind: "mark-missing", project: "prj_app" as ProjectId, post: "p1" as PostId }]),
    });
    const text = await page("/");
    expect(text).not.toContain("<h1>All in step</h1>");
    expect(text).toContain("<bdi>1 linked post is not found on the board.</bdi>");
    expect(text).toMatch(/acme-app: are not found on the board \(1\)<\/summary>[\s\S]*>Dark mode/);
    expect(text).toMatch(/What needs you<\/h2>\s*<p class="lead">Nothing\.<\/p>/);
  });

  it("says which project is late, and what failed in its last run", async () => {
    const late = "it is to run every 300 s";
    const before = await openPage({ late: { "acme-api": late } });
    expect(await before.page("/")).toContain("<h1>1 project is failing</h1>");
    expect(await before.page("/")).toContain(late);
    const failed = await openPage({
      config: (config) => config.replace("repo: acme/api", "repo: acme/gone"),
    });
    const text = await failed.page("/");
    expect(text).toContain("<code>tracker.missing</code>");
    expect(text).toContain('<span class="badge bad">failing</span>');
    expect(text).toContain("Correct <code>repo</code> or <code>route</code>");
  });

  it("says of a token that ends soon when that is, and the metrics have it", async () => {
    const endsAt = Date.now() + 3 * 24 * 3_600_000 + 60_000;
    const report = { tokenEnds: new Date(endsAt).toISOString() };
    const { page, ledger } = await openPage({
      after: async (state) => {
        const { run } = await state.runs.begin(Date.now());
        const projects = ["acme-app", "acme-api"].map((project) => ({ project, report }));
        const record = { finishedAt: Date.now(), result: "ok" as const, projects };
        await state.commit([{ kind: "finish-run", run, record }]);
      },
    });
    expect(await page("/")).toMatch(
      /badge warn">token<\/span> <bdi>The token for GitHub ends in 3 days, at /,
    );
    const shown = await createMetrics(ledger, "1").render([
      { key: "acme-app", periodMs: 1, now: Date.now() },
    ]);
    expect(shown).toContain(
      `boardsync_token_ends_timestamp_seconds{project="acme-app"} ${Date.parse(report.tokenEnds) / 1000}`,
    );
  });

  it("says what a limit has put off, and until when", async () => {
    const { page } = await openPage({
      before: ({ story }) =>
        story.board.failNext({ kind: "answer", status: 429, headers: { "retry-after": "3600" } }),
      config: (config) => config.replace(/( {2}url: .*\n)/, "$1  retries: 0\n"),
    });
    const text = await page("/");
    expect(text).toContain("<h1>2 projects have posts that follow later</h1>");
    expect(text).toMatch(
      /<bdi>Later: the board wants no request before (?:[\w ]+, )?\d\d:\d\d UTC \(in 60 minutes\)\.<\/bdi>/,
    );
  });

  it("says who was notified of what, by which run", async () => {
    const { page, stage } = await openPage();
    expect(await page("/")).not.toContain("Notified in the last 24 hours");
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["sync", "-c", `${stage.folder}/page.yaml`]);
    const text = await page("/");
    expect(text).toMatch(/>[1-9]\d* voters of 1 change</);
    expect(text).toMatch(
      /<bdi>Dark mode<\/bdi><\/a>\s*<bdi>status: planned → completed.*<\/bdi>; [1-9]\d* voters;\s*<a href="[^"]*runs\/2">run 2</,
    );
  });

  it("shows what settles, and the way to stop it", async () => {
    const { page, stage } = await openPage({ orders: true, config: (config) => `${config}settle: 10m\n` });
    for (const number of [1, 2]) stage.story.github.close("acme/app", number, "completed");
    await stage.run(["sync", "-c", `${stage.folder}/page.yaml`]);
    const text = await page("/");
    expect(text).toContain("<details open><summary>acme-app: follow later");
    expect(text).toMatch(
      /unless the issue changes again before (?:[\w ]+, )?\d\d:\d\d UTC \(in \d+ minutes\)\./,
    );
    expect(text).toMatch(/name="order" value="pause"[\s\S]*name="post" value="p1"/);
  });

  it("draws the runs of the last days, and tells the same in words", async () => {
    const { page } = await openPage();
    const text = await page("/");
    expect(text).toMatch(
      /<svg class="writes" role="img" aria-label="Writes of the last 24 hours: 6; at most 6 in 1 hour\."/,
    );
    expect(text).toContain("<summary>The same as a table</summary>");
    expect(await page("/?range=month")).toContain("Writes of the last 30 days: 6");
    expect(await page("/?range=%22%3E")).toContain("Writes of the last 24 hours: 6");
  });

  it("says that there was no run yet where there is no state", async () => {
    const { page } = await openPage({ isNew: true });
    for (const path of ["/", "/links", "/post/a/b"])
      expect(await page(path)).toContain("<h1>No run yet</h1>");
  });
});

describe("the list of links", () => {
  it("shows every post with its issue, across projects", async () => {
    const { page } = await openPage();
    const text = await page("/links");
    expect(text).toContain("6 linked issues");
    expect(text).toContain('<a href="./post/acme-app/p1"><bdi>Dark mode</bdi></a>');
    expect(text).toContain("acme/api#2");
  });

  it.each([
    ["a part of a title, in any case", "?q=WEBHOOKS", ["acme-api/p9"]],
    ["the name of an issue", "?q=acme/app%232", ["acme-app/p2"]],
    ["a project", "?project=acme-api", ["acme-api/p9", "acme-api/p11"]],
    ["what waits", "?state=waiting", ["acme-app/p4", "acme-app/p2", "acme-app/p1"]],
    ["open issues of a project", "?project=acme-api&state=open", ["acme-api/p9", "acme-api/p11"]],
    ["nothing there", "?state=absent", []],
    [
      "values that nobody offers, as if they were left out",
      "?project=x&state=y&rows=z&q=pass",
      ["acme-app/p4"],
    ],
  ])("finds %s", async (_, query, posts) => {
    const { page } = await openPage({ after: addWaits });
    const text = await page(`/links${query}`);
    const found = [...text.matchAll(/<td role="cell" data-title="Post"><div><a href="\.\/post\/([^"]+)"/g)];
    expect(found.map(([, post]) => post)).toEqual(posts);
    if (posts.length === 0) expect(text).toContain("No link matches this search.");
  });

  it("goes from page to page by links, keeps what was searched, and shows every link once", async () => {
    const { page } = await openPage({ after: (ledger) => addLinks(ledger, 110) });
    const first = await page("/links?q=wish&project=acme-app");
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll("&#38;", "&") ?? "";
    expect(next).toContain("q=wish&project=acme-app");
    const second = await page(next);
    const titles = [...`${first}${second}`.matchAll(/<bdi>(Wish \d+)<\/bdi><\/a>/g)].map(
      ([, title]) => title,
    );
    expect(titles).toHaveLength(110);
    expect(new Set(titles).size).toBe(110);
    expect(second).toContain("First page");
    expect(second).not.toContain('rel="next"');
    expect(await page("/links?rows=1000")).not.toContain('rel="next"');
  });

  it("names a post without an issue that is asked for by its id", async () => {
    const { page } = await openPage();
    expect(await page("/links?q=p5")).toContain(
      '<a href="./post/acme-app/p5"><bdi>acme-app/p5</bdi></a> has no issue.',
    );
  });
});

describe("the page of a run", () => {
  it("tells what it wrote, by whose rules, and the command that takes it back", async () => {
    const { page } = await openPage();
    expect(await page("/")).toContain('<a href="./runs/1">run 1</a>');
    const text = await page("/runs/1");
    expect(text).toContain("<h1>Run 1</h1>");
    expect(text).toContain('<a href="../post/acme-app/p1"><bdi>acme-app/p1</bdi></a>');
    expect(text).toContain("acme/app#1");
    expect(text).toContain('<code class="command">boardsync undo 1</code>');
    expect(text).toMatch(/4 issues opened[\s\S]*2 issues opened/);
    expect(text).not.toContain('rel="prev"');
  });

  it("says how many voters heard, of each write and of all", async () => {
    const { page, stage } = await openPage();
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["sync", "-c", `${stage.folder}/page.yaml`]);
    const text = await page("/runs/2");
    expect(text).toContain("1 to posts, 128 voters notified.");
    const counted = /status: planned → completed.*<td[^>]* data-title="Voters"[^>]*><div>128</;
    expect(text).toMatch(counted);
    expect(await page("/")).toContain("1 to posts, 128 voters notified");
    expect(await page("/post/acme-app/p1")).toMatch(counted);
    expect(await page("/runs/1")).not.toContain("voters notified");
  });

  it("leads to the run before and after it, and says where nothing was written", async () => {
    const { page, stage } = await openPage();
    await stage.run(["sync", "-c", `${stage.folder}/page.yaml`]);
    expect(await page("/runs/1")).toContain('<a rel="next" href="../runs/2">');
    const text = await page("/runs/2");
    expect(text).toContain('<a rel="prev" href="../runs/1">');
    expect(text).toContain("Nothing to either side.");
    expect(text).not.toContain("boardsync undo");
  });

  it.each(["/runs/99", "/runs/0", "/runs/1x", "/runs/", "/runs/1/2"])("is not there: %s", async (path) => {
    const { get } = await openPage();
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("No such run")]);
  });
});

describe("an address that is none", () => {
  it("answers whoever is let in with a page, and others as ever", async () => {
    const { get } = await openPage();
    for (const path of ["/nothing", "/links/x", "/%3Cscript%3E", "/runs"]) {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await response.text()).toContain("<h1>No such page</h1>");
      const stranger = await get(path, { cookie: "" });
      expect([stranger.status, await stranger.json()]).toEqual([404, { status: "not found" }]);
    }
  });
});

describe("the page of a post", () => {
  it("tells its story: what is linked, which rule matches, what waits, what was written", async () => {
    const { page } = await openPage({ after: addWaits });
    const text = await page("/post/acme-app/p1");
    expect(text).toContain("<h1><bdi>Dark mode</bdi></h1>");
    for (const part of ["acme/app#1", "Rule 1", "Selection", "Last writes", "create-issue"]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('<code class="command">boardsync approve acme-app p1</code>');
  });

  it("says why a post has no issue", async () => {
    const { page } = await openPage();
    const text = await page("/post/acme-app/p5");
    expect(text).toContain("It is not selected.");
    expect(text).toContain("✗ fails");
  });

  it.each([
    "/post/acme-app/p99",
    "/post/nobody/p1",
    "/post/acme-app",
    "/post/",
    "/post/a/b/c",
    "/post/acme-app/%ff",
  ])("answers %s with 404, and a page", async (path) => {
    const { get } = await openPage();
    const response = await get(path);
    expect([400, 404]).toContain(response.status);
  });

  it("is found by whatever id the board gives", async () => {
    const id = "a/b?c#d&\"'<é";
    const { page } = await openPage({ after: (ledger) => addPost(ledger, id, { title: "Odd" }) });
    const list = await page(`/links?q=${encodeURIComponent(id)}`);
    const [, address = ""] = /<a href="(\.\/post\/acme-app\/a%252Fb[^"]+)"/.exec(list) ?? [];
    expect(await page(new URL(address, "http://x").pathname)).toContain("<h1><bdi>Odd</bdi></h1>");
  });
});

describe("what others wrote", () => {
  it("is text and nothing else, wherever it stands", async () => {
    const id = `x${script}`;
    const { page } = await openPage({
      after: async (ledger) => {
        await addPost(ledger, id, { title: `Title ${script}\u202e\u0007`, status: script });
        await parkPost(ledger, id, `The board says ${script}`);
      },
    });
    const paths = ["/", `/links?q=${encodeURIComponent(script)}`];
    paths.push(`/post/acme-app/${encodeURIComponent(id)}`);
    for (const path of paths) {
      const text = await page(path);
      expect(text).not.toMatch(/<script|<img|onerror=alert\(2\)>/i);
      expect(text).toContain("&#60;script&#62;");
      expect(text).not.toContain("\u202e");
      expect(text).not.toContain("\u0007");
    }
  });

  it("is quoted in a command, so that a shell runs nothing of it", async () => {
    const { page } = await openPage({
      after: async (ledger) => {
        for (const id of ["$(reboot)", "two\nlines"]) {
          await addPost(ledger, id, {});
          await parkPost(ledger, id, "no");
        }
      },
    });
    const commands = [...(await page("/")).matchAll(/<code class="command">([^<]+)</g)].map(
      ([, text]) => text,
    );
    expect(commands).toEqual(["boardsync retry &#39;acme-app/$(reboot)&#39;"]);
  });

  it("holds no secret, not even one that the board has sent back", async () => {
    const key = "demo-board-key-0123456789";
    const { page, stage } = await openPage({
      before: ({ story }) =>
        story.board.addPost("acme-app", {
          title: `Key ${key}`,
          description: "",
          status: "planned",
          votes: 1,
        }),
    });
    expect(stage.story.board.key).toBe(key);
    for (const path of ["/", "/links", "/post/acme-app/p13"]) expect(await page(path)).not.toContain(key);
  });

  it("leads to web pages only", async () => {
    const { page } = await openPage({
      after: async (ledger) => {
        await addPost(ledger, "p13", { url: "javascript:alert(1)" });
        await addPost(ledger, "p14", { url: "https://feedback.example.com/p/14" });
      },
    });
    expect(await page("/post/acme-app/p13")).not.toMatch(/javascript:/i);
    expect(await page("/post/acme-app/p14")).toContain('href="https://feedback.example.com/p/14"');
  });
});

describe("every page", () => {
  it.each(["/", "/links", "/post/acme-app/p1", "/post/acme-app/p99"])(
    "%s lets nothing run, fetches nothing, is never stored and in nobody's frame",
    async (path) => {
      const { get } = await openPage();
      const { headers } = await get(path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    },
  );

  it("is read-only", async () => {
    const { get } = await openPage();
    expect((await get("/", {}, "HEAD")).status).toBe(200);
    for (const method of ["POST", "PUT", "DELETE", "PATCH"])
      expect((await get("/", {}, method)).status).toBe(405);
  });
});
