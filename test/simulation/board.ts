import type {
  Board,
  ListEnd,
  ListShape,
  ListWishes,
  PagePlace,
  PatchOutcome,
  PostPage,
} from "../../src/board/board.ts";
import {
  type NoteChange,
  type PostChange,
  type PostField,
  type PostId,
  type ProjectId,
  postFields,
} from "../../src/model/post.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import type { PostFields } from "../support/sandbox/board/state.ts";
import type { BoardPost, BoardServer } from "./board-server.ts";
import { placesOf } from "./places.ts";
import type { Life } from "./process.ts";
import { pickWeighted } from "./random.ts";
import { boardProjects, projectId, type Scenario } from "./scenario.ts";
import type { Events, PostBefore } from "./watcher.ts";
import { limitEnd, type Wire } from "./wire.ts";

const shape: ListShape = { items: "data", id: "id", paging: "offset", keys: [] };

/** The board as a process reaches it over a bad line. */
export function createSimBoard(
  server: BoardServer,
  wire: Wire,
  events: Events,
  life: Life,
  scenario: Scenario,
): Board {
  let requests = 0;
  const skewMs = (): number => scenario.skewMs;
  const seen = new Set(postFields.filter((field) => !server.traits.hidden.includes(field)));
  const read = async (bounds: ReadBounds): Promise<void> => {
    requests += 1;
    await wire.read(life, "board", bounds, skewMs());
  };
  return {
    get requests() {
      return requests;
    },
    verifyKey: (bounds) => read(bounds),
    async listProjects(bounds) {
      await read(bounds);
      return boardProjects.slice(0, placesOf(scenario).length);
    },
    listPosts: (project, bounds, wishes) =>
      listPosts({ server, wire, events, life, scenario }, project, seen, wishes ?? { hasNotes: false }, () =>
        read(bounds),
      ),
    async patchPost(project, id, change) {
      requests += 1;
      const leftAt = wire.time.now();
      await wire.leave(life);
      const outcome = patch({ server, wire, events, life, scenario, project }, id, change, leftAt);
      await wire.arrive(life);
      return outcome;
    },
  };
}

/** Boards whose last list had a post twice. */
const torn = new WeakSet<BoardServer>();

/** Offset paging: posts that come or go meanwhile shift the rest. */
async function* listPosts(
  line: Line,
  project: ProjectId,
  seen: ReadonlySet<PostField>,
  { hasNotes, known, from }: ListWishes,
  read: () => Promise<void>,
): AsyncGenerator<PostPage> {
  const { server, wire, events } = line;
  const { pageSize } = server.traits;
  const drawn = drawFlaw(wire);
  // A list that is read once more because of ties is not empty all at once: nobody could tell which of the two to believe.
  const flaw = drawn === "empty" && torn.has(server) ? "fine" : drawn;
  torn.delete(server);
  const tie = from === undefined && flaw === "fine" ? drawTie(line) : undefined;
  const shown: PostId[] = [];
  for (let offset = Number(from ?? 0); ; offset += pageSize) {
    const askedAt = wire.time.now();
    const request = `from ${offset}`;
    const trace = hasNotes ? undefined : await known?.find(request);
    try {
      await read();
    } catch (error) {
      events.boardListEnds(shown, "broken", project);
      throw error;
    }
    const all = flaw === "empty" ? [] : server.listed(project);
    const now = showAlike(all, tie, offset, pageSize);
    const posts = now.map((post) => showLate(line, post));
    for (const post of posts) shown.push(post.id);
    events.boardShows(posts, askedAt, project);
    const isLast = offset + pageSize >= all.length;
    const isCutShort = (flaw === "cut" || flaw === "incomplete") && offset > 0;
    const end = isLast || isCutShort ? endOf(flaw) : undefined;
    // One page that is looked at once more is no list.
    const isTied = new Set(shown).size < shown.length;
    if (end !== undefined && from === undefined) {
      if (isTied) torn.add(server);
      if (isTied && tie !== undefined) wire.count("board: list with a post that comes twice");
      // Where posts that came or went meanwhile explain it, the list counts as whole; the program may not have seen that.
      const kind = tie !== undefined ? "incomplete" : end.kind === "complete" ? "torn" : end.kind;
      events.boardListEnds(shown, isTied ? kind : end.kind, project);
    }
    const records = posts.map(({ shown: record }) => record);
    const digest = JSON.stringify(records);
    const isUnchanged = trace?.digest === digest;
    yield {
      posts: isUnchanged ? [] : records,
      ids: records.map(({ id }) => id),
      ...(isUnchanged && { isUnchanged }),
      place: String(offset) as PagePlace,
      trace: { request, digest, etag: undefined, lastModified: undefined, reading: "" },
      ...(hasNotes && { notes: new Map(now.map(showNote)) }),
      seen: posts.length > 0 ? seen : new Set(),
      shape,
      unusable: [],
      end,
    };
    if (end !== undefined) break;
  }
  if (flaw === "fine") {
    for (const post of server.posts) if (post.project === project && post.hiddenFor > 0) post.hiddenFor -= 1;
  }
}

/**
 * The page, counted from 0, on which a list shows the first post of the page before in place of its own first one. If it were the
 * last one, a post that comes to the head at the same time would explain it.
 */
function drawTie({ server, wire: { weather }, scenario: { quirks } }: Line): number | undefined {
  if (quirks?.hasTies !== true || server.traits.pageSize < 2) return undefined;
  if (!weather.hasLatency || !weather.random.chance(0.4)) return undefined;
  return weather.random.between(1, 2);
}

/** A page of a list whose order has ties: each page is a question of its own. */
function showAlike(
  all: readonly BoardPost[],
  tie: number | undefined,
  offset: number,
  pageSize: number,
): readonly BoardPost[] {
  const [first, ...rest] = all.slice(offset, offset + pageSize);
  const before = all[offset - pageSize];
  if (first === undefined) return [];
  const isTied = tie !== undefined && offset === tie * pageSize && before !== undefined;
  return [isTied ? before : first, ...rest];
}

/** A post as one of the board's copies shows it: perhaps one that has not heard of our last write yet. */
function showLate({ wire, scenario: { quirks } }: Line, post: BoardPost): BoardPost {
  const { before } = post;
  if (quirks?.hasLateLists !== true || before === undefined || before.until <= wire.time.now()) return post;
  if (wire.weather.random.chance(0.5)) return post;
  wire.count("board: post before our write");
  const { values, shown, touched } = before;
  return { ...post, values, shown, touched, isLate: true };
}

function showNote(post: BoardPost): readonly [PostId, string] {
  post.shownNote = post.note;
  return [post.id, post.note];
}

export type Flaw = "fine" | "empty" | "cut" | "incomplete";

export function drawFlaw(wire: Wire): Flaw {
  const { random, faultRate } = wire.weather;
  if (!random.chance(faultRate / 5)) return "fine";
  const flaw = pickWeighted(random, { empty: 1, cut: 2, incomplete: 3 });
  wire.count(`board: list ${flaw}`);
  return flaw;
}

function endOf(flaw: Flaw): ListEnd {
  switch (flaw) {
    case "fine":
    case "empty":
      return { kind: "complete" };
    case "cut":
      return { kind: "cut", message: "One page without any sign of paging." };
    case "incomplete":
      return { kind: "incomplete", message: "The pages contradict themselves." };
  }
}

interface Line {
  readonly server: BoardServer;
  readonly wire: Wire;
  readonly events: Events;
  readonly life: Life;
  readonly scenario: Scenario;
  /** The project that a PATCH names; left out for the first. */
  readonly project?: ProjectId;
}

/** One PATCH, and what the program gets to know of it. */
export function patch(
  line: Line,
  id: PostId,
  change: PostChange | NoteChange,
  leftAt: number,
  fate = drawPatchFate(line),
): PatchOutcome {
  const { server, wire, events, life, scenario, project = projectId } = line;
  const post = server.find(id, project);
  const shown = post?.shownNote ?? "";
  const isTaken = fate === "fine" || fate === "answer lost" || fate === "late";
  const isHeard = isTaken && post !== undefined && !isRefused(server, change);
  const besideMs = wire.moved(scenario.policy.concurrency - 1, leftAt);
  events.patchLeaves({ life, project, post: id, change, leftAt, besideMs, isHeard });
  if (fate !== "fine") wire.count(`board: PATCH ${fate}`);
  const take = (): void => {
    if (post === undefined || isRefused(server, change)) return;
    if (server.find(id, project) !== post) {
      events.patchComesTooLate(id, leftAt);
      return;
    }
    if ("internalNote" in change) {
      server.patch(post, change);
      events.noteIsWritten({
        post: id,
        note: post.note,
        shown,
        isAnswered: fate === "fine",
        isLate: fate === "late",
      });
      return;
    }
    const { shown: shownBefore } = post;
    const before: PostBefore = {
      values: post.values,
      touched: new Map(post.touched),
      leftAt,
      isAnswered: fate === "fine",
    };
    const changed = server.patch(post, fieldsOf(change));
    // It is in every list within the wait, counted from its departure.
    post.before = {
      ...{ values: before.values, touched: before.touched, shown: shownBefore },
      until: leftAt + scenario.policy.waits.patchMs * 0.9,
    };
    events.patchTakesEffect(post, change, before, changed);
  };
  switch (fate) {
    case "fine":
      return answer(line, id, change, take);
    case "unsent":
      return { kind: "unsent", message: "The connection was refused." };
    case "unauthorized":
      return { kind: "unauthorized", message: "The key is not accepted." };
    case "limited": {
      const now = wire.time.now() + line.scenario.skewMs;
      const retryAt = limitEnd(wire, wire.outage("board"), now, line.scenario.skewMs);
      return { kind: "limited", retryAt, message: "Too many requests." };
    }
    case "lost":
      return { kind: "unknown", message: "The connection was reset." };
    case "answer lost":
      take();
      return { kind: "unknown", message: "HTTP 502." };
    case "late":
      wire.time.at(wire.time.now() + delayOf(line), take);
      return { kind: "unknown", message: "No answer in time." };
  }
}

function answer(
  { server, events, project = projectId }: Line,
  id: PostId,
  change: PostChange | NoteChange,
  take: () => void,
): PatchOutcome {
  const post = server.find(id, project);
  if (post === undefined) {
    events.patchFindsNoPost(id, project);
    return { kind: "missing", message: "There is no such post." };
  }
  if (isRefused(server, change))
    return { kind: "rejected", status: 400, message: "This status is not known here." };
  take();
  return { kind: "applied", post: server.traits.answers === "record" ? post.shown : undefined };
}

function isRefused(server: BoardServer, change: PostChange | NoteChange): boolean {
  return !("internalNote" in change) && server.refuses(fieldsOf(change));
}

/** The board takes what is there; what may be sent is the adapter's own test. */
function fieldsOf(change: PostChange): PostFields {
  return change as PostFields;
}

/** A request that we gave up on takes effect within the wait, or never. */
function delayOf({ wire, scenario }: Line): number {
  return wire.weather.random.between(1, scenario.policy.waits.patchMs - 1);
}

export type PatchFate = "fine" | "unsent" | "unauthorized" | "limited" | "lost" | "answer lost" | "late";

export function drawPatchFate({ wire }: Pick<Line, "wire">): PatchFate {
  const { random, faultRate } = wire.weather;
  const outage = wire.outage("board");
  if (outage !== undefined) {
    if (outage.fault !== "unreachable") return outage.fault;
    return random.chance(0.5) ? "unsent" : "lost";
  }
  // A history has few of them, so they meet more than their share.
  if (!random.chance(Math.min(0.8, faultRate * 2))) return "fine";
  return pickWeighted(random, {
    unsent: 2,
    unauthorized: 1,
    limited: 1,
    lost: 3,
    "answer lost": 4,
    late: 4,
  });
}
