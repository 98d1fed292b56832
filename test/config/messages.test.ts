import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configJsonSchema, type JsonSchema } from "../../src/config/json-schema.ts";

const root = new URL("../../", import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

/** The first cells of the tables on the page of messages, where they hold a code. */
const documented = [...read("config/docs/reference/messages.md").matchAll(/^\| `([^`]+)` \|/gm)].map(
  ([, code = ""]) => code,
);

/** All of the program but both sides of the demo, whose codes are those of the GitHub that they play. */
const sources = globSync("src/**/*.ts", { cwd: root })
  .filter((path) => !path.startsWith("src/demo/"))
  .map(read);

/** What has the look of a code and is the name of a setting (`board.url`) or of a file (`state.db`). */
const settings = new Set(listNames("", configJsonSchema()));

function isCode(word: string): boolean {
  return !settings.has(word) && !word.endsWith(".db");
}

/** Words of two parts in quotes or brackets, of one of these families. */
function findWords(families: readonly string[]): readonly string[] {
  const pattern = new RegExp(`["[]((?:${families.join("|")})\\.[a-z]+(?:-[a-z]+)*)["\\]]`, "g");
  return sources.flatMap((text) => [...text.matchAll(pattern)].map(([, word = ""]) => word)).filter(isCode);
}

/** What stands where a code is given, whatever its family. */
function findGiven(): readonly string[] {
  const given = /(?:\bcode: "|\bProjectError\(\s*")([a-z]+(?:\.[a-z-]+)?)"/g;
  return sources.flatMap((text) => [...text.matchAll(given)].map(([, code = ""]) => code));
}

/** Of a failed read and of a failed write the code is put together of a side and a fault. */
function findFaults(): readonly string[] {
  const union = /type RemoteFault =([^;]*);/.exec(read("src/errors.ts"))?.[1] ?? "";
  const faults = [...union.matchAll(/^ {2}\| "([a-z]+)"/gm)].map(([, fault = ""]) => fault);
  const outcomes = [...read("src/sync/write/send.ts").matchAll(/\bfault: "([a-z]+)"/g)];
  const all = [...faults, ...outcomes.map(([, fault = ""]) => fault)];
  return ["board", "tracker"].flatMap((side) => all.map((fault) => `${side}.${fault}`));
}

/** Every setting by its path, those that only hold others, too. */
function* listNames(path: string, schema: JsonSchema): Generator<string> {
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    yield `${path}${key}`;
    yield* listNames(`${path}${key}.`, part);
  }
}

describe("the page of messages", () => {
  const given = findGiven();
  const families = [...given, ...documented].flatMap((code) =>
    code.includes(".") ? [code.slice(0, code.indexOf("."))] : [],
  );
  // zod calls its own mistakes `custom`; a `config` is what comes of them.
  const used = new Set(
    [...given, ...findFaults(), ...findWords([...new Set(families)])].filter((code) => code !== "custom"),
  );

  it("finds the codes in the program at all", () => {
    expect(used).toContain("usage");
    expect(used).toContain("page.token");
    expect(used).toContain("board.unsure");
    expect(used).toContain("tracker.unknown");
    expect(used).toContain("board.project");
  });

  it.each([...used].toSorted())("has %s", (code) => {
    expect(documented).toContain(code);
  });

  it("has none that the program lacks", () => {
    expect(documented.filter((code) => !used.has(code))).toEqual([]);
  });

  it("has each code once", () => {
    expect(documented).toEqual([...new Set(documented)]);
  });
});
