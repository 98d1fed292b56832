import { Document, isMap, isScalar, isSeq, visit } from "yaml";
import type { Aliases } from "./aliases.ts";
import { configJsonSchema, type JsonSchema } from "./json-schema.ts";
import { type Config, configSchema } from "./schema.ts";
import { isPostgresUrl } from "./state-address.ts";

/** A config without anything private, for a text that strangers read. */

/** Settings that differ from their defaults, as a config file has them. */
export type Concealed = { readonly [setting: string]: unknown };

/** More projects than this say no more. */
export const mostProjects = 10;

/**
 * The settings that differ from their defaults, without names, addresses and texts. Numbers, times, choices and the structure
 * of rules stay.
 */
export function concealConfig(config: Config, aliases: Aliases): Concealed {
  const defaults: Config = configSchema.parse({
    board: { url: "https://board.invalid" },
    projects: [{ project: "project", repo: "owner/repo" }],
  });
  const { projects, ...settings } = config;
  const [project] = defaults.projects;
  const walk = (value: unknown, path: string): unknown => conceal(value, path, aliases);
  const more = projects.length - mostProjects;
  /** What the projects differ in from the defaults, each once: a report that is too long is read by nobody. */
  const told = new Map<string, string>();
  return {
    ...Object(walk(differing(settings, { ...defaults, board: { ...defaults.board, url: "" } }), "")),
    projects: projects.slice(0, mostProjects).map((one) => {
      const { project: key, repo } = one;
      const others = Object(differing(one, { ...project, project: key, repo }));
      const alias = aliases.of("project", key);
      const text = JSON.stringify(others);
      const like = told.get(text);
      if (like === undefined) told.set(text, alias);
      const named = Object(walk({ project: key, repo }, "projects"));
      const isTold = like !== undefined && Object.keys(others).length > 0;
      return { ...named, ...(isTold ? { as: like } : Object(walk(others, "projects"))) };
    }),
    ...(more > 0 && { furtherProjects: more }),
  };
}

/** What of a value is not as in the defaults; undefined where all is. */
function differing(value: unknown, usual: unknown): unknown {
  if (!isGroup(value) || !isGroup(usual))
    return JSON.stringify(value) === JSON.stringify(usual) ? undefined : value;
  const parts = Object.entries(value)
    .map(([key, part]) => [key, differing(part, Object.hasOwn(usual, key) ? usual[key] : undefined)] as const)
    .filter(([, part]) => part !== undefined);
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Makes a text of a setting harmless. */
type Cover = (text: string, aliases: Aliases) => string;

/** For one of a few words that the schema knows, a time, or an expression of numbers. */
const keep: Cover = (text) => text;
const asLabel: Cover = (text, { of }) => of("label", text);
const asLogin: Cover = (text, { of }) => of("login", text);
const asCategory: Cover = (text, { of }) => of("category", text);
const asType: Cover = (text, { of }) => of("type", text);
const asRepository: Cover = (text, { repository }) => repository(text);
const asStatus: Cover = (text, { status }) => status(text);
const asKeys: Cover = (text, { keys }) => keys(text);
const asMilestone: Cover = (text, { of }) =>
  text === "any" || text === "none" ? text : of("milestone", text);
const asSet: Cover = () => "set";

/** By the path of a setting, without the places in lists. A text whose path is not here is not shown. */
const covers: Readonly<Record<string, Cover>> = {
  "board.url": (text) => coverAddress(text, "board"),
  "board.formerUrls": (text) => coverAddress(text, "board"),
  "board.list.items": asKeys,
  "board.list.total": asKeys,
  "board.paging.kind": keep,
  "board.paging.param": asKeys,
  "board.paging.next": asKeys,
  "board.paging.sizeParam": asKeys,
  "tracker.kind": keep,
  "tracker.url": (text) => coverAddress(text, "github"),
  "tracker.trustedAuthors": asLogin,
  state: (text) => coverState(text),
  schedule: keep,
  timezone: keep,
  "http.host": (text) => (isOwnHost(text) ? text : "an address"),
  "http.url": (text) => coverAddress(text, "page"),
  heartbeat: asSet,
  "notices.url": asSet,
  "projects.project": (text, { of }) => of("project", text),
  "projects.repo": asRepository,
  "projects.writes": keep,
  "projects.schedule": keep,
  "projects.select.statuses": asStatus,
  "projects.select.categories": asCategory,
  "projects.select.createdAfter": keep,
  "projects.route.category": asCategory,
  "projects.route.status": asStatus,
  "projects.route.label": asLabel,
  "projects.route.repo": asRepository,
  "projects.issue.title": coverTemplate,
  "projects.issue.body": coverTemplate,
  "projects.issue.postUrl": coverTemplate,
  "projects.issue.labels": asLabel,
  "projects.issue.assignees": asLogin,
  "projects.issue.milestone": (text, { of }) => of("milestone", text),
  "projects.issue.type": asType,
  "projects.issue.redact": keep,
  "projects.content": keep,
  "projects.rules.when.state": keep,
  "projects.rules.when.reason": keep,
  "projects.rules.when.labels": asLabel,
  "projects.rules.when.anyLabel": asLabel,
  "projects.rules.when.noLabel": asLabel,
  "projects.rules.when.milestone": asMilestone,
  "projects.rules.when.milestoneState": keep,
  "projects.rules.when.type": asType,
  "projects.rules.when.subIssues": keep,
  "projects.rules.when.projectStatus.owner": (text, { of }) => of("owner", text),
  "projects.rules.when.projectStatus.field": (text, { of }) => (text === "Status" ? text : of("field", text)),
  "projects.rules.when.projectStatus.is": (text, { of }) => of("option", text),
  "projects.rules.when.pullRequest": keep,
  "projects.rules.set.status": asStatus,
  "projects.rules.set.roadmapColumn": keep,
  "projects.rules.set.categoryId": asCategory,
  "projects.whenNoRule": keep,
  "projects.boardRules.when.status": asStatus,
  "projects.boardRules.when.category": asCategory,
  "projects.boardRules.set.state": keep,
  "projects.boardRules.set.reason": keep,
  "projects.boardRules.set.addLabels": asLabel,
  "projects.boardRules.set.removeLabels": asLabel,
  "projects.boardRules.set.milestone": (text, { of }) => of("milestone", text),
  "projects.boardRules.set.comment": coverTemplate,
  "projects.conflict": keep,
  "projects.several": keep,
  "projects.followDuplicates": keep,
};

/** Milliseconds that the file has as `30s`. */
const durations: ReadonlySet<string> = new Set(
  "board.timeout tracker.timeout lease settle fullEvery waits.create waits.patch budget keep".split(" "),
);

function conceal(value: unknown, path: string, aliases: Aliases): unknown {
  if (typeof value === "string") return covers[path]?.(value, aliases) ?? covered(path, value, aliases);
  if (typeof value === "number" && durations.has(path)) return showDuration(value);
  if (Array.isArray(value)) return value.map((one) => conceal(one, path, aliases));
  if (!isGroup(value)) return value;
  if (path === "projects.issue.categoryLabels") {
    return Object.fromEntries(
      Object.entries(value).map(([id, label]) => [
        aliases.of("category", id),
        aliases.of("label", String(label)),
      ]),
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      conceal(part, path === "" ? key : `${path}.${key}`, aliases),
    ]),
  );
}

/** The names of the board's fields are those of its API. */
function covered(path: string, text: string, aliases: Aliases): string {
  return path.startsWith("board.fields.") ? aliases.keys(text) : "…";
}

/** Whether an address of this kind says nothing of whose it is. */
function isOwnHost(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1?\]?|0\.0\.0\.0)$/.test(host);
}

/** Parts of a path that say how an API is laid out, and not whose it is. */
const usualParts = /^(api|rest|v\d{1,2}|feedback|public)?$/;

/** Whether it is https, the port, and the path as far as it is usual. */
function coverAddress(text: string, name: string): string {
  const { protocol, hostname, port, pathname } = new URL(text);
  const host = hostname === "api.github.com" || isOwnHost(hostname) ? hostname : `${name}.invalid`;
  const tenant = hostname.endsWith(".ghe.com") ? "tenant.ghe.com" : host;
  const path = pathname.split("/").map((part) => (usualParts.test(part) ? part : "…"));
  return `${protocol}//${tenant}${port === "" ? "" : `:${port}`}${path.join("/").replace(/\/$/, "")}`;
}

/** Places that are everybody's: the default, and the image's. */
const usualStates = ["data/boardsync.db", "/data/boardsync.db"];
const tlsModes = /^(disable|allow|prefer|require|verify-ca|verify-full|no-verify)$/;

function coverState(state: string): string {
  if (usualStates.includes(state)) return state;
  if (!isPostgresUrl(state)) return /^([/\\]|[A-Za-z]:)/.test(state) ? "/…/state.db" : "…/state.db";
  const { hostname, port, searchParams } = new URL(state);
  const mode = searchParams.get("sslmode") ?? "";
  const host = isOwnHost(hostname) ? hostname : "postgres.invalid";
  const query = tlsModes.test(mode) ? `?sslmode=${mode}` : "";
  return `postgres://${host}${port === "" ? "" : `:${port}`}/database${query}`;
}

/** What a template may name, as `plan/text/render.ts` has it. */
const variables = /\b(post\.(id|title|description|category|status|votes|url)|project\.(id|name))\b/g;

/** Of a template only what it names, in this order, each once. */
function coverTemplate(text: string): string {
  const placed = (text.match(/\{\{.*?\}\}|\{%.*?%\}/gs) ?? []).join(" ");
  const names = [...new Set(placed.match(variables))];
  return ["…", ...names.map((name) => `{{ ${name} }}`)].join(" ");
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

function showDuration(ms: number): string {
  const unit = units.find(([, size]) => ms > 0 && ms % size === 0);
  return unit === undefined ? `${ms / 1000}s` : `${ms / unit[1]}${unit[0]}`;
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
  return `${isInFile ? "the config: " : ""}${place}${path === "" ? "" : `${coverPath(path, isInFile)}: `}${said}`;
}

/** Of a line that is not about the file, the variable of the environment that it begins with. */
function coverPath(path: string, isInFile: boolean): string {
  if (!isInFile && /^BOARDSYNC_(STATE(_URL)?(_FILE)?|HTTP_HOST)$/.test(path)) return path;
  const known = new Set(listKeys(configJsonSchema()));
  return path.replaceAll(/\["(?:[^"\\]|\\.)*"\]|[A-Za-z_][\w-]*/g, (key) => (known.has(key) ? key : "…"));
}

function* listKeys(schema: JsonSchema): Generator<string> {
  for (const part of [schema.items, ...(schema.anyOf ?? [])]) if (part !== undefined) yield* listKeys(part);
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    yield key;
    yield* listKeys(part);
  }
}

/** As YAML: what holds only single values stands on one line. */
export function showYaml(settings: Concealed): string {
  const document = new Document(settings, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_, node) {
      const inner = node.items.map((one) => (isMap(node) ? Object(one).value : one));
      if (inner.every((one) => isScalar(one) || ((isMap(one) || isSeq(one)) && one.items.length < 4)))
        if (node !== document.contents) node.flow = inner.every((one) => isFlat(one));
    },
  });
  return document.toString({ lineWidth: 100, flowCollectionPadding: true });
}

function isFlat(node: unknown): boolean {
  return isScalar(node) || (isSeq(node) && node.items.every(isScalar));
}
