import type { RepositoryId } from "../../../model/issue.ts";
import type { Post, PostField, PullMeasure } from "../../../model/post.ts";
import type { PullChange } from "../../change.ts";
import type { PullId, Pulls } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import { encodePost, hashFacts } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { IssueStore } from "../issues/issue-store.ts";
import { prepareNamesakes } from "../issues/links.ts";
import { createMarkers, createNaming } from "../issues/markers.ts";
import { createOtherMarks } from "../issues/other-marks.ts";
import { markedDue, upsert } from "../schema.ts";
import { type Asked, answer, numberOf, type Plain, type Store } from "../store.ts";
import { createPages } from "./pages.ts";
import { type OpenPull, openPull, type Sightings } from "./sightings.ts";

/** What was read, stored page by page. */
export function createPulls(
  store: Store,
  numbers: Numbers,
  sightings: Sightings,
  issues: IssueStore,
): Plain<Pulls> &
  Carrying<
    PullChange["kind"] | "store-issues" | "store-naming" | "store-other-marks" | "accept-other-marks"
  > {
  const insertPull = store.prepare<[{ project: number; run: number; at: number }], { number: number }>(
    "INSERT INTO pulls (project, run, began_at) VALUES (@project, @run, @at) RETURNING number",
  );
  const deleteOlder = store.prepare<[{ project: number }]>(`
    DELETE FROM pulls WHERE project = @project AND number <
      (SELECT max(number) FROM pulls WHERE project = @project AND kind IN ('complete', 'usable'))`);
  const writeEnd = store.prepare<[{ pull: number; kind: string; at: number; posts: number }]>(
    "UPDATE pulls SET kind = @kind, ended_at = @at, posts = @posts WHERE number = @pull",
  );
  const selectLinked = store.prepare<[number], { posts: string | null }>(`
    SELECT string_agg(CAST(post AS TEXT), ',') AS posts
    FROM (SELECT DISTINCT post FROM links JOIN posts ON posts.number = post
      WHERE links.project = ? AND missing = 0) AS linked`);
  const selectLinkedIssues = store.prepare<[number], { number: number }>(
    "SELECT DISTINCT number FROM links WHERE repository = ? ORDER BY number",
  );
  const storePosts = createPostWriter(store);
  const countMissing = createMissingCounter(store);
  const pages = createPages(store);
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
    store.onRollback((isOver) => {
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
  const markers = createMarkers(store, numbers);
  const naming = createNaming(store);
  const otherMarks = createOtherMarks(store, numbers);
  return {
    ...naming,
    ...otherMarks,
    begin: (project, run, at) =>
      store.transaction(function* () {
        const number = yield* numbers.project(project);
        // Nobody asks for a pull before the last one that saw the board.
        yield* deleteOlder.run({ project: number });
        const pull = numberOf<PullId>(yield* insertPull.get({ project: number, run, at }));
        sightings.pulls.set(pull, openPull(pull, number, run));
        store.onRollback(() => sightings.pulls.delete(pull));
        return pull;
      }),
    *knownPage(pull, request) {
      return yield* pages.find(findOpen(sightings, pull), request);
    },
    *measure(pull) {
      const { project, seen } = findOpen(sightings, pull);
      const linked = readNumbers(yield* selectLinked.get(project));
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
      return (yield* selectLinkedIssues.all(repositoryId)).map(({ number }) => ({ repositoryId, number }));
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
        if (trace !== undefined) yield* pages.keep(open, trace, { number: page, posts: stored, toldBy });
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
        yield* writeEnd.run({ pull, kind: end, at, posts: open.seen.size });
        if (end === "complete") yield* countMissing(open, at);
        yield* pages.end(open, end !== "incomplete");
        sightings.pulls.delete(pull);
        store.onRollback(() => sightings.pulls.set(pull, open));
      },
      *"store-issues"({ issues: found, marked }) {
        const dead = yield* issues.tombstones(marked.map(({ issue }) => issue));
        for (const [index, one] of marked.entries()) if (dead[index] !== true) yield* markers.store(one);
        yield* issues.storeKept(found);
      },
      ...naming.changes,
      ...otherMarks.changes,
    },
  };
}

function findOpen(sightings: Sightings, pull: PullId): OpenPull {
  const open = sightings.pulls.get(pull);
  if (open === undefined) throw new Error(`Pull ${pull} is not open.`);
  return open;
}

/** A post as it stands after it was stored. */
interface StoredPost {
  readonly number: number;
  /** The page that told what is stored of it. */
  readonly page: number;
}

interface KnownPost {
  id: string;
  number: number;
  hash: string | null;
  missing: number;
  seen_at: number | null;
  page: number;
}

/** Stores the posts that a page shows. Those that are as they were cost one look-up for all, and no write. */
function createPostWriter(
  store: Store,
): (project: number, posts: readonly Post[], at: number, page: number) => Asked<readonly StoredPost[]> {
  const select = store.prepare<[number, string], KnownPost>(`
    SELECT posts.number AS number, posts.id AS id, hash, missing, seen_at, page
    FROM posts WHERE project = ? AND id IN (SELECT one.value FROM EACH TEXT ? AS one)`);
  const insert = store.prepare<[number, string]>(`
    INSERT INTO posts (project, id) SELECT ?, one.value FROM EACH TEXT ? AS one WHERE true
    ON CONFLICT (project, id) DO NOTHING`);
  const update = store.prepare<[{ hash: string; at: number; page: number; number: number }]>(`
    UPDATE posts SET listed_since = CASE WHEN missing > 0 OR hash IS NULL THEN @at ELSE listed_since END,
      hash = @hash, seen_at = @at, missing = 0, ${markedDue}, page = @page WHERE number = @number`);
  const writeFacts = store.prepare<[ReturnType<typeof toFacts>]>(upsert("post_facts", ["post"]));
  return function* (project, posts, at, page) {
    // The database knows no halves of characters: as it keeps the id, it is found again.
    const ids = posts.map(({ id }) => id.toWellFormed());
    const found = yield* select.all(project, JSON.stringify(ids));
    const knownPosts = new Map<string, KnownPost>(found.map((one) => [one.id, one]));
    const fresh = JSON.stringify(ids.filter((id) => !knownPosts.has(id)));
    if (fresh !== "[]") {
      yield* insert.run(project, fresh);
      for (const one of yield* select.all(project, fresh)) knownPosts.set(one.id, one);
    }
    const stored: StoredPost[] = [];
    for (const [index, post] of posts.entries()) {
      const facts = encodePost(post);
      const hash = hashFacts(facts);
      const known = knownPosts.get(ids[index] ?? "");
      if (known === undefined) throw new Error(`Post ${post.id} was not inserted.`);
      const { number } = known;
      const isFirstLook = known.missing > 0 || known.seen_at === null;
      const isChanged = known.hash !== hash;
      if (!isChanged && !isFirstLook) {
        stored.push({ number, page: known.page });
        continue;
      }
      yield* update.run({ hash, at, page, number });
      if (isChanged) yield* writeFacts.run(toFacts(number, post, facts));
      stored.push({ number, page });
      knownPosts.set(known.id, { ...known, number, hash, missing: 0, seen_at: at, page });
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
function createMissingCounter(store: Store): (pull: OpenPull, at: number) => Asked<void> {
  const countPresent = store.prepare<[number], { posts: number }>(
    "SELECT count(*) AS posts FROM posts WHERE project = ? AND hash IS NOT NULL AND missing < 2",
  );
  const selectPresent = store.prepare<[number], { posts: string | null }>(`
    SELECT string_agg(CAST(number AS TEXT), ',') AS posts
    FROM posts WHERE project = ? AND hash IS NOT NULL AND missing < 2`);
  const count = store.prepare<[{ post: number; run: number; at: number }]>(`
    UPDATE posts SET missing = CASE WHEN missing = 1 AND missing_run IS NULL THEN 1 ELSE missing + 1 END,
      missing_run = @run, ${markedDue},
      missing_since = CASE WHEN missing = 0 THEN @at ELSE coalesce(missing_since, @at) END
    WHERE number = @post AND missing_run IS DISTINCT FROM @run`);
  const markNamesakes = prepareNamesakes(store);
  return function* ({ project, run, seen }, at) {
    // What was seen is present: where that is as many, nothing else is.
    if ((yield* countPresent.get(project))?.posts === seen.size) return;
    for (const number of readNumbers(yield* selectPresent.get(project))) {
      if (!seen.has(number) && (yield* count.count({ post: number, run, at })) > 0)
        yield* markNamesakes.run(number);
    }
  };
}

/** Numbers that come as one text: an object for each of 100,000 rows would cost more than the query. */
function readNumbers(found: { posts: string | null } | undefined): readonly number[] {
  return JSON.parse(`[${found?.posts ?? ""}]`);
}
