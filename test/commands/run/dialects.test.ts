import { describe, expect, it } from "vitest";
import {
  type Dialect,
  featureOs,
  featureOsHosted,
  productlane,
  quackback,
} from "../../support/mcp/dialects.ts";
import { hostMcp } from "../../support/mcp/server.ts";
import { openStage } from "../stage.ts";

/** What `check` proposes for a server that the config only names, as lines of the config. */
function proposalsIn(out: string): readonly string[] {
  const [, said = ""] = /Below board\.mcp\.tools you may add, [^:]+: (.*)\.$/m.exec(out) ?? [];
  return said.split("; ").map((line) => line.replaceAll("`", ""));
}

const id = "entry_1";
const text = { title: "Spring", content: "All new" };

describe("a server whose tools nobody has told of, from `check` to a published entry", () => {
  it.each<[string, Dialect, readonly (readonly [tool: string, args: object])[]]>([
    [
      "Quackback's",
      quackback,
      [
        ["search", { entity: "changelogs", status: "all" }],
        ["create_changelog", { ...text, publish: false }],
        ["search", { entity: "changelogs", status: "all" }],
        ["update_changelog", { changelogId: id, publish: true }],
      ],
    ],
    [
      "FeatureOS's",
      featureOs,
      [
        ["list_changelogs", {}],
        ["create_changelog", { title: text.title, description: text.content, state: "draft" }],
        ["list_changelogs", {}],
        ["publish_changelog", { id }],
      ],
    ],
    [
      "FeatureOS's hosted ones",
      featureOsHosted,
      [
        ["list_changelogs", {}],
        ["create_changelog", { title: text.title, description: text.content, published: false }],
        ["list_changelogs", {}],
        ["update_changelog", { changelog_id: id, published: true, confirm: true }],
      ],
    ],
    [
      "Productlane's",
      productlane,
      [
        ["changelogs_list", {}],
        ["changelogs_create", { title: text.title, notes: text.content, published: false }],
        ["changelogs_list", {}],
        ["changelogs_update", { changelogId: id, published: true }],
      ],
    ],
  ])("as %s", async (_, dialect, expected) => {
    const stage = await openStage();
    const mcp = await hostMcp(dialect);
    const write = (lines: readonly string[]): string =>
      stage.writeConfig("mcp.yaml", (given) =>
        given
          .replace(
            "board:\n",
            `board:\n  mcp:\n    url: ${mcp.url}\n    tools:${lines.length === 0 ? " {}" : ""}\n${lines.map((line) => `      ${line}\n`).join("")}`,
          )
          .replace(
            "repo: acme/app\n",
            `repo: acme/app\n${lines.length === 0 ? "" : "    changelog: { publish: approve }\n"}`,
          ),
      );
    const run = (config: string, ...words: readonly string[]) => stage.run([...words, "--config", config]);
    const found = await run(write([]), "check");
    expect(mcp.called()).toEqual([]);
    const config = write(proposalsIn(found.out));
    expect((await run(config, "check")).out).not.toContain("board.tool");
    await run(config, "sync");
    stage.story.github.publishRelease("acme/app", { tag: "v1", name: text.title, body: text.content });
    mcp.asked.length = 0;
    await run(config, "sync");
    expect(mcp.shelf.entries).toMatchObject([{ title: "Spring", text: "All new", isPublished: false }]);
    await run(config, "approve", "acme-app", "changelog:v1", "--yes");
    await run(config, "sync");
    expect(mcp.shelf.entries).toMatchObject([{ title: "Spring", text: "All new", isPublished: true }]);
    const calls = mcp.asked.flatMap(({ tool, args }) => (tool === undefined ? [] : [[tool, args]]));
    expect(calls).toEqual(expected);
  });
});
