import type { Config } from "./schema.ts";

/** What has a name in a config. */
type Kind =
  | "project"
  | "owner"
  | "repo"
  | "login"
  | "label"
  | "category"
  | "milestone"
  | "type"
  | "status"
  | "key"
  | "field"
  | "option";

/**
 * Stand-ins for the names of a config, for a text that strangers read: `project-1`, `owner-1/repo-1`. The same name always
 * gets the same one, and another name another one, so that a reader still sees what is equal.
 */
export interface Aliases {
  of(kind: Kind, name: string): string;
  repository(name: string): string;
  /** A status of the board as it is, where it looks like one and names nobody of the config. */
  status(text: string): string;
  /** A key of the board's answers, or a path of keys, likewise. */
  keys(path: string): string;
}

/** GitHub's names have no case. */
const caseless: ReadonlySet<Kind> = new Set(["owner", "repo", "login"]);

const statusForm = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,39}$/u;
const keyForm = /^[@$_A-Za-z][\w$:-]{0,39}$/;
/** Part of a number or a hash: then it is an id or a secret. */
const idForm = /\d{5}|[\da-f]{12}|(?=\w*\d)\w{20}/i;

/** Words that every board has; a project may be called like one. */
const commonWords: ReadonlySet<string> = new Set(
  "data feedback feedbacks posts items results records meta project projects app api id status title github com".split(
    " ",
  ),
);
/** A shorter name stands in half of all words: it counts as a word of its own alone. */
const leastLength = 4;

/** Aliases for a config; without one, for names that come from elsewhere. */
export function createAliases(config: Config | undefined): Aliases {
  const known = new Map<string, string>();
  const counts = new Map<Kind, number>();
  const own = config === undefined ? [] : listOwnNames(config);
  const of = (kind: Kind, name: string): string => {
    const key = `${kind} ${caseless.has(kind) ? name.toLowerCase() : name}`;
    const number = (counts.get(kind) ?? 0) + 1;
    const alias = known.get(key) ?? `${kind}-${number}`;
    if (!known.has(key)) counts.set(kind, number);
    known.set(key, alias);
    return alias;
  };
  const shown = (kind: Kind, form: RegExp, text: string): string => {
    const isSafe = form.test(text) && !idForm.test(bare(text)) && !own.some((name) => isNamed(name, text));
    return isSafe || commonWords.has(text.toLowerCase()) ? text : of(kind, text);
  };
  return {
    of,
    repository(name) {
      const [owner = "", repo = ""] = name.split("/");
      // The same name below two owners is two repositories.
      return `${of("owner", owner)}/${of("repo", `${owner}/${repo}`)}`;
    },
    status: (text) => shown("status", statusForm, text),
    keys: (path) =>
      path
        .split(".")
        .map((key) => shown("key", keyForm, key))
        .join("."),
  };
}

/** Letters and digits alone: `Acme Corp`, `acme_corp` and `acme-corp` are one name. */
function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Whether a name, bare, stands in a text, however that is written. */
function isNamed(name: string, text: string): boolean {
  if (name.length >= leastLength) return bare(text).includes(name);
  const words = text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => word.toLowerCase() === name);
}

/** Whose config it is: names that may stand in what the board's people have called something. */
function listOwnNames({ board, tracker, projects }: Config): readonly string[] {
  const hosts = [board.url, tracker.url].flatMap((url) => new URL(url).hostname.split("."));
  const logins = [...tracker.trustedAuthors, ...projects.flatMap(({ issue }) => issue.assignees)];
  const repositories = projects.flatMap(({ repo, route }) => [repo, ...route.map((one) => one.repo)]);
  const keys = projects.map(({ project }) => project);
  const names = [...hosts, ...logins, ...repositories.flatMap((name) => name.split("/")), ...keys];
  return [...new Set(names.map(bare))].filter((name) => name.length > 1 && !commonWords.has(name));
}
