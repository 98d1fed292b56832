import { Document, isMap, isScalar, isSeq, visit } from "yaml";
import { configJsonSchema, type JsonSchema } from "./json-schema.ts";

/** A config without anything private, for a text that strangers read. */

/** Further projects say no more. */
export const mostProjects = 10;

/** Stand-ins for what a person wrote: the same text always has the same one, and another text another one. */
export interface StandIns {
  /** Such as `project-1`. @param kind - what the text is called; the first one asked for counts. */
  of(kind: string, text: string): string;
  /** A word of the board as it is, where it looks like one and names nobody of the config: a status, or a path of keys. */
  word(kind: "status" | "key", text: string): string;
}

/** Words of the schema: they say nothing of whose config it is. */
const schemaWords: ReadonlySet<string> = new Set(listWords(configJsonSchema()));

function* listWords(schema: JsonSchema): Generator<string> {
  const { enum: choices, const: only } = schema as { enum?: readonly unknown[]; const?: unknown };
  for (const choice of [...(choices ?? []), only, "any"]) if (typeof choice === "string") yield choice;
  for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part !== undefined) yield* listWords(part);
  yield* schema.propertyNames?.enum ?? [];
  if (typeof schema.additionalProperties === "object") yield* listWords(schema.additionalProperties);
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    yield key;
    yield* listWords(part);
  }
}

/** Words that every board has; a project may be called like one. */
const commonWords: ReadonlySet<string> = new Set(
  "data feedback feedbacks posts items results records meta project projects app api id status title github com".split(
    " ",
  ),
);

/** Settings whose texts say whose config it is, also where they stand in other words. */
const names = /(board|tracker)\.url$|\.formerUrls$|\.(project|repo|assignees|trustedAuthors)$/;
/** A shorter name stands in half of all words: it counts as a word of its own alone. */
const leastLength = 4;

const statusForm = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,39}$/u;
const keyForm = /^[@$_A-Za-z][\w$:-]{0,39}$/;
/** Part of a number or a hash: then it is an id or a secret. */
const idForm = /\d{5}|[\da-f]{12}|(?=\w*\d)\w{20}/i;

/** Stand-ins for a config. @param content - of the file; undefined where there is none. */
export function createStandIns(content: unknown): StandIns {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  const texts = listTexts(content, "").filter(([path]) => names.test(path));
  const own = [...new Set(texts.flatMap(([, text]) => namesIn(text)))];
  const of = (kind: string, text: string): string => {
    const found = known.get(text.toLowerCase());
    if (found !== undefined) return found;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    known.set(text.toLowerCase(), `${kind}-${number}`);
    return `${kind}-${number}`;
  };
  const one = (kind: string, form: RegExp, text: string): string => {
    const isHarmless =
      form.test(text) && !idForm.test(bare(text)) && !own.some((name) => isNameIn(name, text));
    return isHarmless || commonWords.has(text.toLowerCase()) ? text : of(kind, text);
  };
  return {
    of,
    word: (kind, text) =>
      kind === "status"
        ? one(kind, statusForm, text)
        : text
            .split(".")
            .map((key) => one(kind, keyForm, key))
            .join("."),
  };
}

/** Every single text with the path of keys that it stands below. */
function listTexts(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((one) => listTexts(one, path));
  return Object.entries(Object(value)).flatMap(([key, part]) => listTexts(part, `${path}.${key}`));
}

/** A repository has two names, an address as many as its host has parts. */
function namesIn(text: string): readonly string[] {
  const parts = URL.canParse(text) ? new URL(text).hostname.split(".") : text.split("/");
  return parts.map(bare).filter((name) => name.length > 1 && !commonWords.has(name));
}

/** Letters and digits alone: `Acme Corp`, `acme_corp` and `acme-corp` are one name. */
function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Whether a name, bare, stands in a text, however that is written. */
function isNameIn(name: string, text: string): boolean {
  if (name.length >= leastLength) return bare(text).includes(name);
  const words = text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => word.toLowerCase() === name);
}

/**
 * A config file's content as it was written, also where it is wrong: keys, choices, numbers and times stay, every other text
 * becomes a stand-in.
 */
export function concealConfig(content: unknown, standIns: StandIns): unknown {
  const shown = conceal(content, "", "", standIns);
  const projects: unknown = Object(shown).projects;
  if (!Array.isArray(projects) || projects.length <= mostProjects) return shown;
  const furtherProjects = projects.length - mostProjects;
  return { ...Object(shown), projects: projects.slice(0, mostProjects), furtherProjects };
}

function conceal(value: unknown, key: string, path: string, standIns: StandIns): unknown {
  if (typeof value === "string") return concealText(value, key, path, standIns);
  if (Array.isArray(value)) return value.map((one) => conceal(one, key, path, standIns));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([inner, part]) => [
      schemaWords.has(inner) ? inner : standIns.of("key", inner),
      conceal(part, schemaWords.has(inner) ? inner : key, `${path}.${inner}`, standIns),
    ]),
  );
}

function concealText(text: string, key: string, path: string, { of, word }: StandIns): string {
  if (schemaWords.has(text) || /^\d{1,6}[smhd]$/.test(text)) return text;
  if (/^(schedule|timezone|createdAfter|createdBefore)$/.test(key)) return text;
  if (/^status(es)?$/.test(key)) return word("status", text);
  if (/^\.board\.(list|paging|fields)\./.test(path)) return word("key", text);
  if (/^\.(board|tracker|http)\.(url|formerUrls)$/.test(path) && URL.canParse(text))
    return concealAddress(text);
  return key === "repo"
    ? text
        .split("/")
        .map((part) => of(key, part))
        .join("/")
    : of(key === "" ? "text" : key, text);
}

/** Parts of a path that say how an API is laid out, and not whose it is. */
const usualParts = /^(api|rest|v\d{1,2}|feedback|public)?$/;

/** Whether it is https, the port, and the path as far as it is usual. */
function concealAddress(text: string): string {
  const { protocol, hostname, port, pathname } = new URL(text);
  const isEverybodys = hostname === "api.github.com" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const host = isEverybodys ? hostname : hostname.endsWith(".ghe.com") ? "tenant.ghe.com" : "host.invalid";
  const parts = pathname.split("/").map((part) => (usualParts.test(part) ? part : "…"));
  return `${protocol}//${host}${port === "" ? "" : `:${port}`}${parts.join("/").replace(/\/$/, "")}`;
}

/**
 * A line about the config without anything that a person wrote into it: of the path the keys that the schema knows, of the
 * message what stands before the first quoted word.
 *
 * @param file as the line may name it.
 */
export function concealProblem(problem: string, file: string): string {
  const isInFile = problem.startsWith(`${file}:`);
  const line = isInFile ? problem.slice(file.length + 1).trim() : problem;
  const [place = ""] = /^(\d+:\d+: )?/.exec(line) ?? [];
  const [path = ""] =
    /^(?:[A-Za-z_][\w-]*|\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\.)+(?=: )/.exec(line.slice(place.length)) ?? [];
  const message = line.slice(place.length + path.length).replace(/^: /, "");
  const [words = ""] = /^(?:(?!\. )[^`"“:;,(…])*/.exec(message) ?? [];
  const said = words.trim().length < message.trim().length ? `${words.trim()} …` : words.trim();
  return `${isInFile ? "the config: " : ""}${place}${path === "" ? "" : `${concealPath(path, isInFile)}: `}${said}`;
}

/** Of a line that is not about the file, the variable of the environment that it begins with. */
function concealPath(path: string, isInFile: boolean): string {
  if (!isInFile && /^BOARDSYNC_(STATE(_URL)?(_FILE)?|HTTP_HOST)$/.test(path)) return path;
  return path.replaceAll(/\["(?:[^"\\]|\\.)*"\]|[A-Za-z_][\w-]*/g, (key) =>
    schemaWords.has(key) ? key : "…",
  );
}

/** As YAML: what holds only single values stands on one line. */
export function showYaml(facts: Readonly<Record<string, unknown>>): string {
  const document = new Document(facts, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_, node) {
      const inner = node.items.map((one) => (isMap(node) ? Object(one).value : one));
      const isFlat = inner.every((one) => isScalar(one) || (isSeq(one) && one.items.every(isScalar)));
      node.flow = isFlat && inner.length < 9 && node !== document.contents;
    },
  });
  return document.toString({ lineWidth: 100, flowCollectionPadding: true });
}
