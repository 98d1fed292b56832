import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configJsonSchema, type JsonSchema } from "../../src/config/json-schema.ts";
import { configSchema } from "../../src/config/schema.ts";
import { postFields, roadmapColumns, ruleFields } from "../../src/model/post.ts";
import { everything, load, smallest } from "./support.ts";

function read(name: string): string {
  return readFileSync(new URL(`../../config/${name}`, import.meta.url), "utf8");
}

/** The part of the schema at a path; lists are stepped through. */
function partAt(...path: string[]): JsonSchema {
  let part: JsonSchema | undefined = configJsonSchema();
  for (const step of path) part = part?.properties?.[step]?.items ?? part?.properties?.[step];
  if (part === undefined) throw new Error(`the schema has no ${path.join(".")}`);
  return part;
}

function keysAt(...path: string[]): readonly string[] {
  return Object.keys(partAt(...path).properties ?? {});
}

describe("the JSON Schema", () => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const validate = ajv.compile(configJsonSchema());

  it("in the config folder is the program's: `boardsync schema > config/boardsync.schema.json` rewrites it", () => {
    expect(JSON.parse(read("boardsync.schema.json"))).toEqual(configJsonSchema());
  });

  it.each([
    ["the sample", read("sample.yaml")],
    ["the open-source project's", read("samples/open-source.yaml")],
    ["the company's", read("samples/company.yaml")],
    ["the products'", read("samples/products.yaml")],
    ["every setting", everything],
    ["the shortest config", smallest()],
  ])("takes %s, as the program does", (_, text) => {
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
    expect(load(text).projects).not.toEqual([]);
  });

  it.each([
    ["an unknown key", "zebra: 1"],
    ["a bare number as a duration", "settle: 30"],
    ["a duration without a known unit", "settle: 1w"],
    ["a choice that is none", "tracker: { kind: gitlab }"],
    ["true for the HTTP server", "http: true"],
  ])("refuses %s, as the program does", (_, more) => {
    expect(validate(parse(smallest(more)))).toBe(false);
    expect(() => load(smallest(more))).toThrow();
  });

  it("takes its own defaults where they stand in the file", () => {
    const defaults = Object.entries(configJsonSchema().properties ?? {}).flatMap(([key, part]) =>
      "default" in part ? [[key, part["default"]]] : [],
    );
    const config = { ...parse(smallest()), ...Object.fromEntries(defaults) };
    expect(validate(config)).toBe(true);
    expect(configSchema.parse(config)).toEqual(load(smallest()));
  });
});

describe("the schema and the model", () => {
  it("know the same fields that a rule sets", () => {
    expect(keysAt("projects", "rules", "set").toSorted()).toEqual(ruleFields.toSorted());
  });

  it("know the same fields of a post", () => {
    expect(keysAt("board", "fields").toSorted()).toEqual(["id", ...postFields].toSorted());
  });

  it("know the same columns", () => {
    expect(partAt("projects", "rules", "set", "roadmapColumn")["enum"]).toEqual(roadmapColumns);
  });
});

describe("the settings' documentation", () => {
  const rows = new Map(
    read("docs/reference/settings.md")
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "")))
      .map(([setting = "", ...cells]) => [setting.replaceAll("`", ""), cells]),
  );
  const settings = [...listSettings("", configJsonSchema())];

  it.each(settings)("has $path with its default", ({ path, standard }) => {
    const [type, shown, meaning, example] = rows.get(path) ?? [];
    expect([type, meaning, example].every(Boolean), `${path} has a type, a meaning and an example`).toBe(
      true,
    );
    expect(shown).toBe(standard);
  });

  it("has no setting that is none", () => {
    const known = settings.map(({ path }) => path);
    const stray = [...rows.keys()].filter((path) => !/^[A-Z_, ]+$/.test(path) && !known.includes(path));
    expect(stray).toEqual([]);
  });

  it("has examples that are YAML and of the setting's type", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const { $defs } = configJsonSchema();
    for (const { path, part } of settings) {
      const example: unknown = parse(String(rows.get(path)?.[3]).replaceAll(/^`|`$/g, ""));
      expect(ajv.validate({ ...part, $defs }, example), `${path}: ${JSON.stringify(example)}`).toBe(true);
    }
  });

  it.each([
    "BOARD_API_KEY",
    "GITHUB_TOKEN",
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_WEBHOOK_SECRET",
    "BOARDSYNC_HTTP_TOKEN",
    "BOARDSYNC_STATE_URL",
    "BOARDSYNC_HTTP_READ_TOKEN",
  ])("has the variable %s in both forms", (name) => {
    expect(rows.has(`${name}, ${name}_FILE`)).toBe(true);
  });
});

interface Setting {
  readonly path: string;
  /** The default as the documentation shows it. */
  readonly standard: string;
  readonly part: JsonSchema;
}

/** Every setting that has no settings inside it. */
function* listSettings(path: string, schema: JsonSchema): Generator<Setting> {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    const inner = (part.anyOf ?? [part])
      .map((one) => one.items ?? one)
      .find((one) => one.properties !== undefined);
    const here = `${path}${key}${part.items?.properties === undefined ? "" : "[]"}`;
    if (inner !== undefined) yield* listSettings(`${here}.`, inner);
    else yield { path: here, standard: showDefault(part["default"], required.includes(key)), part };
  }
}

function showDefault(standard: unknown, isRequired: boolean): string {
  if (standard === undefined) return isRequired ? "required" : "–";
  return `\`${typeof standard === "string" ? standard : JSON.stringify(standard)}\``;
}
