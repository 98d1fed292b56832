import { describe, expect, it } from "vitest";
import { featureOs } from "../../support/mcp/dialects.ts";
import { hostMcp } from "../../support/mcp/server.ts";
import { openStage } from "../stage.ts";

describe("an issue that becomes a post, by the commands", () => {
  it("is shown by `plan`, made by `sync` through the board's own tool, and told by each that looks back", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    const create = (args: Record<string, unknown>) => ({
      id: board.addPost("acme-app", {
        ...{ title: String(args["title"]), description: String(args["description"]), status: "open" },
      }),
    });
    const mcp = await hostMcp({
      ...featureOs,
      tools: featureOs.tools.map((tool) =>
        tool.name === "create_feature_request" ? { ...tool, run: create } : tool,
      ),
    });
    const args = { title: "{{ issue.title }}", description: "{{ issue.body }}" };
    const tools = { feedbackCreate: { name: "create_feature_request", args } };
    const config = stage.writeConfig("with-import.yaml", (text) =>
      text
        .replace("board:\n", `board:\n  mcp: ${JSON.stringify({ url: mcp.url, tools })}\n`)
        .replace("repo: acme/app\n", "repo: acme/app\n    import: { labels: [wish] }\n"),
    );
    const run = (...words: readonly string[]) => stage.run([...words, "--config", config]);
    expect(await run("sync")).toMatchObject({ code: 0 });
    const { number } = github.openIssue("acme/app", {
      ...{ title: "CSV export", body: "For @ann", author: github.login, labels: ["wish"] },
    });
    const place = `acme/app#${number}`;

    const planned = await run("plan");
    expect(planned.out).toContain(
      `  “CSV export” (${place}) → ${place}\n    makes a post\n    the issue has the label wish\n`,
    );
    expect(planned.out).toContain("Now 1 post to make of issues (no voter to notify). Nothing was written.");
    expect((await run("check")).out).toContain(
      "acme-app: The next sync: 1 post made of issues, no voter to notify.",
    );
    expect(mcp.called()).toEqual([]);

    expect(await run("sync")).toMatchObject({ code: 0 });
    expect(mcp.called()).toEqual(["create_feature_request"]);
    const made = board.posts("acme-app").find(({ title }) => title === "CSV export");
    expect(made?.description).toMatch(new RegExp(`^For @.?ann\n\nhttp.*/acme/app/issues/${number}$`));

    for (const name of [`acme-app/${made?.id}`, String(made?.id), place])
      expect(await run("explain", name)).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          `The post ${made?.id} of acme-app was made of an issue, and no list of the board has shown it yet: the next run reads it.`,
        ),
      });
    expect((await run("status")).out).toContain("✓ acme-app: in step.");
    expect((await run("history")).out).toContain(`acme-app → ${place}\n    create-post: title: CSV export\n`);
    expect(await run("sync")).toMatchObject({ code: 0 });
    expect((await run("explain", `acme-app/${made?.id}`)).out).toContain(
      "The post was made of it (`import`).",
    );
    const undone = await run("undo", "2", "--yes");
    expect(undone.out).toContain("a post that an issue has become stays: only the board can remove it");
    expect(await run("sync")).toMatchObject({ code: 0 });
    expect(mcp.called()).toHaveLength(1);
  });
});
