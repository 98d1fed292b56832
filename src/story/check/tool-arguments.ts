import type { Suggest } from "./findings.ts";

/** What doesn't fit, and where below the arguments. The message goes on from the place. */
export interface ArgumentFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A JSON Schema that a stranger wrote: nothing in it need be what it should be. */
type Schema = Readonly<Record<string, unknown>>;

const deepest = 10;
const mostFaults = 20;

/**
 * Holds arguments of the config against the schema that a tool has: what is missing, unknown, or of another type. What only a call
 * tells is not looked at: lengths, forms, and whatever a template will give.
 */
export function findArgumentFaults(
  args: unknown,
  schema: unknown,
  suggest: Suggest,
): readonly ArgumentFault[] {
  return [...look({ value: args, schema, root: schema, path: [], suggest }).take(mostFaults)];
}

interface Place {
  readonly value: unknown;
  readonly schema: unknown;
  /** Where `$ref` leads to. */
  readonly root: unknown;
  readonly path: ArgumentFault["path"];
  readonly suggest: Suggest;
}

function* look(place: Place): Generator<ArgumentFault> {
  const { value, path } = place;
  const schema = resolve(place.schema, place.root);
  if (!isObject(schema) || path.length > deepest) return;
  const alternatives = [schema["anyOf"], schema["oneOf"]].find(Array.isArray);
  if (alternatives !== undefined) {
    const fits = alternatives
      .slice(0, mostFaults)
      .some((one) => look({ ...place, schema: one }).next().done === true);
    if (!fits) yield { path, message: "is nothing that the tool takes there" };
    return;
  }
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (!hasType(value, types)) {
    yield { path, message: `must be ${types.join(" or ")}` };
    return;
  }
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  if (choices.length > 0 && !isTemplate(value) && !choices.includes(value))
    yield { path, message: `must be one of ${choices.slice(0, mostFaults).map(String).join(", ")}` };
  if (isObject(value)) yield* lookInside(place, value, schema);
  if (Array.isArray(value))
    for (const [index, one] of value.entries())
      yield* look({ ...place, value: one, schema: schema["items"], path: [...path, index] });
}

function* lookInside(place: Place, value: Schema, schema: Schema): Generator<ArgumentFault> {
  const { path, suggest } = place;
  const known = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const name of required)
    if (typeof name === "string" && !Object.hasOwn(value, name))
      yield { path, message: `lacks \`${name}\`, which the tool requires` };
  const isOpen = schema["additionalProperties"] === true || isObject(schema["additionalProperties"]);
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(known, name))
      yield* look({ ...place, value: inner, schema: known[name], path: [...path, name] });
    else if (!isOpen && isObject(schema["properties"]))
      yield {
        path: [...path, name],
        message: `is no argument of the tool${suggest(name, Object.keys(known))}`,
      };
  }
}

/** A part that is defined elsewhere in the same schema. */
function resolve(schema: unknown, root: unknown): unknown {
  const reference = isObject(schema) ? schema["$ref"] : undefined;
  if (typeof reference !== "string") return schema;
  const steps = reference.startsWith("#/") ? reference.slice(2).split("/") : [];
  return steps.reduce<unknown>(
    (part, step) => (isObject(part) && Object.hasOwn(part, step) ? part[step] : undefined),
    root,
  );
}

function hasType(value: unknown, types: readonly string[]): boolean {
  if (types.length === 0 || isAloneTemplate(value)) return true;
  return types.some((type) => tests.get(type)?.(value) ?? typeof value === type);
}

/** Of types that `typeof` does not name so. */
const tests = new Map<string, (value: unknown) => boolean>([
  ["integer", Number.isInteger],
  ["array", Array.isArray],
  ["object", isObject],
  ["null", (value) => value === null],
]);

function isTemplate(value: unknown): boolean {
  return typeof value === "string" && value.includes("{");
}

/** It gives a number or a boolean as such. */
function isAloneTemplate(value: unknown): boolean {
  return typeof value === "string" && /^\s*\{\{.*\}\}\s*$/.test(value);
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
