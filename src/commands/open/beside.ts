import { loadConfig } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { suggest } from "../../config/suggest.ts";
import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { IssueRef } from "../../model/issue.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { inOrder, select } from "../../select.ts";
import { repositoryNames } from "../../sync/ground/world.ts";
import { foundProjects, type NamedPost, type NamedProject } from "../../sync/orders/foresight.ts";
import type { Called, CommonOptions } from "../print/terminal.ts";
import { systemClock } from "./clock.ts";
import { configSource } from "./config-source.ts";
import { closing, describeNone, openBeside, placeOfState, readState, type StatePlace } from "./state.ts";

/** A config and its state: where posts and projects are looked for. */
export interface Beside {
  readonly config: Config;
  readonly ledger: Ledger;
  /** The time when it is asked for, epoch ms: a person may think for long before they agree. */
  readonly now: number;
}

/** A command that works on the state beside whoever has it, and what it was called with. */
export interface BesideCall<Options extends CommonOptions = CommonOptions> extends Beside, Called<Options> {}

/** Runs a command that needs neither secrets nor the state for itself; the next run takes up what it writes. */
export function besideRuns<Options extends CommonOptions, T>(
  called: Called<Options>,
  work: (call: BesideCall<Options>) => Promise<T>,
): Promise<T> {
  return workOn(called, (place) => openBeside(place, "command"), ` ${adoptFirst("")}`, work);
}

/** What a person may do who wants to say something before the first run opens issues. */
function adoptFirst(project: string): string {
  return `To link or pause before anything is written: \`boardsync sync --adopt${project}\` first, which reads both sides and writes to neither.`;
}

/** The same for a command that writes nothing to the state, either. */
export function readBeside<T>(called: Called, work: (beside: Beside) => Promise<T>): Promise<T> {
  return workOn(called, readState, "", work);
}

async function workOn<Options extends CommonOptions, T>(
  { terminal, options }: Called<Options>,
  openState: (place: StatePlace) => Promise<Ledger | undefined>,
  orElse: string,
  work: (call: BesideCall<Options>) => Promise<T>,
): Promise<T> {
  const { config } = loadConfig(configSource(terminal, options));
  const place = placeOfState(terminal, config);
  const opened = await openState(place);
  if (opened === undefined) throw new ConfigError([`${describeNone(place.name)}${orElse}`]);
  return closing(opened, (ledger) =>
    work({
      config,
      ledger,
      get now() {
        return systemClock.now();
      },
      terminal,
      options,
    }),
  );
}

/** The projects of the config that a run has found. */
export function knownProjects({ config, ledger }: Beside): readonly NamedProject[] {
  const keys = config.projects.map(({ project }) => project);
  return foundProjects(keys, ledger);
}

/** The post of `PROJECT/POST`; undefined where a text does not begin with this project. */
export function postWithin(key: string, text: string): PostId | undefined {
  return text.startsWith(`${key}/`) ? (text.slice(key.length + 1) as PostId) : undefined;
}

/**
 * The posts that `POST`, `PROJECT/POST` or `OWNER/REPO#N` means; of an issue every post that is linked to it.
 *
 * @throws ConfigError when there is none, or an id means several.
 */
export async function findPosts(beside: Beside, text: string): Promise<readonly NamedPost[]> {
  const [, name, number] = /^([^/\s]+\/[^#\s]+)#(\d+)$/.exec(text) ?? [];
  const repositoryId = name === undefined ? undefined : findRepositoryId(beside, name);
  if (repositoryId === undefined) return [await findPost(beside, text)];
  const issue: IssueRef = { repositoryId, number: Number(number) };
  const posts = await postsOf(beside, issue);
  if (posts.length > 0) return posts;
  // One that may become a post is called so until it has.
  const own = await findPost(beside, text).catch(() => undefined);
  if (own !== undefined) return [own];
  throw new ConfigError([await describeUnlinked(beside, text, issue)]);
}

/** The numeric id of a repository of the config, by the name that stands there or the one that it has now. */
function findRepositoryId({ config, ledger }: Beside, name: string): IssueRef["repositoryId"] | undefined {
  const wanted = name.toLowerCase();
  const known = [...new Set(config.projects.flatMap(repositoryNames))].flatMap(
    (one) => ledger.memory.repository(one) ?? [],
  );
  return known.find(({ name: one, repository }) =>
    [one, repository.name].some((each) => each.toLowerCase() === wanted),
  )?.repository.id;
}

async function postsOf(beside: Beside, issue: IssueRef): Promise<readonly NamedPost[]> {
  const known = knownProjects(beside);
  return (await beside.ledger.rows.linkedTo(issue)).flatMap(({ project, post }) => {
    const found = known.find((one) => one.project === project);
    return found === undefined ? [] : [{ ...found, post }];
  });
}

/** An issue that no post is linked to may be a slip of the finger, or nobody's business. */
async function describeUnlinked({ ledger }: Beside, text: string, issue: IssueRef): Promise<string> {
  const absence = await ledger.absences.of(issue);
  const moved = absence?.kind === "moved" ? ` It was moved to ${absence.name}#${absence.to.number}.` : "";
  const name = text.slice(0, text.indexOf("#"));
  const near = (await ledger.pulls.linkedIssues(issue.repositoryId))
    .filter(({ number }) => suggest(String(issue.number), [String(number)]) !== "")
    .map(({ number }) => `${name}#${number}`);
  return `${text} is linked to no post of the config${suggest(text, near) || "."}${moved}`;
}

/** The post that `POST` or `PROJECT/POST` means. @throws ConfigError when there is none, or several. */
export async function findPost(beside: Beside, text: string): Promise<NamedPost> {
  const { ledger, now } = beside;
  const candidates = knownProjects(beside).flatMap((named) =>
    [text as PostId, postWithin(named.key, text)].flatMap((post) => (post ? [{ ...named, post }] : [])),
  );
  const found = await select(
    candidates,
    async ({ project, post }) => (await ledger.rows.row(project, post, now)) !== undefined,
  );
  const [first, ...others] = found;
  if (first === undefined) throw new ConfigError([await describeUnknown(beside, text)]);
  if (others.length > 0) {
    const names = found
      .map(({ key, post }) => (`${key}/${post}` === text ? post : `${key}/${post}`))
      .join(", ");
    throw new ConfigError([`\`${text}\` is ambiguous. Write one of: ${names}.`]);
  }
  return first;
}

async function describeUnknown(beside: Beside, text: string): Promise<string> {
  for (const { key, project } of knownProjects(beside)) {
    const post = postWithin(key, text) ?? text;
    if (await beside.ledger.toolCalls.hasMade(project, "feedbackCreate", post))
      return describeUnlisted(key, post);
  }
  const hint = (await suggestPost(beside, text)) || ". `boardsync status` lists what waits.";
  return `No project of the config has a post \`${text}\`${hint}`;
}

/** Of a post that has been made of an issue. */
export function describeUnlisted(key: string, post: string): string {
  return `The post ${post} of ${key} was made of an issue, and no list of the board has shown it yet: the next run reads it.`;
}

/**
 * The post to be linked: also one that no run has seen yet, where the project is named with it, or is the only one.
 *
 * @throws ConfigError when there is none, or several.
 */
export async function findPostToLink(beside: Beside, text: string): Promise<NamedPost> {
  const { config, ledger } = beside;
  try {
    return await findPost(beside, text);
  } catch (error) {
    const known = await select(
      knownProjects(beside),
      async ({ project }) => (await ledger.rows.row(project, text as PostId, beside.now)) !== undefined,
    );
    const named = config.projects.find(({ project: key }) => text.startsWith(`${key}/`));
    const key = named?.project ?? (config.projects.length === 1 ? config.projects[0]?.project : undefined);
    const memory = key === undefined ? undefined : ledger.memory.project(key);
    const post = named === undefined ? text : text.slice(named.project.length + 1);
    if (known.length > 0 || key === undefined || memory === undefined || post === "") throw error;
    return { key, project: memory.id, post: post as PostId };
  }
}

/** Ids of one board are often all of one length: so many of each project are held against a slip. */
const mostCandidates = 5_000;

/** What may have been meant: an id that begins like that, or one with a slip in it; else nothing. */
async function suggestPost(beside: Beside, text: string): Promise<string> {
  const found = await inOrder(knownProjects(beside), async ({ key, project }) => {
    const inner = postWithin(key, text);
    const id = inner ?? text;
    const posts = await beside.ledger.lookup.postsLike(project, id, mostCandidates);
    return posts
      .filter((post) => post.startsWith(id) || suggest(id, [post]) !== "")
      .map((post) => (inner === undefined ? post : `${key}/${post}`));
  });
  const near = found.flat();
  const longer = near.find((id) => id.startsWith(text));
  return longer === undefined ? suggest(text, near) : suggest(longer, [longer]);
}

/** The project that a person named. @throws ConfigError when the config has none of that name, or it never ran. */
export function findProject({ config, ledger }: Beside, key: string): ProjectId {
  if (!config.projects.some(({ project }) => project === key))
    throw new ConfigError([describeNoProject(config, key)]);
  const memory = ledger.memory.project(key);
  if (memory === undefined)
    throw new ConfigError([
      `The project \`${key}\` never ran, so nothing of it waits. ${adoptFirst(` --project ${key}`)}`,
    ]);
  return memory.id;
}

/** A word that names no project, and the names that would. */
export function describeNoProject({ projects }: Config, word: string): string {
  return `The config has no project \`${word}\`. It has: ${projects.map(({ project }) => project).join(", ")}.`;
}
