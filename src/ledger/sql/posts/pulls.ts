import type { RepositoryId } from "../../../model/issue.ts";
import type { Post, PostField, PullMeasure } from "../../../model/post.ts";
import type { PullId, Pulls } from "../../pulls.ts";
import { encodePost, hashFacts } from "../columns/facts.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import type { IssueStore } from "../issues/issue-store.ts";
import { createNamesakeMarker } from "../issues/links.ts";
import { createMarkers, createNaming } from "../issues/markers.ts";
import { createOtherMarks } from "../issues/other-marks.ts";
import { into, markedDue, type Statements, sql } from "../statements.ts";
import { type Asked, answer, numberOf, type Plain } from "../store.ts";
import { createPages } from "./pages.ts";
import { type OpenPull, openPull, type Sightings } from "./sightings.ts";

/** What was read, stored page by page. */
export function createPulls(on: Queries, sightings: Sightings, issues: IssueStore) {
  const { run, get, all, numbers } = on;
  const storePosts = createPostWriter(on);
  const countMissing = createMissingCounter(on);
  const pages = createPages(on);
  /**
   * Notes that these posts have been seen, until the transaction is rolled back: then what the pull knows is what it knew before,
   * and it lacks a page.
   */
  const seeUntilRollback = (
    open: OpenPull,
    posts: readonly number[],
  ): ((post: number, at: number) => void) => {
    const { seen, pages: known } = open;
    const before = { ...known, met: known.met.length, waiting: [...known.waiting] };
    const fresh: number[] = [];
    on.onRollback((isOver) => {
      for (const number of posts) sightings.seenAt.delete(number);
      for (const number of fresh) seen.delete(number);
      open.isBroken ||= isOver;
      known.read = before.read;
      known.offered = before.offered;
      // Those that it has met are forgotten with it.
      if (!isOver) known.met.length = before.met;
      known.waiting.splice(0, known.waiting.length, ...(isOver ? [] : before.waiting));
    });
    return (post, at) => {
      if (!seen.has(post)) fresh.push(post);
      seen.add(post);
      sightings.seenAt.set(post, at);
    };
  };
  const markers = createMarkers(on);
  const naming = createNaming(on);
  const otherMarks = createOtherMarks(on);
  return {
    ...naming,
    ...otherMarks,
    begin: (id, number, at) =>
      on.transaction(function* () {
        const project = yield* numbers.project(id);
        // Nobody asks for a pull before the last one that saw the board.
        yield* run`
          DELETE FROM pulls WHERE project = ${project} AND number <
            (SELECT max(number) FROM pulls WHERE project = ${project} AND kind IN ('complete', 'usable'))`;
        const begun = yield* get<{ number: number }>`
          INSERT INTO pulls (project, run, began_at) VALUES (${project}, ${number}, ${at}) RETURNING number`;
        const pull = numberOf<PullId>(begun);
        sightings.pulls.set(pull, openPull(pull, project, number));
        on.onRollback(() => sightings.pulls.delete(pull));
        return pull;
      }),
    *knownPage(pull, request) {
      return yield* pages.find(findOpen(sightings, pull), request);
    },
    *measure(pull) {
      const { project, seen } = findOpen(sightings, pull);
      const found = yield* get<NumbersInText>`
        SELECT string_agg(CAST(post AS TEXT), ',') AS posts
        FROM (SELECT DISTINCT post FROM links JOIN posts ON posts.number = post
          WHERE links.project = ${project} AND missing = 0) AS linked`;
      const linked = readNumbers(found);
      const measure: PullMeasure = {
        posts: seen.size,
        linked: linked.length,
        linkedSeen: linked.filter((post) => seen.has(post)).length,
      };
      return measure;
    },
    marked: markers.marked,
    listed: issues.listed,
    marks: markers.marks,
    *linkedIssues(repositoryId: RepositoryId) {
      const found = yield* all<{ number: number }>`
        SELECT DISTINCT number FROM links WHERE repository = ${repositoryId} ORDER BY number`;
      return found.map(({ number }) => ({ repositoryId, number }));
    },
    changes: {
      *"store-posts"({ pull, posts, at, trace }) {
        const open = findOpen(sightings, pull);
        const stored: number[] = [];
        const see = seeUntilRollback(open, stored);
        const page = pages.next(open);
        let toldBy = 0;
        for (const known of yield* storePosts(open.project, posts, at, page)) {
          stored.push(known.number);
          toldBy = Math.max(toldBy, known.page);
          see(known.number, at);
        }
        if (trace !== undefined) yield* pages.keep(open, trace, page, stored, toldBy);
      },
      "see-page": ({ pull, trace, at }) =>
        answer(() => {
          const open = findOpen(sightings, pull);
          const posts: number[] = [];
          const see = seeUntilRollback(open, posts);
          posts.push(...pages.meet(open, trace));
          for (const post of posts) see(post, at);
        }),
      *"end-pull"({ pull, end, at }) {
        const open = findOpen(sightings, pull);
        if (open.isBroken && end !== "incomplete")
          throw new Error(`Pull ${pull} lost a page: it can only be incomplete.`);
        yield* run`
          UPDATE pulls SET kind = ${end}, ended_at = ${at}, posts = ${open.seen.size} WHERE number = ${pull}`;
        if (end === "complete") yield* countMissing(open, at);
        yield* pages.end(open, end !== "incomplete");
        sightings.pulls.delete(pull);
        on.onRollback(() => sightings.pulls.set(pull, open));
      },
      *"store-issues"({ issues: found, marked }) {
        const dead = yield* issues.tombstones(marked.map(({ issue }) => issue));
        for (const [index, one] of marked.entries()) if (dead[index] !== true) yield* markers.store(one);
        yield* issues.storeKept(found);
      },
      ...naming.changes,
      ...otherMarks.changes,
    },
  } satisfies Plain<Pulls> & Carrying;
}

function findOpen(sightings: Sightings, pull: PullId): OpenPull {
  const open = sightings.pulls.get(pull);
  if (open === undefined) throw new Error(`Pull ${pull} is not open.`);
  return open;
}

interface KnownPost {
  id: string;
  number: number;
  hash?: string;
  missing: number;
  seenAt?: number;
  /** The page that told what is stored of it. */
  page: number;
}

/** A post as it stands after it was stored. */
type StoredPost = Pick<KnownPost, "number" | "page">;

/** Stores the posts that a page shows. Those that are as they were cost one look-up for all, and no write. */
function createPostWriter(
  on: Statements,
): (project: number, posts: readonly Post[], at: number, page: number) => Asked<readonly StoredPost[]> {
  const { run, all, upsert } = on;
  return function* (project, posts, at, page) {
    // The database knows no halves of characters: as it keeps the id, it is found again.
    const ids = posts.map(({ id }) => id.toWellFormed());
    const find = (some: readonly string[]) => all<KnownPost>`
      SELECT posts.number AS number, posts.id AS id, hash, missing, seen_at, page
      FROM posts WHERE project = ${project} AND id IN (SELECT one.value FROM EACH TEXT ${some} AS one)`;
    const knownPosts = new Map<string, KnownPost>((yield* find(ids)).map((one) => [one.id, one]));
    const shown = posts.map((post, index) => {
      const facts = encodePost(post);
      const id = ids[index] ?? "";
      return { id, post, facts, hash: hashFacts(facts), isFresh: !knownPosts.has(id) };
    });
    const fresh = shown.filter(({ isFresh }) => isFresh);
    for (const { id, hash } of fresh)
      yield* run`
        ${into("posts", { project, id, hash, seenAt: at, dueAt: 0, page, listedSince: at })}
        ON CONFLICT (project, id) DO NOTHING`;
    if (fresh.length > 0)
      for (const one of yield* find(fresh.map(({ id }) => id))) knownPosts.set(one.id, one);
    const stored: StoredPost[] = [];
    for (const { id, post, facts, hash, isFresh } of shown) {
      const known = knownPosts.get(id);
      if (known === undefined) throw new Error(`Post ${post.id} was not inserted.`);
      const { number } = known;
      const isFirstLook = known.missing > 0 || known.seenAt === undefined;
      const isChanged = known.hash !== hash;
      if (isChanged || isFresh) yield* upsert("post_facts", ["post"], toFacts(number, post, facts));
      if (!isChanged && !isFirstLook) {
        stored.push({ number, page: known.page });
        continue;
      }
      yield* run`
        UPDATE posts SET listed_since = CASE WHEN missing > 0 OR hash IS NULL THEN ${at} ELSE listed_since END,
          hash = ${hash}, seen_at = ${at}, missing = 0, ${markedDue}, page = ${page} WHERE number = ${number}`;
      stored.push({ number, page });
      knownPosts.set(id, { ...known, hash, missing: 0, seenAt: at, page });
    }
    return stored;
  };
}

function toFacts(post: number, { values }: Post, facts: string) {
  const text = (field: PostField): string | undefined => {
    const value = values[field];
    return typeof value === "string" ? value : undefined;
  };
  const { votes } = values;
  return {
    post,
    status: text("status"),
    category: text("categoryId"),
    title: text("title"),
    url: text("url"),
    votes: Number.isSafeInteger(votes) ? votes : undefined,
    facts,
  };
}

/** Absence counts once a run, and the second time is enough. What only a 404 has told (no run yet) begins with the first. */
function createMissingCounter(on: Statements): (pull: OpenPull, at: number) => Asked<void> {
  const { get, all } = on;
  const markNamesakes = createNamesakeMarker(on);
  return function* ({ project, run, seen }, at) {
    const present = sql`FROM posts WHERE project = ${project} AND hash IS NOT NULL AND missing < 2`;
    // What was seen is present: where that is as many, nothing else is.
    const counted = yield* get<{ posts: number }>`SELECT count(*) AS posts ${present}`;
    if (counted?.posts === seen.size) return;
    const found = yield* get<NumbersInText>`SELECT string_agg(CAST(number AS TEXT), ',') AS posts ${present}`;
    const missed = readNumbers(found).filter((number) => !seen.has(number));
    const changed = yield* all<{ number: number }>`
      UPDATE posts SET missing = CASE WHEN missing = 1 AND missing_run IS NULL THEN 1 ELSE missing + 1 END,
        missing_run = ${run}, ${markedDue},
        missing_since = CASE WHEN missing = 0 THEN ${at} ELSE coalesce(missing_since, ${at}) END
      WHERE number IN (SELECT one.value FROM EACH NUMBER ${missed} AS one) AND missing_run IS DISTINCT FROM ${run}
      RETURNING number`;
    const numbers = changed.map((one) => one.number);
    yield* markNamesakes(sql`here.number IN (SELECT one.value FROM EACH NUMBER ${numbers} AS one)`);
  };
}

/** Numbers come as one text: an object for each of 100,000 rows would cost more than the query. */
interface NumbersInText {
  readonly posts?: string;
}

function readNumbers(found: NumbersInText | undefined): readonly number[] {
  return JSON.parse(`[${found?.posts ?? ""}]`);
}
