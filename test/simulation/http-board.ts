import { RemoteError } from "../../src/errors.ts";
import type { PostChange, PostId } from "../../src/model/post.ts";
import { answerConditionally, answerPage, type Cut, cutPage } from "../support/sandbox/board/list.ts";
import { type BoardStyle, type PagingStyle, showRecord } from "../support/sandbox/board/style.ts";
import type { Answer, Reply } from "../support/sandbox/loopback/loopback.ts";
import { drawPatchFate, type Flaw, patch } from "./board.ts";
import { type BoardPost, boardAddress } from "./board-server.ts";
import { limit, refuse, showLostWrite, showReadFault, whole } from "./http-faults.ts";
import type { BoardPaging, Passage } from "./http-passage.ts";
import type { Request } from "./http-server.ts";
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
    events.boardShows(shown, askedAt, projectId);
    for (const { id } of shown) passage.shown.push(id);
  }
  return whole(answer);
}

interface Read {
  readonly answer: Answer;
  /** The posts of a page; undefined where it is none. */
  readonly shown?: readonly BoardPost[];
}

function read(passage: Passage, request: Request): Read {
  const { path, query } = request;
  if (path === "/") return { answer: { status: 200, body: { ok: true } } };
  if (path === "/projects") {
    return {
      answer: { status: 200, body: { projects: [{ id: projectId, slug: projectKey, name: "Acme" }] } },
    };
  }
  const isList = path === "/feedback" && query.get("project") === projectId;
  return isList ? list(passage, request) : { answer: refuse("board", 404, "There is nothing here.") };
}

/**
 * One page of the list. A cut one breaks off after two pages and has a record without an id in it; an incomplete one promises
 * more, and shows its first page again.
 */
function list(passage: Passage, { path, query, headers }: Request): Read {
  const { board, wire } = passage.surroundings;
  const style = styleOf(passage);
  const listed = passage.flaw === "empty" ? [] : board.listed();
  const asked = new URL(`${boardAddress}${path}?${query}`);
  const whole = cutPage(listed.map(board.stored), asked, style);
  const { start, size } = whole;
  // Beside no other record a nameless one is no sign of anything.
  if (passage.flaw === "cut" && start === 0 && listed.length === 0) passage.flaw = "fine";
  const { flaw } = passage;
  const total = totalOf(flaw, whole);
  const cut = { ...whole, total, end: Math.min(start + size, total) };
  const first = flaw === "incomplete" ? 0 : start;
  const shown = listed.slice(first, first + cut.end - start);
  const records = shown.map((post) => showRecord(board.stored(post), style, boardAddress));
  if (flaw === "cut" && cut.end >= cut.total) records.push({ title: "A record without an id" });
  const page = answerPage(records, cut, style);
  const known = { headers: { "if-none-match": headers["if-none-match"] ?? "" }, now: wire.time.now() };
  return { answer: answerConditionally(page, [], style, known), shown };
}

/** How long the board makes its list look. */
function totalOf(flaw: Flaw, { start, size, total }: Cut): number {
  if (flaw === "incomplete") return start + 2 * size;
  return flaw === "cut" ? Math.min(total, 2 * size) : total;
}

const pagings: Readonly<Record<BoardPaging, PagingStyle>> = {
  offset: { kind: "offset", told: "hasMore" },
  page: { kind: "page" },
  cursor: { kind: "cursor" },
  link: { kind: "link", form: "relative" },
};

function styleOf({ surroundings, manners }: Passage): BoardStyle {
  const validators = manners.hasTags ? "etag" : "none";
  return { ...surroundings.board.style, paging: pagings[manners.paging], validators };
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
      ? { status: 200, body: showRecord(board.stored(post), board.style, boardAddress) }
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
