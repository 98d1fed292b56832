import { createHash } from "node:crypto";
import { RemoteError } from "../../src/errors.ts";
import type { PostChange, PostId } from "../../src/model/post.ts";
import { drawPatchFate, patch } from "./board.ts";
import type { BoardPost } from "./board-server.ts";
import { limit, refuse, showLostWrite, showReadFault, whole } from "./http-faults.ts";
import type { BoardPaging, Passage } from "./http-passage.ts";
import type { Answer, Reply, Request } from "./http-server.ts";
import { projectId, projectKey } from "./scenario.ts";

/** The board's HTTP face: what a process gets for a request over the same bad line. */
export async function answerBoard(passage: Passage, request: Request): Promise<Reply> {
  return request.method === "PATCH" ? answerPatch(passage, request) : answerRead(passage, request);
}

async function answerRead(passage: Passage, request: Request): Promise<Reply> {
  const { wire, life, events, scenario } = passage.surroundings;
  const askedAt = wire.time.now();
  try {
    await wire.read(life, "board", passage.bounds, scenario.skewMs);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return showReadFault(passage.surroundings, error, () => read(passage, request).answer);
  }
  const { answer, shown } = read(passage, request);
  if (shown !== undefined) {
    for (const post of shown) post.shownNote = post.note;
    events.boardShows(shown, askedAt);
    for (const { id } of shown) passage.shown.push(id);
  }
  return whole(answer);
}

interface Read {
  readonly answer: Answer;
  /** The posts of a page; undefined where it is none. */
  readonly shown?: readonly BoardPost[];
}

function read(passage: Passage, { path, query, headers }: Request): Read {
  if (path === "/") return { answer: { status: 200, body: { ok: true } } };
  if (path === "/projects") {
    return {
      answer: { status: 200, body: { projects: [{ id: projectId, slug: projectKey, name: "Acme" }] } },
    };
  }
  const isList = path === "/feedback" && query.get("project") === projectId;
  return isList
    ? tag(passage, list(passage, query), headers["if-none-match"])
    : { answer: refuse("board", 404, "There is nothing here.") };
}

/** With its entity tag, or only that where it is the one that was asked for. */
function tag({ manners }: Passage, { answer, shown }: Read, known: string | undefined): Read {
  if (!manners.hasTags) return { answer, ...(shown && { shown }) };
  const etag = `"${createHash("sha256").update(JSON.stringify(answer)).digest("hex")}"`;
  const headers = { ...answer.headers, etag };
  return {
    answer: known === etag ? { status: 304, headers } : { ...answer, headers },
    ...(shown && { shown }),
  };
}

/**
 * One page of the list. A cut one breaks off after two pages and has a record without an id in it; an incomplete one promises
 * more, and shows its first page again.
 */
function list(passage: Passage, query: URLSearchParams): Read {
  const { board } = passage.surroundings;
  const { pageSize } = board.traits;
  const start = startOf(query, pageSize);
  const listed = passage.flaw === "empty" ? [] : board.listed();
  // Beside no other record a nameless one is no sign of anything.
  if (passage.flaw === "cut" && start === 0 && listed.length === 0) passage.flaw = "fine";
  const { flaw, manners } = passage;
  const posts = flaw === "cut" ? listed.slice(0, 2 * pageSize) : listed;
  const first = flaw === "incomplete" && start > 0 ? 0 : start;
  const shown = posts.slice(first, first + pageSize);
  const records: object[] = shown.map(recordOf(board.show));
  if (flaw === "cut" && start + pageSize >= posts.length) records.push({ title: "A record without an id" });
  const total = flaw === "incomplete" ? start + 2 * pageSize : posts.length;
  const { signals, headers } = tellOfPages(manners.paging, start, pageSize, total);
  return { answer: { status: 200, headers, body: { feedback: records, ...signals } }, shown };
}

function startOf(query: URLSearchParams, pageSize: number): number {
  const page = query.get("page");
  if (page !== null) return (Number(page) - 1) * pageSize;
  return Number(query.get("offset") ?? query.get("cursor") ?? 0);
}

function tellOfPages(
  paging: BoardPaging,
  start: number,
  size: number,
  total: number,
): { readonly signals: object; readonly headers: Readonly<Record<string, string>> } {
  const next = start + size < total ? start + size : undefined;
  switch (paging) {
    case "offset":
      return { signals: { offset: start, hasMore: next !== undefined }, headers: {} };
    case "page":
      return { signals: { page: start / size + 1, totalPages: Math.ceil(total / size) }, headers: {} };
    case "cursor":
      return { signals: { nextCursor: next === undefined ? null : String(next) }, headers: {} };
    case "link": {
      const links = [`</api/v1/feedback>; rel="first"`];
      if (next !== undefined) links.push(`</api/v1/feedback?cursor=${next}>; rel="next"`);
      return { signals: {}, headers: { link: links.join(", ") } };
    }
  }
}

type Show = Passage["surroundings"]["board"]["show"];

function recordOf(show: Show): (post: BoardPost) => object {
  return (post) => {
    const { id, values } = show(post);
    return { id, ...values, internalNote: post.note };
  };
}

async function answerPatch({ surroundings }: Passage, { path, query, body }: Request): Promise<Reply> {
  const { wire, life, board } = surroundings;
  const id = decodeURIComponent(path.slice("/feedback/".length)) as PostId;
  if (query.get("project") !== projectId) surroundings.violate("no bug", `a PATCH of ${id} names no project`);
  const leftAt = wire.time.now();
  await wire.leave(life);
  const line = { ...surroundings, server: board };
  const fate = drawPatchFate(line);
  // The board takes what is there; what may be sent is the adapter's own test.
  const outcome = patch(line, id, body as PostChange, leftAt, fate);
  await wire.arrive(life);
  const post = board.find(id);
  const right = (): Answer =>
    board.traits.answers === "record" && post !== undefined
      ? { status: 200, body: recordOf(board.show)(post) }
      : { status: 204 };
  switch (outcome.kind) {
    case "applied":
      return whole(right());
    case "rejected":
      return whole(refuse("board", outcome.status, outcome.message));
    case "missing":
      return whole(refuse("board", 404, outcome.message));
    case "unauthorized":
      return whole(refuse("board", 401, outcome.message));
    case "limited":
      return whole(limit(surroundings, "board", outcome.retryAt ?? 0));
    case "unsent":
    case "unknown":
      return showLostWrite(fate, wire.weather.random, right);
  }
}
