import type { z } from "zod";
import { configJsonSchema, type JsonSchema } from "./json-schema.ts";
import { type Fault, type Path, quote } from "./paths.ts";
import { suggest } from "./suggest.ts";

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;

/** Zod's issues in our words. A message that the schema itself gives is kept by zod, this is for all others. */
export function wordIssue(issue: RawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== "unrecognized_keys") return "is missing";
  if (issue.input === null) return "is empty: give it a value or remove the line";
  switch (issue.code) {
    case "invalid_type":
      return wordType(issue.expected, issue.input);
    case "invalid_value":
      return wordChoice(issue.values.map(String), issue.input);
    case "too_small":
      return wordMinimum(issue.origin, Number(issue.minimum));
    case "too_big":
      return wordMaximum(issue.origin, Number(issue.maximum));
    case "invalid_union":
      return wordUnion(issue.errors);
    case "invalid_key":
      return `this key ${issue.issues[0]?.message}`;
    case "custom":
    case "invalid_format":
    case "invalid_element":
    case "not_multiple_of":
    case "unrecognized_keys":
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a group of settings",
  record: "a group of settings",
};

function nameType(expected: string): string {
  return typeNames[expected] ?? expected;
}

/** Of a number, a word or a template where text is wanted. What is to be quoted is what is written, which may be another text than what was read. */
export const unquoted = "must be text: put quotes around it";

function wordType(expected: string, input: unknown): string {
  const isPlain = typeof input === "number" || typeof input === "boolean" || isTemplate(input);
  if (expected === "string" && isPlain) return unquoted;
  const given = Array.isArray(input) ? "array" : typeof input;
  // A fraction where a whole number is wanted is not "a number" in anyone's eyes.
  return given === "number" || given === expected
    ? `must be ${nameType(expected)}`
    : `must be ${nameType(expected)}, not ${given === "boolean" ? String(input) : nameType(given)}`;
}

/** `{{ post.title }}` without quotes is a group whose one key is a group. */
function isTemplate(input: unknown): boolean {
  return typeof input === "object" && Object.keys(Object(input)).join("").startsWith("{");
}

function wordChoice(choices: readonly string[], input: unknown): string {
  const quoted = choices.map(quote);
  const list = [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter(Boolean).join(" or ");
  if (typeof input !== "string") return `must be ${list}`;
  return `must be ${list}, not ${quote(input)}${choices.length > 1 ? suggest(input, choices) : ""}`;
}

function wordMinimum(origin: string, minimum: number): string {
  if (origin === "string") return "is empty";
  return origin === "array"
    ? "is an empty list: add to it or remove the line"
    : `must be at least ${minimum}`;
}

function wordMaximum(origin: string, maximum: number): string {
  if (origin === "string") return `is longer than ${maximum} characters`;
  return origin === "array" ? `has more than ${maximum} entries` : `must be at most ${maximum}`;
}

/** Reached where no alternative has the right type; where one has, `toFaults` takes what is wrong with that one. */
function wordUnion(alternatives: readonly (readonly Issue[])[]): string {
  const types = alternatives.flatMap((issues) => issues.map(expectedType));
  return `must be ${[...new Set(types)].join(" or ")}`;
}

function expectedType(issue: Issue): string {
  if (issue.code === "invalid_value") {
    const [value, another] = issue.values;
    if (value === false) return "false";
    return another === undefined ? quote(String(value)) : "text";
  }
  return issue.code === "invalid_type" ? nameType(issue.expected) : "text";
}

/**
 * What zod found, as faults: unions resolved, one fault for each unknown key, each with a suggestion. One is made when it is
 * asked for, because a file may hold tens of thousands.
 */
export function* toFaults(issues: readonly Issue[], content: unknown): Iterable<Fault> {
  // Making the JSON Schema takes longer than the rest of reading a config.
  if (issues.length === 0) return;
  const schema = configJsonSchema();
  for (const issue of issues) yield* expand(issue, [], content, schema);
}

function* expand(issue: Issue, base: Path, content: unknown, schema: JsonSchema): Iterable<Fault> {
  const path: Path = [...base, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
  if (issue.code === "unrecognized_keys") {
    const [known, atTop] = [findKeys(schema, path), findKeys(schema, [])];
    for (const key of issue.keys)
      yield { path: [...path, key], at: "key", message: wordKey(path, key, known, atTop) };
    return;
  }
  if (issue.code === "invalid_union") {
    const fitting = issue.errors.filter(
      (errors) => !errors.some((error) => isOtherType(error, valueAt(content, path))),
    );
    const [only, another] = fitting;
    if (only !== undefined && another === undefined) {
      for (const error of only) yield* expand(error, path, content, schema);
      return;
    }
  }
  yield { path, at: issue.code === "invalid_key" ? "key" : "value", message: issue.message };
}

/** Whether an alternative of a union is out of the question, because the value is of another type, or it is one word alone. */
function isOtherType(issue: Issue, value: unknown): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === "invalid_value") return typeof value !== "string" || issue.values.length === 1;
  return issue.code === "invalid_type";
}

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => Object(value)[step], content);
}

const boardsOwn = ["title", "description", "internalNote"];

function wordKey(parent: Path, key: string, known: readonly string[], atTop: readonly string[]): string {
  if (parent.at(-1) === "set" && boardsOwn.includes(key)) {
    return `${quote(key)} is the board's own text; rules don't set it`;
  }
  if (/token|secret|password|api_?key|private_?key/i.test(key)) {
    return `unknown key ${quote(key)}: secrets don't belong into this file, set BOARD_API_KEY and GITHUB_TOKEN in the environment`;
  }
  if (key === "<<")
    return "unknown key `<<`: YAML's merge keys are not supported, an alias for each setting is";
  const suggestion = suggest(key, known);
  // Further in, as in a rule, it is another thing that is meant.
  const isNearTop = parent.length === 1 || parent.length === 2;
  if (isNearTop && suggestion === "" && atTop.includes(key))
    return `unknown key ${quote(key)} here: it belongs at the top of the file, for all projects`;
  return `unknown key ${quote(key)}${suggestion === "" ? `; known here: ${known.join(", ")}` : suggestion}`;
}

/** The keys that the schema knows at a path. */
function findKeys(schema: JsonSchema, path: Path): readonly string[] {
  let places: readonly JsonSchema[] = alternativesOf(schema, schema);
  for (const step of path)
    places = places.flatMap((place) => {
      const child = typeof step === "number" ? place.items : (place.properties?.[step] ?? partOf(place));
      return child === undefined ? [] : alternativesOf(child, schema);
    });
  return places.flatMap(({ properties = {}, propertyNames }) => [
    ...Object.keys(properties),
    ...(propertyNames?.enum ?? []),
  ]);
}

/** What each key of a map holds. */
function partOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** What may stand at a place. A part that holds parts of its own kind is defined at the end of the whole, and named here. */
function alternativesOf(part: JsonSchema, { $defs = {} }: JsonSchema): readonly JsonSchema[] {
  const defined = part.$ref === undefined ? undefined : $defs[part.$ref.replace("#/$defs/", "")];
  return part.anyOf ?? [defined ?? part];
}
