import { ConfigError, RemoteError } from "../../errors.ts";
import type { Patience } from "../../http/repeat.ts";
import type { Sender } from "../../http/send.ts";
import type { ProjectId } from "../../model/post.ts";
import type { ReadBounds, Traffic } from "../../model/surroundings.ts";
import type { Board } from "../board.ts";
import { createReader, type Reader } from "./answer/read.ts";
import { createExcerpt, showAddress } from "./answer/wording.ts";
import { listPages } from "./list/list.ts";
import type { ListOverrides } from "./list/page.ts";
import type { PagingLimits } from "./list/paging.ts";
import { classifyPatch } from "./patch.ts";
import { listProjects } from "./projects.ts";

/** How a service of the board is asked. */
export interface BoardAccess extends Omit<Patience, "firstPauseMs"> {
  readonly url: string;
  readonly key: string;
  /** Version of boardsync, for the `User-Agent`. */
  readonly version: string;
  /** Carries the requests. */
  readonly sender: Sender;
  /** Covers the secrets of the other side, too, in what is quoted of the answers. */
  readonly redact?: (text: string) => string;
}

/** How its REST API is asked. `url` is the base address, as in the config: it ends with `/api/v1`, with or without a slash. */
export interface HttpBoardOptions extends BoardAccess {
  /** What a person set because the board's answers can't be recognised. */
  readonly overrides?: { readonly [name in keyof ListOverrides]?: ListOverrides[name] | undefined };
  readonly limits?: Partial<PagingLimits>;
}

const usualLimits: PagingLimits = {
  // 100,000 posts may come one at a time.
  pages: 100_000,
  posts: 1_000_000,
  bytes: 256 * 1024 * 1024,
};

/** The board behind its v1 REST API. @throws ConfigError when the key can't be used at all. */
export function createHttpBoard(options: HttpBoardOptions): Board & Traffic {
  const { key, version, sender, clock, overrides: given = {} } = options;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError(["The board's key is empty, or holds characters that an HTTP header can't carry."]);
  }
  const { origin, pathname } = new URL(options.url);
  const base = `${origin}${pathname.replace(/\/+$/, "")}`;
  const limits = { ...usualLimits, ...options.limits };
  const excerpt = createExcerpt(key, options.redact);
  const headers = {
    authorization: `Bearer ${key}`,
    accept: "application/json",
    "user-agent": `boardsync/${version}`,
  };
  const reading = { ...options, send: sender.send, headers, excerpt, firstPauseMs: 500 };
  const reader = createReader(reading);
  const overrides = { list: given.list ?? {}, paging: given.paging ?? {}, fields: given.fields ?? {} };
  const listing = {
    reader,
    asker: createReader({ ...reading, retries: 0 }),
    overrides,
    limits,
    excerpt,
    log: options.log,
    version,
    key,
  };
  const addressOf = (path: string, project?: ProjectId): URL => {
    const url = new URL(`${base}${path}`);
    if (project !== undefined) url.searchParams.set("project", project);
    return url;
  };
  return {
    verifyKey: (bounds) => askBase(base, () => verifyKey(reader, addressOf, bounds)),
    listProjects: (bounds) => askBase(base, () => listProjects(addressOf("/projects"), bounds, listing)),
    listPosts(project, bounds, wishes = { hasNotes: false }) {
      const first = addressOf("/feedback", project);
      const { sizeParam, size } = overrides.paging;
      if (sizeParam !== undefined && size !== undefined) first.searchParams.set(sizeParam, String(size));
      return listPages({ ...listing, ...wishes, first, project, bounds });
    },
    async patchPost(project, post, change) {
      if (post === "." || post === ".." || !post.isWellFormed()) {
        // Dots stand for a folder in every URL parser, also when percent-encoded: such a request would reach another place.
        const message = `A post with the id "${excerpt(post)}" can't be addressed, so nothing was sent.`;
        return { kind: "rejected", status: 0, message };
      }
      const url = addressOf(`/feedback/${encodeURIComponent(post)}`, project);
      const asked = { url, headers: { ...headers, "content-type": "application/json" } };
      const reply = await sender.send({ method: "PATCH", ...asked, body: JSON.stringify(change) });
      return classifyPatch(reply, { post, url, names: overrides.fields, excerpt, now: clock.now() });
    },
    get requests() {
      return sender.requests;
    },
    answers: sender.answers,
  };
}

/**
 * Asks the bare base address. Some servers know it with a slash at its end only, so that is tried before the address is
 * called wrong.
 */
async function verifyKey(
  reader: Reader,
  addressOf: (path: string) => URL,
  bounds: ReadBounds,
): Promise<void> {
  try {
    await reader.ask(addressOf(""), bounds);
  } catch (error) {
    const isElsewhere = error instanceof RemoteError && ["missing", "refused"].includes(error.fault);
    if (!isElsewhere) throw error;
    await reader.ask(addressOf("/"), bounds).catch(() => {
      throw error;
    });
  }
}

/** A board that is not there at all is a wrong address, not a missing thing. */
async function askBase<T>(base: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    const message = `There is no feedback board at ${showAddress(new URL(base))} (HTTP 404). Check board.url.`;
    throw new RemoteError("board", "refused", message, { cause: error, detail: "told" });
  }
}
