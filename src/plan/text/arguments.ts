import { readTemplate } from "./template.ts";

/** What an argument of a tool is: JSON, with a template in any of its texts. */
export type ArgumentTemplates = Readonly<Record<string, unknown>>;

/** What templates of arguments see; texts in it are safe already. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/**
 * Fills in the arguments of a call. Each text is a Liquid template, wherever it stands; one that is nothing but `{{ name }}`
 * gives a number or a boolean as such. Keys, and all else, go as they are.
 *
 * @param place what stands before the reason where a template fails: its place in the config.
 * @throws TemplateError where one can't be read, or fails on these values.
 */
export function fillArguments(
  args: ArgumentTemplates,
  values: ArgumentValues,
  place: string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, fill(value, values, `${place}.${name}`)]),
  );
}

/** The same for a tool that lists: all that it is told is of which project. */
export function listArguments(
  args: ArgumentTemplates,
  purpose: "categories" | "changelogList",
  project: string,
): Readonly<Record<string, unknown>> {
  return fillArguments(args, { project: { id: project } }, `board.mcp.tools.${purpose}.args`);
}

function fill(value: unknown, values: ArgumentValues, place: string): unknown {
  if (typeof value === "string") return fillText(value, values, place);
  if (Array.isArray(value)) return value.map((one, index) => fill(one, values, `${place}.${index}`));
  if (typeof value === "object" && value !== null) return fillArguments({ ...value }, values, place);
  return value;
}

const alone = /^\s*\{\{-?\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*-?\}\}\s*$/;

function fillText(text: string, values: ArgumentValues, place: string): unknown {
  const named = alone.exec(text)?.[1];
  const value = named === undefined ? undefined : valueAt(values, named.split("."));
  if (typeof value === "number" || typeof value === "boolean") return value;
  return readTemplate(text, String, place)(values);
}

function valueAt(values: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return values;
  if (typeof values !== "object" || values === null || !Object.hasOwn(values, name)) return undefined;
  return valueAt((values as Readonly<Record<string, unknown>>)[name], rest);
}
