import { describe, expect, it } from "vitest";
import { issueAddress, readPostAddress, siteOf, webAddress } from "../../src/daemon/page/addresses.ts";
import { describeLength } from "../../src/model/time.ts";
import { readReport } from "../../src/sync/tell/stored-report.ts";
import { addPost, openPage, parkPost } from "../support/page-stage.ts";

describe("the addresses on the status page", () => {
  it.each([
    ["https://api.github.com", "https://github.com"],
    ["https://github.example.com/api/v3", "https://github.example.com"],
    ["https://api.acme.ghe.com", "https://acme.ghe.com"],
    ["http://127.0.0.1:8080", undefined],
  ])("of %s lead to %s", (url, site) => {
    expect(siteOf(url)).toBe(site);
  });

  it("name an issue only where there is one to name", () => {
    expect(issueAddress("https://github.com", "acme/app#7")).toBe("https://github.com/acme/app/issues/7");
    expect(issueAddress("https://github.com", "repository 10#7")).toBeUndefined();
    expect(issueAddress(undefined, "acme/app#7")).toBeUndefined();
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "https://me:pw@example.com/", "no address", 7, null])(
    "are never %s",
    (given) => {
      expect(webAddress(given)).toBeUndefined();
    },
  );

  it.each(["/post/a", "/post//b", "/post/a/b/c", "/post/a/%ff", "/post/a/"])(
    "of a post are not %s",
    (url) => {
      expect(readPostAddress(url)).toBeUndefined();
    },
  );
});

describe("a stored report", () => {
  it.each([null, "x", {}, { errors: "none", requests: 7, created: "3" }])(
    "of another version, such as %j, is read as far as it goes",
    (report) => {
      const writes = {
        created: 0,
        issueWrites: 0,
        postWrites: 0,
        made: 0,
        entryWrites: 0,
        statusWrites: 0,
        voters: null,
      };
      const none = { ...writes, held: 0, parked: 0, quarantined: 0, failed: 0, errors: [], putOff: [] };
      expect(readReport(report)).toEqual({ ...none, requests: { board: 0, tracker: 0 } });
    },
  );

  it("keeps what can be read of an error", () => {
    const { errors } = readReport({ errors: [{ post: "p1" }, null] });
    const rest = { issue: undefined, code: "unknown", message: "", advice: undefined, until: undefined };
    expect(errors).toEqual([
      { post: "p1", ...rest },
      { post: undefined, ...rest },
    ]);
  });
});

describe("a length of time", () => {
  it.each([
    [7.4, "7 ms"],
    [3000, "3 seconds"],
    [60_000, "1 minute"],
    [7_200_000, "2 hours"],
    [90_000_000, "1 day"],
  ])("of %d ms is %s", (ms, text) => {
    expect(describeLength(ms)).toBe(text);
  });
});

describe("the status page of a busy project", () => {
  it("shows examples of many that wait alike, and where each of them is", async () => {
    const { page } = await openPage({
      after: async (ledger) => {
        for (let number = 1; number <= 60; number++) {
          await addPost(ledger, `m${number}`, {});
          await parkPost(ledger, `m${number}`, "no");
        }
      },
    });
    const text = await page("/");
    expect(text).toContain("<b>60 alike</b>");
    expect(text.match(/href="[^"]*post\/acme-app\/m\d+"/g)).toHaveLength(3);
    expect(text.match(/class="command">boardsync retry.*/g)).toEqual([
      expect.stringContaining("boardsync retry acme-app --code board.rejected<"),
    ]);
    expect(text).toContain('Not each is shown; <code class="command">boardsync status --full</code>');
    expect(text).toContain("60 to retry");
  });

  it("shows no more than fifty where no two are alike", async () => {
    const { page } = await openPage({
      after: async (ledger) => {
        for (let number = 1; number <= 60; number++) {
          await addPost(ledger, `m${number}`, {});
          await parkPost(ledger, `m${number}`, `no ${number}`);
        }
      },
    });
    const text = await page("/");
    expect(text.match(/class="command">boardsync retry/g)).toHaveLength(50);
    expect(text).toContain("Not each is shown");
  });

  it("tells what board rules make of the issues of a post", async () => {
    const { page } = await openPage({
      config: (config) =>
        config.replace(
          "    rules: ",
          "    boardRules: [{ when: { status: declined }, set: { state: closed, reason: not_planned } }]\n    rules: ",
        ),
    });
    const text = await page("/post/acme-app/p1");
    expect(text).toContain("From the post to its issues");
    expect(text).toContain("Fields of its issues that the post decides");
  });

  it("says which writes its config stops", async () => {
    const { page } = await openPage({
      config: (config) => config.replace("repo: acme/api\n", "repo: acme/api\n    writes: none\n"),
    });
    const text = await page("/");
    expect(text).toContain('<span class="badge warn">writes: none</span>');
    expect(await page("/post/acme-api/p9")).toContain("none; it would go to acme/api");
  });
});
