import type { Config } from "../../config/schema.ts";
import { ConfigError } from "../../errors.ts";
import type { PostId } from "../../model/post.ts";
import type { NamedPost, NamedProject } from "../../sync/orders/foresight.ts";
import type { Whole } from "../../sync/orders/pause.ts";
import { readReport } from "../../sync/tell/stored-report.ts";
import { type Beside, describeNoProject, findPost, findProject, knownProjects } from "./beside.ts";

/** What an order is about. */
export type Targets =
  | { readonly kind: "posts"; readonly posts: readonly NamedPost[] }
  | ({ readonly kind: "whole" } & Whole);

export interface TargetOptions {
  readonly code?: string;
  readonly all?: boolean;
}

/**
 * What the words of a command name: PROJECT, PROJECT POST…, POST…, or PROJECT with `--code`; with `--all` every project.
 *
 * @throws ConfigError where that is nothing, or not clear.
 */
export async function findTargets(
  beside: Beside,
  words: readonly string[],
  { code, all }: TargetOptions,
): Promise<Targets> {
  if (all === true) {
    if (words.length > 0 || code !== undefined)
      throw new ConfigError(["`--all` is every project: name none with it, and no post or code."]);
    return { kind: "whole", of: "all", projects: knownProjects(beside) };
  }
  const [first, ...rest] = words;
  if (first === undefined)
    throw new ConfigError(["Name what it is about: PROJECT, or POST and more of them."]);
  const isProject = beside.config.projects.some(({ project }) => project === first);
  if (!isProject) {
    if (code !== undefined)
      throw new ConfigError([`\`--code\` needs a project: the config has no project \`${first}\`.`]);
    return { kind: "posts", posts: await findEach(beside, words) };
  }
  const project = { key: first, project: findProject(beside, first) };
  if (code !== undefined) {
    if (rest.length > 0) throw new ConfigError(["`--code` chooses the posts: name the project alone."]);
    return { kind: "posts", posts: await postsWithCode(beside, project, code) };
  }
  if (rest.length === 0) return { kind: "whole", of: "project", projects: [project] };
  const full = rest.map((word) => (word.startsWith(`${first}/`) ? word : `${first}/${word}`));
  return { kind: "posts", posts: await findEach(beside, full) };
}

/** Each post once; what is wrong with any of the words is said at once. */
async function findEach(beside: Beside, words: readonly string[]): Promise<readonly NamedPost[]> {
  const found = new Map<string, NamedPost>();
  const problems: string[] = [];
  for (const word of words) {
    try {
      const named = await findPost(beside, word);
      found.set(`${named.key}/${named.post}`, named);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const also = describeAsProject(beside.config, word);
      problems.push(...error.problems.map((problem) => `${problem}${also}`));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return [...found.values()];
}

/** A word may have been meant as a project: also one that another project stands before. */
function describeAsProject(config: Config, word: string): string {
  const last = word.slice(word.indexOf("/") + 1);
  if (config.projects.some(({ project }) => project === last))
    return ` \`${last}\` is a project: name one by itself.`;
  return word.includes("/") ? "" : ` ${describeNoProject(config, word)}`;
}

/**
 * The posts of a project that are parked with a code, or that failed with it in the last run.
 *
 * @throws ConfigError where there is none, with the codes that there are.
 */
async function postsWithCode(
  { ledger }: Beside,
  { key, project }: NamedProject,
  code: string,
): Promise<readonly NamedPost[]> {
  const parked = await ledger.rows.waiting(project, Number.MAX_SAFE_INTEGER, ["parked"]);
  const last = await ledger.runs.last(key);
  const errors = last === undefined ? [] : readReport(last.report).errors;
  const failed = errors.flatMap(({ post, code: one }) => (post === undefined ? [] : [{ post, code: one }]));
  const known = [...parked, ...failed];
  const posts = new Set(known.flatMap((one) => (one.code === code ? [one.post] : [])));
  if (posts.size > 0) return [...posts].map((post) => ({ key, project, post: post as PostId }));
  const codes = [...new Set(known.flatMap((one) => one.code ?? []))].toSorted();
  throw new ConfigError([
    `No post of ${key} has the code \`${code}\`. ${codes.length === 0 ? "None has any." : `There are: ${codes.join(", ")}.`}`,
  ]);
}
