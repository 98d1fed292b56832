import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/commands/program.ts";
import { createOutput, createTerminal, makeFolder, runCommand } from "./stage.ts";

const names = [
  "init",
  "completion",
  "explain",
  "history",
  "check",
  "plan",
  "sync",
  "daemon",
  "status",
  "health",
  "demo",
  "schema",
];

function runIn(args: readonly string[]) {
  return runCommand(args, { env: {}, cwd: makeFolder() });
}

describe("help", () => {
  it("lists every command, examples and exit codes", async () => {
    const { code, out, err } = await runIn(["--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const name of names) expect(out).toMatch(new RegExp(`^ {2}${name} `, "m"));
    expect(out).toContain("boardsync demo      see the whole loop work");
    expect(out).toMatch(/^ {2}5 {2}another instance holds the state$/m);
  });

  it.each(names)("of %s shows the common options and an example that is a valid call", async (name) => {
    const { code, out } = await runIn([name, "--help"]);
    expect(code).toBe(0);
    for (const option of ["--config", "--json", "--quiet", "--log-level", "--help"]) {
      expect(out).toContain(option);
    }
    const examples = out.split(/Examples?.*:\n/)[1] ?? "";
    const calls = [...examples.matchAll(/boardsync ([^>\n]*)/g)].map(([, call = ""]) =>
      call.trim().split(" "),
    );
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect((await runIn([...call, "--help"])).out).toBe(out);
  });

  it("of a command is the same behind `help`", async () => {
    expect((await runIn(["help", "sync"])).out).toBe((await runIn(["sync", "--help"])).out);
  });

  it("without a word also lists the topics of the runbook", async () => {
    const { code, out } = await runIn(["help"]);
    expect(code).toBe(0);
    expect(out).toContain((await runIn(["--help"])).out);
    expect(out).toMatch(/\n {2}stop +stop everything\n/);
  });

  it("fits a narrow terminal", async () => {
    const { out } = await runCommand(["--help"], { env: {}, cwd: makeFolder() }, { columns: 80 });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

it("prints its version", async () => {
  expect(await runIn(["--version"])).toMatchObject({ code: 0, out: "1.2.3\n", err: "" });
});

describe("bad usage exits 2, says what is wrong on stderr, and nothing on stdout", () => {
  it.each([
    [["syc"], "error: unknown command 'syc'\n(Did you mean sync?)"],
    [["sync", "--jsn"], "error: unknown option '--jsn'\n(Did you mean --json?)"],
    [["sync", "--dry-rn"], "(Did you mean --dry-run?)"],
    [["sync", "extra"], "too many arguments for 'sync'"],
    [["plan", "--project"], "argument missing"],
    [["status", "--config="], "error: option '-c, --config <file>' has an empty value"],
    [["sync", "--project", "app", "--project", ""], "option '-p, --project <project>' has an empty value"],
    [["plan", "--adopt"], "unknown option '--adopt'"],
    [["sync", "--dry-run", "--adopt"], "cannot be used with option '--adopt'"],
    [["sync", "--log-level", "loud"], "Allowed choices are trace, debug, info, warn, error, fatal."],
    [["demo", "--serve", "--port", "0"], "a port is 1 to 65534."],
    [["demo", "--serve", "--port", "abc"], "a port is 1 to 65534."],
    [[], "Usage: boardsync"],
    [["help", "nope"], "error: there is no command, code or topic 'nope'\nTopics: stop, closed, "],
    [["help", "rejected"], "(Did you mean board.rejected, tracker.rejected?)"],
  ])("%j", async (args, words) => {
    const { code, out, err } = await runIn(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(words);
  });

  it.each([
    [["syc", "--json"], "unknown command 'syc'\n(Did you mean sync?)"],
    [["--json", "sync", "--nope"], "unknown option '--nope'"],
    [["--config", "", "status", "--json"], "option '-c, --config <file>' has an empty value"],
    [["--json"], "no command, or none of that name"],
  ])("%j says it as JSON, too", async (args, message) => {
    const { code, json } = await runIn(args);
    expect(code).toBe(2);
    expect(json()).toEqual({ error: { code: "usage", message } });
  });
});

it("takes the common options before and behind the command", async () => {
  const before = await runIn(["--json", "--config", "a.yaml", "status"]);
  const behind = await runIn(["status", "--config", "a.yaml", "--json"]);
  for (const { code, out } of [before, behind]) {
    expect(code).toBe(2);
    expect(out).toMatch(/a\.yaml: there is no such file \(\/.*\/a\.yaml\)\. Name the config/);
  }
});

it("tells which command is going to run", async () => {
  const seen: string[] = [];
  const [out, err] = [createOutput(), createOutput()];
  await runProgram(createTerminal({ args: ["-q", "schema"], out, err }), (name) => seen.push(name));
  expect(seen).toEqual(["schema"]);
});

it("a mistake of ours is said with its stack, and exits 1", async () => {
  const out = {
    ...createOutput(),
    write() {
      throw new TypeError("a bug\u001b");
    },
  };
  const err = createOutput();
  expect(await runProgram(createTerminal({ args: ["schema"], out, err }))).toBe(1);
  expect(err.text()).toMatch(/^a bug<1b>\nThis is a mistake in boardsync\..*\nTypeError: a bug<1b>\n {4}at /);
});

it("shows a line for cron that goes to where the program is found", async () => {
  const shown = async (command: string): Promise<string> => {
    const out = createOutput();
    await runProgram(createTerminal({ args: ["sync", "--help"], out, command, cwd: "/srv/my sync" }));
    return out.text();
  };
  expect(await shown("boardsync")).toContain("  */5 * * * *  boardsync sync --quiet");
  expect(await shown("npx boardsync")).toContain(
    "  */5 * * * *  cd '/srv/my sync' && npx boardsync sync --quiet",
  );
});
