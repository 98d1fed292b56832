import { beforeEach, describe, expect, it } from "vitest";
import { featureOs } from "../../support/mcp/dialects.ts";
import { type HostedMcp, hostMcp } from "../../support/mcp/server.ts";
import { openStage, type Stage } from "../stage.ts";

const tools = {
  changelogList: { name: "list_changelogs" },
  changelogCreate: {
    name: "create_changelog",
    args: { title: "{{ entry.title }}", description: "{{ entry.body }}", state: "draft" },
  },
  changelogPublish: { name: "publish_changelog", args: { id: "{{ entry.id }}" } },
};

describe("the changelog, by its commands", () => {
  let stage: Stage;
  let mcp: HostedMcp;
  let config: string;

  beforeEach(async () => {
    stage = await openStage();
    mcp = await hostMcp(featureOs);
    config = stage.writeConfig("with-changelog.yaml", (text) =>
      text
        .replace("board:\n", `board:\n  mcp: ${JSON.stringify({ url: mcp.url, tools })}\n`)
        .replace("repo: acme/app\n", "repo: acme/app\n    changelog: { publish: approve }\n"),
    );
    expect(await run("sync")).toMatchObject({ code: 0 });
    stage.story.github.close("acme/app", 1);
    stage.story.github.publishRelease("acme/app", {
      tag: "v1.2",
      name: "Spring",
      body: "All new by @ann (#1)\n```\ncode\n```",
    });
  });
  const run = (...args: readonly string[]) => stage.run([...args, "--config", config]);

  it("goes from a preview over a draft to an entry that a person let go", async () => {
    const preview = await run("changelog");
    expect(preview.out).toContain("acme-app → acme/app, v1.2: Spring\n  │ All new\n");
    expect(preview.out).toContain("  It names 0 posts.\nNothing was written.\n");
    expect((await run("changelog", "v1.2", "--json")).json()).toMatchObject({
      projects: [
        {
          project: "acme-app",
          repo: "acme/app",
          entries: [{ kind: "create", tag: "v1.2", title: "Spring", posts: 0, when: "now" }],
        },
      ],
    });
    const unknown = await run("changelog", "v9");
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toMatch(/^acme-app: acme\/app has no v9 release\.$/m);
    const { out: planned } = await run("plan");
    expect(planned).toContain('changelog v1.2: a new draft, "Spring", 0 posts');
    expect(planned).toContain("1 draft of the changelog to make. Nothing was written. Next: ");
    expect(planned).not.toContain("Both sides are in step");
    expect((await run("check")).out).toMatch(/acme-app: The next sync: .*1 draft of the changelog, /);
    expect((await run("plan", "--json")).json()).toMatchObject({
      projects: [{ entries: [{ kind: "create", tag: "v1.2", title: "Spring", posts: 0, when: "now" }] }, {}],
    });
    expect(mcp.called()).toEqual([]);

    expect((await run("sync")).out).toMatch(/ entries .*\n.*acme-app .*│ +1 │/s);
    expect(mcp.shelf.entries).toMatchObject([{ title: "Spring", isPublished: false }]);
    const status = await run("status");
    expect(status.out).toContain('! acme-app: changelog v1.2: "Spring", 0 posts: a draft\n');
    expect(status.out).toMatch(/→ boardsync .*approve acme-app changelog:v1\.2\n/);
    expect((await run("status", "--json")).json()).toMatchObject({
      projects: [{ changelog: [{ tag: "v1.2", state: "draft", message: null }] }, { changelog: [] }],
    });

    const approved = await run("approve", "acme-app", "changelog:v1.2", "--yes");
    expect(approved.out).toContain('"Spring" is published as it is on the board.');
    expect(approved.out).toContain("changelog v1.2 approved. The next run publishes it, or says when.");
    expect((await run("status")).out).toContain("approved, and published by a later run");
    await run("sync");
    expect(mcp.shelf.entries).toMatchObject([{ title: "Spring", isPublished: true }]);
    expect((await run("history")).out).toMatch(
      /run \d+: acme-app, changelog v1\.2\n {4}publish-entry: title: Spring\n/,
    );
    expect((await run("history", "--limit", "1", "--json")).json()).toMatchObject({
      writes: [{ project: "acme-app", post: null, changelog: "v1.2", kind: "publish-entry", issue: null }],
    });
    const again = await run("approve", "acme-app", "changelog:v1.2", "--yes", "--json");
    expect(again.json()).toEqual({
      project: "acme-app",
      changelog: "v1.2",
      approved: false,
      message: "changelog v1.2 is published already.",
    });
    expect(mcp.called().filter((tool) => tool === "publish_changelog")).toHaveLength(1);
  });

  it("says what the guard holds, and makes the draft when a person lets it go", async () => {
    config = stage.writeConfig("guarded.yaml", (text) =>
      text
        .replace(
          "board:\n",
          `guard: { issues: 0 }\nboard:\n  mcp: ${JSON.stringify({ url: mcp.url, tools })}\n`,
        )
        .replace("repo: acme/app\n", "repo: acme/app\n    changelog: {}\n"),
    );
    expect(await run("sync")).toMatchObject({ code: 4 });
    expect((await run("status")).out).toContain(
      'changelog v1.2: "Spring", 0 posts: no draft yet: 1 new at once, and the guard lets 0 go (`guard.issues`)',
    );
    const approved = await run("approve", "acme-app", "changelog:v1.2", "--yes");
    expect(approved.out).toContain("changelog v1.2 approved. The next run makes the draft.");
    expect((await run("status")).out).toContain("approved, and made by a later run");
    expect((await run("approve", "acme-app", "changelog:v1.2", "--yes")).out).toContain("asked for already");
    await run("sync");
    expect(mcp.shelf.entries).toMatchObject([{ title: "Spring", isPublished: false }]);
  });

  it("approves what is there, and no more", async () => {
    const nothing = await run("approve", "acme-app", "changelog:v1.2", "--yes");
    expect(nothing).toMatchObject({ code: 2, err: "acme-app has no draft of changelog v1.2.\n" });
    expect(await run("approve", "acme-app", "changelog:v1.2", "--discard")).toMatchObject({ code: 2 });
    await run("sync");
    expect(await run("approve", "acme-app", "changelog:v1.2")).toMatchObject({ code: 2 });
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return "n";
    };
    const refused = await stage.run(["approve", "acme-app", "changelog:v1.2", "--config", config], { ask });
    expect(refused.out).toContain("Nothing was changed.");
    expect(asked).toEqual(["Publish it? An unknown number of subscribers may be mailed. [y/N] "]);
    await run("approve", "acme-app", "changelog:v1.2", "--yes");
    expect((await run("approve", "acme-app", "changelog:v1.2", "--yes")).out).toContain("asked for already");
  });

  it("is not taken for published where the answer shows a draft", async () => {
    const tools = featureOs.tools.map((tool) =>
      tool.name === "publish_changelog"
        ? { ...tool, run: () => ({ changelog: { id: "entry_1", state: "draft" } }) }
        : tool,
    );
    mcp.dialect = { ...featureOs, tools };
    await run("sync");
    await run("approve", "acme-app", "changelog:v1.2", "--yes");
    expect((await run("sync")).out).toContain("the answer shows a draft");
    expect((await run("status")).out).toContain("it is looked up what became of it");
  });

  it("tries again what is stuck", async () => {
    const nothing = await run("retry", "acme-app", "changelog:v1.2", "--json");
    expect(nothing.json()).toEqual({
      ...{ project: "acme-app", changelog: "v1.2", requested: false },
      message: "acme-app has nothing of changelog v1.2 to try again.",
    });
    const refuse = (): never => {
      throw new Error("There is no changelog in this plan.");
    };
    const tools = featureOs.tools.map((tool) =>
      tool.name === "create_changelog" ? { ...tool, run: refuse } : tool,
    );
    mcp.dialect = { ...featureOs, tools };
    await run("sync");
    mcp.dialect = featureOs;
    const status = await run("status");
    expect(status.out).toContain("the board refused it");
    expect(status.out).toMatch(/→ boardsync .*retry acme-app changelog:v1\.2\n/);
    expect((await run("retry", "acme-app", "changelog:v1.2")).out).toContain(
      "what the board refused is tried again",
    );
    expect((await run("status")).out).toContain("it is tried again by a later run");
    await run("sync");
    expect(mcp.shelf.entries).toMatchObject([{ title: "Spring" }]);
  });

  it("says when a second one of a day follows, and lets it go where it is approved once more", async () => {
    stage.story.github.publishRelease("acme/app", { tag: "v1.3" });
    await run("sync");
    await run("approve", "acme-app", "changelog:v1.2", "--yes");
    await run("sync");
    const first = await run("approve", "acme-app", "changelog:v1.3", "--yes");
    expect(first.out).toMatch(/v1\.2 was published at .*, so this one follows at .*; approve it once more/);
    await run("sync");
    expect(mcp.shelf.entries.map(({ isPublished }) => isPublished)).toEqual([true, false]);
    const second = await run("approve", "acme-app", "changelog:v1.3", "--yes");
    expect(second.out).toContain("It goes at once, although v1.2 was published at");
    await run("sync");
    expect(mcp.shelf.entries.map(({ isPublished }) => isPublished)).toEqual([true, true]);
  });

  it("is of projects that have one", async () => {
    expect(await stage.run(["changelog"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("No project of the config has a `changelog`."),
    });
  });
});
