import { ConfigError, RemoteError } from "../../errors.ts";
import type { Sender } from "../../http/send.ts";
import type { Log } from "../../log.ts";
import type { NoteChange, PostChange, PostId, ProjectId } from "../../model/post.ts";
import type { Clock, Random, ReadBounds, Traffic } from "../../model/surroundings.ts";
import type { Board, ListWishes, PatchOutcome } from "../board.ts";
import { createReader, type Reader } from "./answer/read.ts";
import { createExcerpt, type Excerpt, showAddress } from "./answer/wording.ts";
import { type ListOverrides, listPages } from "./list/list.ts";
import type { PagingLimits } from "./list/paging.ts";
import { classifyPatch } from "./patch.ts";
import { listProjects } from "./projects.ts";

export interface HttpBoardOptions {
  /** Base address, as in the config: it ends with `/api/v1`, with or without a slash. */
  readonly url: string;
  readonly key: string;
  /** Version of boardsync, for the `User-Agent`. */
  readonly version: string;
  /** Carries the requests. */
  readonly sender: Sender;
  /** How often a read is repeated at most. */
  readonly retries: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Covers the secrets of the other side, too, in what is quoted of the board. */
  readonly redact?: (text: string) => string;
  /** What a person set because the board's answers can't be recognised. */
  readonly overrides?: { readonly [name in keyof ListOverrides]?: ListOverrides[name] | undefined };
  readonly limits?: Partial<HttpBoardLimits>;
}

export interface HttpBoardLimits extends PagingLimits {
  /** Of one answer: levels of arrays and objects inside one another. */
  readonly depth: number;
}

const usualLimits: HttpBoardLimits = {
  depth: 64,
  // 100,000 posts may come one at a time.
  pages: 100_000,
  posts: 1_000_000,
  bytes: 256 * 1024 * 1024,
};

/** What the calls of one board share. */
interface BoardConnection extends Omit<HttpBoardOptions, "overrides" | "limits"> {
  readonly base: string;
  /** What every request says of who asks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reader: Reader;
  /** The same without a repetition. */
  readonly asker: Reader;
  readonly overrides: ListOverrides;
  readonly limits: HttpBoardLimits;
  readonly excerpt: Excerpt;
}

/**
 * The board behind its v1 REST API.
 *
 * @throws ConfigError when the key can't be used at all.
 */
export function createHttpBoard(options: HttpBoardOptions): Board & Traffic {
  const connection = connect(options);
  return {
    verifyKey: (bounds) => verifyKey(connection, bounds),
    listProjects(bounds) {
      const first = addressOf(connection, "/projects");
      return askBase(connection, () => listProjects({ ...connection, first, bounds }));
    },
    listPosts: (project, bounds, wishes) => listPosts(connection, project, bounds, wishes),
    patchPost: (project, post, change) => patchPost(connection, project, post, change),
    get requests() {
      return options.sender.requests;
    },
    answers: options.sender.answers,
  };
}

function connect(options: HttpBoardOptions): BoardConnection {
  const { key, version, sender, overrides = {} } = options;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(["The board's key is empty, or holds characters that an HTTP header can't carry."]);
  }
  const url = new URL(options.url);
  const limits = { ...usualLimits, ...options.limits };
  const excerpt = createExcerpt(key, options.redact);
  const headers = {
    authorization: `Bearer ${key}`,
    accept: "application/json",
    "user-agent": `boardsync/${version}`,
  };
  const { depth } = limits;
  const reading = { ...options, send: sender.send, headers, depth, excerpt, firstPauseMs: 500 };
  return {
    ...options,
    base: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    headers,
    reader: createReader(reading),
    asker: createReader({ ...reading, retries: 0 }),
    overrides: { list: overrides.list ?? {}, paging: overrides.paging ?? {}, fields: overrides.fields ?? {} },
    limits,
    excerpt,
  };
}

function addressOf(connection: BoardConnection, path: string, project?: ProjectId): URL {
  const url = new URL(`${connection.base}${path}`);
  if (project !== undefined) url.searchParams.set("project", project);
  return url;
}

/**
 * Asks the bare base address. Some servers know it with a slash at its end only, so that is tried before the address is
 * called wrong.
 */
async function verifyKey(connection: BoardConnection, bounds: ReadBounds): Promise<void> {
  await askBase(connection, async () => {
    try {
      await connection.reader.ask(addressOf(connection, ""), bounds);
    } catch (error) {
      const isElsewhere = error instanceof RemoteError && ["missing", "refused"].includes(error.fault);
      if (!isElsewhere) throw error;
      await connection.reader.ask(addressOf(connection, "/"), bounds).catch(() => {
        throw error;
      });
    }
  });
}

/** A board that is not there at all is a wrong address, not a missing thing. */
async function askBase<T>(connection: BoardConnection, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    const message = `There is no feedback board at ${showAddress(new URL(connection.base))} (HTTP 404). Check board.url.`;
    throw new RemoteError("board", "refused", message, { cause: error, detail: "told" });
  }
}

function listPosts(
  connection: BoardConnection,
  project: ProjectId,
  bounds: ReadBounds,
  wishes: ListWishes = { hasNotes: false },
) {
  const first = addressOf(connection, "/feedback", project);
  const { sizeParam, size } = connection.overrides.paging;
  if (sizeParam !== undefined && size !== undefined) first.searchParams.set(sizeParam, String(size));
  return listPages({ ...connection, ...wishes, first, project, bounds });
}

async function patchPost(
  connection: BoardConnection,
  project: ProjectId,
  post: PostId,
  change: PostChange | NoteChange,
): Promise<PatchOutcome> {
  if (post === "." || post === ".." || !post.isWellFormed()) {
    // Dots stand for a folder in every URL parser, also when percent-encoded: such a request would reach another place.
    const message = `A post with the id "${connection.excerpt(post)}" can't be addressed, so nothing was sent.`;
    return { kind: "rejected", status: 0, message };
  }
  const url = addressOf(connection, `/feedback/${encodeURIComponent(post)}`, project);
  const { overrides, limits, excerpt } = connection;
  const reply = await connection.sender.send({
    method: "PATCH",
    url,
    headers: { ...connection.headers, "content-type": "application/json" },
    body: JSON.stringify(change),
  });
  return classifyPatch(reply, {
    post,
    url,
    names: overrides.fields,
    depth: limits.depth,
    excerpt,
    now: connection.clock.now(),
  });
}
