import { describe, expect, it } from "vitest";
import { namesOfHelp } from "../../../src/commands/look/help.ts";
import { readPage } from "../../documents/pages.ts";
import { makeFolder, runCommand } from "../stage.ts";

/** Without config, secrets or network. */
function helpOf(word: string, ...options: readonly string[]) {
  return runCommand(["help", word, ...options], { env: {}, cwd: makeFolder() }, { columns: 80 });
}

const topics = [...readPage("config/docs/guides/runbook.md").matchAll(/^## `([a-z]+)`: (.*)$/gm)].map(
  ([, name = "", title = ""]) => ({ name, title }),
);
const codes = [...readPage("config/docs/reference/messages.md").matchAll(/^\| `([a-z.-]+)` \|/gm)]
  .map(([, code = ""]) => code)
  .filter((code) => /\.|^(?:usage|config|unknown|internal)$/.test(code));

describe("help CODE", () => {
  it("says what happened, what was written, and what to do", async () => {
    const { code, out } = await helpOf("board.unsure");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^board\.unsure\n {2}what happened: Whether a change arrived, or an issue became a post, can't be told.*\n {2}written\? +not known, nor who was notified\n {2}what to do: +Look at the post; `boardsync retry POST` sends it again\. A new post: `boardsync link`\.\n$/,
    );
  });

  it("takes a code as the log shows it, and prints JSON for a script", async () => {
    expect((await helpOf("[board.unsure]", "--json")).json()).toEqual({
      code: "board.unsure",
      happened: "Whether a change arrived, or an issue became a post, can't be told. It needs you.",
      written: "not known, nor who was notified",
      todo: "Look at the post; `boardsync retry POST` sends it again. A new post: `boardsync link`.",
    });
  });

  it("knows every code of the page, and shows no address of a link", async () => {
    expect(codes.length).toBeGreaterThan(80);
    for (const code of codes) {
      const { out } = await helpOf(code);
      expect(out).toMatch(new RegExp(`^${code.replaceAll(".", "\\.")}\n`));
      expect(out).not.toMatch(/\]\(|\.md/);
    }
  });
});

describe("help COMMAND", () => {
  it("is one JSON document for a script, with the topics where no command is named", async () => {
    const { out } = await helpOf("sync");
    const asked = await helpOf("sync", "--json");
    expect(asked.json()).toEqual({ name: "sync", title: expect.any(String), text: out });
    const all = await runCommand(["help", "--json"], { env: {}, cwd: makeFolder() });
    expect(all.json()).toMatchObject({
      name: "boardsync",
      text: expect.stringContaining("Exit codes:"),
      topics,
    });
  });
});

describe("help TOPIC", () => {
  it.each(topics)("$name is a screen of steps", async ({ name, title }) => {
    const { code, out } = await runCommand(
      ["help", name],
      { env: {}, cwd: makeFolder() },
      { columns: 80, isTerminal: true },
    );
    const lines = out.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toContain(title);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(out).toMatch(/^1\. /m);
    expect(out).not.toMatch(/\]\(|\*\*/);
  });

  it("begins with how to stop everything, and has no name that a command has", async () => {
    expect(topics[0]?.name).toBe("stop");
    expect((await helpOf("stop")).out).toMatch(/\n1\. `boardsync pause --all`/);
    expect(namesOfHelp()).toEqual([...topics.map(({ name }) => name), ...codes]);
    for (const { name } of topics) expect((await helpOf(name)).out).not.toContain("Usage:");
  });

  it("is JSON for a script", async () => {
    expect((await helpOf("stop", "--json")).json()).toEqual({
      name: "stop",
      title: "stop everything",
      text: expect.stringMatching(/^1\. `boardsync pause --all`/),
    });
  });
});
