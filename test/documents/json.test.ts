/** @module-tag long */
import { describe, expect, it } from "vitest";
import { startDaemon } from "../commands/daemon-stage.ts";
import { openStage, type Stage } from "../commands/stage.ts";
import { readPage } from "./pages.ts";

/** Every word of the code on the page. */
const documented = new Set(
  [...readPage("config/docs/reference/json.md").matchAll(/```json\n([\s\S]*?)```|`([^`]+)`/g)].flatMap(
    ([, block = "", span = ""]) => `${block} ${span}`.match(/[A-Za-z]+/g) ?? [],
  ),
);

/** Names of fields, at any depth; what is under these is named by the config, by a post, or is the story of one post. */
const open = new Set(["fields", "environment", "conditions", "issueFields", "boardRules", "select", "facts"]);

function* namesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* namesIn(one);
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield name;
      if (!open.has(name)) yield* namesIn(inner);
    }
  }
}

/** A run has told p1's voters; of p2 a change is held. */
async function openHeld(): Promise<Stage> {
  const stage = await openStage();
  await stage.run(["sync"]);
  stage.story.github.close("acme/app", 1, "completed");
  await stage.run(["sync"]);
  stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
  stage.story.github.close("acme/app", 2, "completed");
  return stage;
}

describe("the page of JSON", () => {
  it("names every field that the commands print", async () => {
    const stage = await openHeld();
    const commands = [
      ["check"],
      ["plan", "--out", "a.plan"],
      ["sync"],
      ["status"],
      ["history"],
      ["apply", "a.plan"],
      ["undo", "2", "--yes"],
      ["pause", "p2"],
      ["resume", "p2", "--yes"],
      ["pause", "acme-app"],
      ["resume", "acme-app", "--yes"],
      ["pause", "p1", "p2"],
      ["resume", "p1", "p2", "--yes"],
      ["link", "p3", "acme/app#1"],
      ["unlink", "p3"],
      ["approve", "acme-app", "--yes"],
      ["retry", "p1"],
      ["retry", "acme-app"],
      ["release", "p1"],
      ["backup", "b.db"],
      ["rebuild"],
      ["explain", "nope"],
    ];
    const missing: string[] = [];
    for (const command of commands) {
      const names = [...namesIn((await stage.run([...command, "--json"])).json())];
      expect(names.length, command.join(" ")).toBeGreaterThan(0);
      missing.push(...names.filter((name) => !documented.has(name)).map((name) => `${command[0]}: ${name}`));
    }
    expect([...new Set(missing)]).toEqual([]);
  });

  it("names the fields of a post's story", async () => {
    const stage = await openHeld();
    const { posts } = (await stage.run(["explain", "p1", "--json"])).json() as { posts: readonly object[] };
    const names = posts.flatMap((post) => Object.keys(post));
    expect(names).toContain("standing");
    expect(names.filter((name) => !documented.has(name))).toEqual([]);
  });

  it("names what is printed beside a daemon", async () => {
    const stage = await openStage();
    const daemon = startDaemon(stage);
    await daemon.address();
    await daemon.ranAll();
    for (const command of [["health"], ["page"], ["sync", "--no-wait"]]) {
      const document = (await stage.run([...command, "--json"])).json();
      expect([...namesIn(document)].filter((name) => !documented.has(name))).toEqual([]);
    }
  });
});
