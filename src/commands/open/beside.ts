import { loadConfig } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { suggest } from "../../config/suggest.ts";
import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { inOrder, select } from "../../select.ts";
import type { NamedPost } from "../../sync/orders/foresight.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { systemClock } from "./clock.ts";
import { configSource } from "./config-source.ts";
import { describeNone, openBeside, placeOfState, readState, type StatePlace } from "./state.ts";

/** The state of a config, opened beside whoever works on it: for short writes that the next run takes up. */
export interface Beside {
  readonly config: Config;
  readonly ledger: Ledger;
  /** The time when it is asked for, epoch ms: a person may think for long before they agree. */
  readonly now: number;
}

/** Runs a command that needs neither secrets nor the state for itself. */
export function besideRuns(
  terminal: Terminal,
  options: CommonOptions,
  work: (beside: Beside) => number | Promise<number>,
): Promise<number> {
  return workOn(terminal, options, (place) => openBeside(terminal, "command", place), work);
}

/** The same for a command that writes nothing to the state, either. */
export function readBeside(
  terminal: Terminal,
  options: CommonOptions,
  work: (beside: Beside) => Promise<number>,
): Promise<number> {
  return workOn(terminal, options, (place) => readState(terminal, place), work);
}

async function workOn(
  terminal: Terminal,
  options: CommonOptions,
  openState: (place: StatePlace) => Promise<Ledger | undefined>,
  work: (beside: Beside) => number | Promise<number>,
): Promise<number> {
  const { config } = loadConfig(configSource(terminal, options));
  const place = placeOfState(terminal, config);
  const ledger = await openState(place);
  if (ledger === undefined) throw new ConfigError([describeNone(place.name)]);
  const beside: Beside = {
    config,
    ledger,
    get now() {
      return systemClock.now();
    },
  };
  try {
    return await work(beside);
  } finally {
    ledger.close();
  }
}

/**
 * The post that `POST` or `PROJECT/POST` means.
 *
 * @throws ConfigError when there is none, or several.
 */
export async function findPost(beside: Beside, text: string): Promise<NamedPost> {
  const { config, ledger, now } = beside;
  const found = (
    await inOrder(config.projects, async ({ project: key }): Promise<readonly NamedPost[]> => {
      const memory = ledger.memory.project(key);
      if (memory === undefined) return [];
      const ids = [text, ...(text.startsWith(`${key}/`) ? [text.slice(key.length + 1)] : [])];
      const posts = ids.map((id) => ({ key, project: memory.id, post: id as PostId }));
      return select(
        posts,
        async ({ project, post }) => (await ledger.rows.row(project, post, now)) !== undefined,
      );
    })
  ).flat();
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
  for (const { project: key } of beside.config.projects) {
    const project = beside.ledger.memory.project(key)?.id;
    if (project === undefined) continue;
    const post = text.startsWith(`${key}/`) ? text.slice(key.length + 1) : text;
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
    const known = await select(config.projects, async ({ project: key }) => {
      const memory = ledger.memory.project(key);
      return (
        memory !== undefined && (await ledger.rows.row(memory.id, text as PostId, beside.now)) !== undefined
      );
    });
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
async function suggestPost({ config, ledger }: Beside, text: string): Promise<string> {
  const near = (
    await inOrder(config.projects, async ({ project: key }) => {
      const memory = ledger.memory.project(key);
      if (memory === undefined) return [];
      const isFull = text.startsWith(`${key}/`);
      const id = isFull ? text.slice(key.length + 1) : text;
      return (await ledger.lookup.postsLike(memory.id, id, mostCandidates))
        .filter((post) => post.startsWith(id) || suggest(id, [post]) !== "")
        .map((post) => (isFull ? `${key}/${post}` : post));
    })
  ).flat();
  const longer = near.find((id) => id.startsWith(text));
  return longer === undefined ? suggest(text, near) : suggest(longer, [longer]);
}

/**
 * The project that a person named.
 *
 * @throws ConfigError when the config has none of that name, or it never ran.
 */
export function findProject({ config, ledger }: Beside, key: string): ProjectId {
  if (!config.projects.some(({ project }) => project === key)) {
    const known = config.projects.map(({ project }) => project).join(", ");
    throw new ConfigError([`The config has no project \`${key}\`. It has: ${known}.`]);
  }
  const memory = ledger.memory.project(key);
  if (memory === undefined)
    throw new ConfigError([`The project \`${key}\` never ran, so nothing of it waits.`]);
  return memory.id;
}
