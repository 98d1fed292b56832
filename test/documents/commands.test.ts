/** @module-tag long */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandTable } from "../../src/commands/commands.ts";
import { exitCodes } from "../../src/commands/print/terminal.ts";
import { startDaemon } from "../commands/daemon-stage.ts";
import { makeFolder, openStage, runCommand, type Stage } from "../commands/stage.ts";
import { ownRows, placeholders, rowOf, type StageName, type TriedRow } from "./command-rows.ts";
import { readNotTried, scriptOf, showNotTried, whyNotTried } from "./not-tried.ts";
import { type DocumentedCommand, findCommands, findNamedOptions, readPage } from "./pages.ts";

const root = new URL("../../", import.meta.url);
const commands = findCommands();
const visible = commandTable.filter(({ isHidden }) => isHidden !== true);

/** A command that is only named, as "`boardsync link` takes another one": what it needs is left out. */
function isMention(given: string): boolean {
  return visible.some(({ name, args = [] }) => name === given && args.some(({ required }) => required));
}

const own = [...new Set(commands.flatMap(({ boardsync }) => boardsync ?? []))].filter(
  (text) => !isMention(text),
);

/** Every form of a documented command: `[…]` with and without. */
function formsOf(command: string): readonly (readonly string[])[] {
  const whole = command.replaceAll(/[[\]…]/g, "");
  const short = command.replaceAll(/ \[[^\]]*\]/g, "");
  return [...new Set([whole, short])].map((text) =>
    text.split(" ").map((word) => placeholders[word] ?? word),
  );
}

const placeOf = ({ page, line, text }: DocumentedCommand): string => `${page}:${line}: ${text}`;

describe("every command of the pages", () => {
  it("is found at all", () => {
    expect(commands.length).toBeGreaterThan(100);
    expect(own).toContain("explain POST");
    expect(commands.map(placeOf).some((place) => place.startsWith("README.md:"))).toBe(true);
  });

  it("is tried by a test, or is listed with a reason", () => {
    const missing = commands.filter((command) => {
      const { boardsync, text } = command;
      const isOwn = boardsync !== undefined && (isMention(boardsync) || rowOf(boardsync) !== undefined);
      const isDirect = isOwn && /^(?:npx )?boardsync /.test(text);
      // In a container or a pod it is two: ours, and the program that starts it there.
      if (boardsync !== undefined && !isOwn) return true;
      return !isDirect && whyNotTried(text) === undefined && scriptOf(text) === undefined;
    });
    expect(missing.map(placeOf)).toEqual([]);
  });

  it.each(own)("boardsync %s is understood by the program", async (command) => {
    for (const args of formsOf(command)) {
      // A signal that has come already: nothing is begun.
      const ended = await runCommand(
        [...args, "--json"],
        { env: {}, cwd: makeFolder() },
        { signal: AbortSignal.abort("SIGTERM") },
      );
      expect(ended.out).not.toContain('"code": "usage"');
      expect(ended.err).not.toMatch(/^error: /);
    }
  });

  it("that is one of package.json's scripts is there", () => {
    const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
    const named = commands.flatMap(({ text }) => scriptOf(text) ?? []);
    expect(named).toContain("demo");
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("whose options are named in a sentence has these options", () => {
    const strange = findNamedOptions().filter(({ command, options }) => {
      const known = visible.find(({ name }) => name === command)?.options?.map(({ long }) => long) ?? [];
      return options.some((option) => ![...known, ...common].includes(option));
    });
    expect(strange).toEqual([]);
  });
});

describe("the table of commands", () => {
  it("has no row for a command that no page shows", () => {
    const used = new Set(own.map(rowOf));
    expect(Object.keys(ownRows).filter((command) => !used.has(command))).toEqual([]);
  });

  const elsewhere = Object.entries(ownRows).flatMap(([command, row]) =>
    "file" in row ? [{ command, ...row }] : [],
  );

  it.each(elsewhere)("names a test of `$command` that there is", ({ file, test }) => {
    expect(existsSync(new URL(file, root))).toBe(true);
    expect(readFileSync(new URL(file, root), "utf8")).toContain(`it(${JSON.stringify(test)}`);
  });
});

/** What has happened when the commands of a stage are tried. */
const prepare: Readonly<Record<StageName, (stage: Stage) => Promise<void>>> = {
  new: () => Promise.resolve(),
  told: async (stage) => {
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.github.openIssue("acme/app", { title: "By hand", author: "ada" });
    expect((await stage.run(["sync"])).code).toBe(0);
  },
  held: async (stage) => {
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    expect((await stage.run(["sync"])).code).toBe(4);
  },
  parked: async (stage) => {
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.failNext({ kind: "answer", status: 422, body: { error: "No." } }, { when: isPatch });
    expect((await stage.run(["sync"])).code).toBe(1);
  },
  quarantined: async (stage) => {
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { flips: 0 }\n`);
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    expect((await stage.run(["sync"])).code).toBe(4);
  },
  daemon: async (stage) => {
    const daemon = startDaemon(stage);
    await daemon.address();
    await daemon.ranAll();
  },
};

const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";

/** A person who agrees to everything. */
const agreeing = { ask: () => Promise.resolve("yes"), columns: 200 };

describe.each(Object.keys(prepare) as readonly StageName[])("on a stage that is %s", (on) => {
  it("each command does what its page says", async () => {
    const stage = await openStage();
    await prepare[on](stage);
    for (const [command, row] of Object.entries(ownRows)) {
      if ("on" in row && row.on === on) await tryOut(stage, command, row);
    }
  });
});

async function tryOut(stage: Stage, command: string, { given, code = 0, says }: TriedRow): Promise<void> {
  const files = { FILE: command.startsWith("apply") ? "today.plan" : "some.db" };
  const forms = given === undefined ? formsOf(command) : [given(stage)];
  for (const form of forms) {
    const args = form.map((word) => (word === "FILE" ? files.FILE : word));
    const ran = await stage.run(args, agreeing);
    expect({ args, code: ran.code, err: ran.err, out: ran.out }).toEqual({
      args,
      code,
      err: expect.any(String),
      out: expect.stringMatching(says),
    });
  }
}

const common = ["--config", "--json", "--quiet", "--log-level", "--help"];

describe("the page of commands", () => {
  const page = readPage("config/docs/reference/commands.md");
  const withStart = page + readPage("config/docs/start/README.md") + readPage("config/docs/guides/undo.md");

  it.each(visible.map(({ name }) => name))("has a row for %s", (name) => {
    expect(page).toMatch(new RegExp(`^\\| \`boardsync ${name}[ \`].* \\| .`, "m"));
  });

  const options = visible.flatMap(({ name, options: all = [] }) =>
    all.map(({ long }) => ({ name, long: String(long) })),
  );

  it.each(options)("or the pages that it leads to, say what $long of $name does", ({ long }) => {
    expect(withStart.includes(long)).toBe(true);
  });

  it.each(common)("has a row for %s", (option) => {
    expect(page).toMatch(new RegExp(`^\\| \`${option}[ \`]`, "m"));
  });

  it("has every exit code, and none that there is not", () => {
    const [, table = ""] = /## Exit codes\n([^#]*)/.exec(page) ?? [];
    const listed = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = ""]) =>
      codes.split(", ").map(Number),
    );
    expect(listed.toSorted()).toEqual(Object.values(exitCodes).toSorted());
  });
});

describe("the page of the tests", () => {
  it("lists the commands that no test runs: `node test/documents/not-tried.ts` rewrites the list", () => {
    expect(readNotTried()).toBe(showNotTried());
  });
});
