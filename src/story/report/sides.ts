import type { Board, FirstPage } from "../../board/board.ts";
import { ProjectError, RemoteError } from "../../errors.ts";
import { showWay } from "../../model/page.ts";
import type { BoardProject, ProjectId } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { pickProject } from "../../sync/read/identify.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import { lookAtList, type ShownList } from "../posts.ts";
import type { Names } from "./names.ts";

/** What both sides answer, for somebody who must not read what they say. */

/** A side that was asked; `code` where that failed. */
export interface BoardFacts {
  /** `ok`, or why the key or the list of projects failed, such as `board.unauthorized`. */
  readonly access: string;
  /** How many projects the key sees; null where that is not known. */
  readonly projects: number | null;
  /** Of each project of the config; none where the board could not be asked. */
  readonly lists: readonly ListFacts[];
}

/** What the list of a project looks like. */
export interface ListFacts {
  readonly project: string;
  /** `complete`, `cut`, `incomplete`; `stopped` where the look was long enough; or the code of what went wrong. */
  readonly end: string;
  readonly posts: number;
  /** Posts on each of the first pages. */
  readonly pages: readonly number[];
  readonly furtherPages: number;
  /** Path of the list in an answer, name of the id, and how pages follow one another; null where not recognised. */
  readonly items: string | null;
  readonly id: string | null;
  readonly paging: string | null;
  /** The way on that asking for more has found. */
  readonly found: string | null;
  readonly signs: readonly string[];
  readonly headers: readonly string[];
  /** Keys around the list; where nothing was recognised, those that were seen. */
  readonly envelope: readonly string[];
  /** Keys of the records, with the JSON types of their values. */
  readonly keys: readonly { readonly name: string; readonly types: string }[];
  /** Keys that are not listed any more. */
  readonly furtherKeys: number;
  /** Fields of ours that no post shows are not among these. */
  readonly fields: readonly string[];
  readonly statuses: readonly { readonly status: string; readonly posts: number }[];
  /** Records that could not be used. */
  readonly unusable: number;
}

/** Enough to see how a list goes on. */
const mostPages = 20;
const mostShownPages = 5;
const mostKeys = 40;
const mostStatuses = 20;

/** One look at the list of each project, by GET alone. */
export async function lookAtBoard(
  board: Pick<Board, "verifyKey" | "listProjects" | "listPosts">,
  projects: readonly string[],
  names: Names,
  bounds: ReadBounds,
): Promise<BoardFacts> {
  let listed: readonly BoardProject[];
  try {
    await board.verifyKey(bounds);
    listed = await board.listProjects(bounds);
  } catch (error) {
    return { access: codeOf(error), projects: null, lists: [] };
  }
  const lists: ListFacts[] = [];
  for (const key of projects) {
    const found = pickProject(listed, key)?.id;
    lists.push(await lookAtProject(board, found, names.project(key), names, bounds));
  }
  return { access: "ok", projects: listed.length, lists };
}

async function lookAtProject(
  board: Pick<Board, "listPosts">,
  id: ProjectId | undefined,
  project: string,
  names: Names,
  bounds: ReadBounds,
): Promise<ListFacts> {
  if (id === undefined) return tellList(project, nothingShown, "board.project", names);
  const list = await lookAtList(board, id, bounds, mostPages);
  return tellList(project, list, list.fault?.code ?? list.end?.kind ?? "stopped", names);
}

const nothingShown: ShownList = {
  pages: [],
  seen: new Set(),
  statuses: new Map(),
  categories: new Map(),
  shape: undefined,
  first: undefined,
  asked: undefined,
  unusable: [],
  end: undefined,
  fault: undefined,
};

const noFirstPage: FirstPage = { types: [], envelope: [], headers: [], signs: [] };

function tellList(project: string, list: ShownList, end: string, { keys, status }: Names): ListFacts {
  const { pages, shape, asked, fault } = list;
  const { types, envelope, headers, signs } = list.first ?? noFirstPage;
  const records = shape?.keys ?? [];
  const around = shape === undefined ? (fault?.keys ?? []) : envelope;
  const statuses = [...list.statuses].toSorted(([, one], [, other]) => other - one);
  return {
    project,
    end,
    posts: pages.reduce((sum, one) => sum + one, 0),
    pages: pages.slice(0, mostShownPages),
    furtherPages: Math.max(0, pages.length - mostShownPages),
    items: shape === undefined ? null : topLevelOr(shape.items, keys),
    id: shape?.id === undefined ? null : keys(shape.id),
    paging: shape?.paging ?? null,
    found: asked?.way === undefined ? null : showWay(asked.way),
    signs,
    headers,
    envelope: [...new Set(around.slice(0, mostKeys).map(keys))],
    keys: records.slice(0, mostKeys).map((name, index) => ({ name: keys(name), types: types[index] ?? "" })),
    furtherKeys: Math.max(0, records.length - mostKeys),
    fields: [...list.seen],
    statuses: statuses.slice(0, mostStatuses).map(([word, posts]) => ({ status: status(word), posts })),
    unusable: list.unusable.length,
  };
}

/** What the board's adapter calls a list that is the whole answer; it is no key. */
const topLevel = "(top level)";

function topLevelOr(items: string, keys: Names["keys"]): string {
  return items === topLevel ? items : keys(items);
}

/** Whether the account can be read: `ok`, or the code of what went wrong. */
export async function lookAtTracker(tracker: Pick<Tracker, "account">, bounds: ReadBounds): Promise<string> {
  try {
    await tracker.account(bounds);
    return "ok";
  } catch (error) {
    return codeOf(error);
  }
}

/** @throws what is no answer of a side, but a mistake of ours. */
function codeOf(error: unknown): string {
  if (error instanceof RemoteError || error instanceof ProjectError) return error.code;
  throw error;
}
