import { Liquid } from "liquidjs";

/** A template that was read: gives its text for a scope. Throws a `TemplateError` where it fails, a limit included. */
export type Template = (scope: Readonly<Record<string, unknown>>) => string;

/** Tags that read other files. There are none to be read. */
const FILE_TAGS = ["include", "render", "layout", "block"];

/** Filters that look at the clock or throw dice (the same post must always give the same text), or switch off escaping. */
const LEFT_OUT_FILTERS = [
  "date",
  "date_to_xmlschema",
  "date_to_rfc822",
  "date_to_string",
  "date_to_long_string",
  "sample",
  "raw",
];

/**
 * Against a template that never ends. Everything a template is given is bounded, so no post can reach these limits; only
 * loops written into the template itself can.
 */
const LIMITS = { parseLimit: 100_000, memoryLimit: 10_000_000, renderLimit: 5_000 };

/** Nothing of the machine: no files, and not its language, which liquidjs would look up, at 10 ms a process. */
const ALONE = { templates: {}, locale: "en" };

/** A template that can't be read, or fails on one scope. The message is the reason, with line and column. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/**
 * Reads a template. What stands in it outside of `{{ }}` is kept as it is; what an expression gives, after all its filters,
 * goes through `toSafe`, so that no filter (`url_decode`, `slice`, `remove`) can undo what made a value safe. A missing
 * value gives nothing; an unknown filter or tag is an error.
 *
 * @param place what stands before the reason where it fails: the template's place in the config.
 * @throws TemplateError
 */
export function readTemplate(text: string, toSafe: (value: string) => string, place?: string): Template {
  const engine = new Liquid({
    ...LIMITS,
    ...ALONE,
    ownPropertyOnly: true,
    strictFilters: true,
    outputEscape: (value: unknown) => toSafe(textOf(value)),
  });
  for (const name of FILE_TAGS) delete engine.tags[name];
  for (const name of LEFT_OUT_FILTERS) delete engine.filters[name];
  const parsed = explained(place, () => engine.parse(text));
  return (scope) => explained(place, () => String(engine.renderSync(parsed, scope)));
}

function explained<T>(place: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = sayLiquidError(error);
    throw new TemplateError(place === undefined ? reason : `${place}: ${reason}`, { cause: error });
  }
}

/** Whether a template names a value, wherever in it; `path` is where the value stands, as in `["post", "votes"]`. */
export function namesValue(text: string, path: readonly string[]): boolean {
  return new Liquid(ALONE)
    .globalVariableSegmentsSync(text)
    .some((segments) => path.every((part, index) => segments[index] === part));
}

/** What a template of each kind sees: nothing else ever has a value. */
export const templateValues = {
  text: [
    ...["id", "title", "description", "category", "status", "votes", "url"].map((name) => `post.${name}`),
    "project.id",
  ],
  entry: [
    ...["name", "tag", "date", "url", "notes", "body"].map((name) => `release.${name}`),
    "posts",
    "more",
  ],
  address: ["post.id", "post.title", "post.category", "post.status", "post.url", "project.id"],
  categories: ["project.id"],
  changelogList: ["project.id"],
  changelogCreate: ["entry.title", "entry.body", "release.tag", "release.url", "project.id"],
  changelogUpdate: ["entry.id", "entry.title", "entry.body", "release.tag", "release.url", "project.id"],
  changelogPublish: ["entry.id", "entry.title", "release.tag", "project.id"],
  feedbackCreate: [
    ...["title", "body", "address", "number", "category"].map((name) => `issue.${name}`),
    "project.id",
  ],
} as const;

/**
 * What is wrong with a template, as a sentence, or the first value that it names and nothing ever has (it would render empty, for
 * ever), beside those that are `known`. undefined for one that can be used. For the check of a config.
 */
export function checkTemplate(
  text: string,
  kind: keyof typeof templateValues,
): string | { readonly name: string; readonly known: readonly string[] } | undefined {
  try {
    readTemplate(text, String);
  } catch (error) {
    return `The template can't be read: ${sayLiquidError(error)}.`;
  }
  const [single, value] = inSingleBraces.exec(text.replaceAll(asItIs, "")) ?? [];
  if (single !== undefined)
    return `\`${single}\` would be kept as it is: a value stands in double braces, \`{{ ${value} }}\`.`;
  const known: readonly string[] = templateValues[kind];
  const names = new Liquid(ALONE).globalVariableSegmentsSync(text).map(variableOf);
  const name = names.find((one) => !known.some((value) => isPartOf(value, one) || isPartOf(one, value)));
  return name === undefined ? undefined : { name, known };
}

/** What a person has marked as text, or as no part of it. */
const asItIs = /\{%-?\s*(raw|comment)\s*-?%\}.*?\{%-?\s*end\1\s*-?%\}/gs;

/**
 * A value as other languages of templates write it: `{post.title}`, `${post.title}`. Every issue would be called that. Of a project
 * there is nothing but its id, and others have a `${project.version}` that a text may be about.
 */
const inSingleBraces = /(?<!\{)\{\s*((?:post|release|entry|issue)\.\w+|project\.id)\s*\}(?!\})/;

/** As it is written: `post.title`. What is known only while it renders (`post[key]`) ends it. */
function variableOf(segments: readonly unknown[]): string {
  const end = segments.findIndex((segment) => typeof segment !== "string");
  return segments.slice(0, end === -1 ? undefined : end).join(".");
}

/** Whether the one is the other or stands in it: `post` and `post.title`, `post.title` and `post.title.size`. */
function isPartOf(whole: string, part: string): boolean {
  return whole === part || whole.startsWith(`${part}.`);
}

/** liquidjs has objects of its own for `nil` and `empty`; their `valueOf` is what they stand for. */
function textOf(value: unknown): string {
  const plain = typeof value === "object" ? value?.valueOf() : value;
  return String(plain ?? "");
}

function sayLiquidError(error: unknown): string {
  return String(error)
    .replace(/^\w+: /, "")
    .replace(/, line:(\d+), col:(\d+)$/, " (line $1, column $2)");
}
