import type { RepositoryId } from "../../../model/issue.ts";
import type { Post } from "../../../model/post.ts";
import type { PullId, PullMeasure, Pulls } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import { encodePost, hashFacts } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Plain } from "../file/plain.ts";
import type { Store } from "../file/store.ts";
import type { IssueStore } from "../issues/issue-store.ts";
import { prepareNamesakes } from "../issues/links.ts";
import type { Markers } from "../issues/markers.ts";
import { createNaming } from "../issues/markers.ts";
import { createOtherMarks } from "../issues/other-marks.ts";
import { createPages } from "./pages.ts";
import { type OpenPull, openPull, type Sightings } from "./sightings.ts";

/** What was read, stored page by page. */
export function createPulls(
  store: Store,
  numbers: Numbers,
  sightings: Sightings,
  issues: IssueStore,
  markers: Markers,
): Plain<Pulls> &
  Carrying<
    | "store-posts"
    | "see-page"
    | "end-pull"
    | "store-issues"
    | "store-naming"
    | "store-other-marks"
    | "accept-other-marks"
  > {
  const insertPull = store.prepare<[{ project: number; run: number; at: number }]>(
    "INSERT INTO pulls (project, run, began_at) VALUES (@project, @run, @at)",
  );
  const deleteOlder = store.prepare<[{ project: number }]>(`
    DELETE FROM pulls WHERE project = @project AND number <
      (SELECT max(number) FROM pulls WHERE project = @project AND kind IN ('complete', 'usable'))`);
  const writeEnd = store.prepare<[{ pull: number; kind: string; at: number; posts: number }]>(
    "UPDATE pulls SET kind = @kind, ended_at = @at, posts = @posts WHERE number = @pull",
  );
  const selectLinked = store.prepare<[number], { posts: string }>(`
    SELECT json_group_array(DISTINCT post) AS posts FROM links JOIN posts ON posts.number = post
    WHERE links.project = ? AND missing = 0`);
  const selectLinkedIssues = store.prepare<[number], { number: number }>(
    "SELECT DISTINCT number FROM links WHERE repository = ? ORDER BY number",
  );
  const storePost = createPostWriter(store);
  const countMissing = createMissingCounter(store);
  const pages = createPages(store);
  /** Takes back, with the transaction, that these posts have been seen. */
  const seeUntilRollback = (open: OpenPull, posts: readonly number[]): void =>
    store.onRollback(() => {
      open.isBroken = true;
      open.pages.waiting.length = 0;
      for (const number of posts) sightings.seenAt.delete(number);
    });
  const see = (open: OpenPull, post: number, at: number): void => {
    open.seen.add(post);
    sightings.seenAt.set(post, at);
  };
  const naming = createNaming(store);
  const otherMarks = createOtherMarks(store, numbers);
  return {
    begin: (project, run, at) =>
      store.transaction(() => {
        const number = numbers.project(project);
        // Nobody asks for a pull before the last one that saw the board.
        deleteOlder.run({ project: number });
        const pull = insertPull.insert({ project: number, run, at }) as PullId;
        sightings.pulls.set(pull, openPull(pull, number, run));
        store.onRollback(() => sightings.pulls.delete(pull));
        return pull;
      }),
    knownPage: (pull, request) => pages.find(findOpen(sightings, pull), request),
    measure(pull) {
      const { project, seen, added } = findOpen(sightings, pull);
      const linked = readNumbers(selectLinked.get(project));
      const measure: PullMeasure = {
        posts: seen.size,
        added,
        linked: linked.length,
        linkedSeen: linked.filter((post) => seen.has(post)).length,
      };
      return measure;
    },
    naming: naming.find,
    otherMarks: (project) => otherMarks.find(project),
    marked: (project, post) => markers.find(project, post),
    listed: (issue) => ({ isOther: issues.contradicts(issue), isInDoubt: issues.isInDoubt(issue) }),
    mark: (marked) => markers.read(marked),
    linkedIssues: (repositoryId: RepositoryId) =>
      selectLinkedIssues.all(repositoryId).map(({ number }) => ({ repositoryId, number })),
    changes: {
      "store-posts": ({ pull, posts, at, trace }) => {
        const open = findOpen(sightings, pull);
        const page = pages.next(open);
        const stored: number[] = [];
        let toldBy = 0;
        seeUntilRollback(open, stored);
        for (const post of posts) {
          const known = storePost(open.project, post, at, page);
          stored.push(known.number);
          toldBy = Math.max(toldBy, known.page);
          if (known.isAdded) open.added += 1;
          see(open, known.number, at);
        }
        if (trace !== undefined) pages.keep(open, trace, { number: page, posts: stored, toldBy });
      },
      "see-page": ({ pull, trace, at }) => {
        const open = findOpen(sightings, pull);
        const posts = pages.meet(open, trace);
        seeUntilRollback(open, posts);
        for (const post of posts) see(open, post, at);
      },
      "end-pull": ({ pull, end, at }) => {
        const open = findOpen(sightings, pull);
        if (open.isBroken && end !== "incomplete")
          throw new Error(`Pull ${pull} lost a page: it can only be incomplete.`);
        writeEnd.run({ pull, kind: end, at, posts: open.seen.size });
        if (end === "complete") countMissing(open, at);
        pages.end(open, end !== "incomplete");
        sightings.pulls.delete(pull);
        store.onRollback(() => sightings.pulls.set(pull, open));
      },
      "store-issues": ({ issues: found, marked }) => {
        for (const one of marked) if (!issues.isTombstone(one.issue)) markers.store(one);
        for (const issue of found) if (issues.isKept(issue)) issues.store(issue);
      },
      "store-naming": ({ named }) => naming.store(named),
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
  readonly isAdded: boolean;
}

/** Stores one post that a page shows. A post that is as it was costs one look-up and no write. */
function createPostWriter(
  store: Store,
): (project: number, post: Post, at: number, page: number) => StoredPost {
  interface Known {
    number: number;
    hash: string | null;
    missing: number;
    seen_at: number | null;
    page: number;
  }
  const select = store.prepare<[number, string], Known>(
    "SELECT number, hash, missing, seen_at, page FROM posts WHERE project = ? AND id = ?",
  );
  const insert = store.prepare<[number, string, string, number, number, number]>(
    "INSERT INTO posts (project, id, hash, seen_at, due_at, page, listed_since) VALUES (?, ?, ?, ?, 0, ?, ?)",
  );
  const update = store.prepare<[{ hash: string; at: number; page: number; number: number }]>(`
    UPDATE posts SET listed_since = iif(missing > 0 OR hash IS NULL, @at, listed_since),
      hash = @hash, seen_at = @at, missing = 0, due_at = 0, page = @page WHERE number = @number`);
  const writeFacts = store.prepare<[number, string]>(
    "INSERT OR REPLACE INTO post_facts (post, facts) VALUES (?, ?)",
  );
  return (project, post, at, page) => {
    const facts = encodePost(post);
    const hash = hashFacts(facts);
    const known = select.get(project, post.id);
    if (known === undefined) {
      const number = insert.insert(project, post.id, hash, at, page, at);
      writeFacts.run(number, facts);
      return { number, page, isAdded: true };
    }
    const isFirstLook = known.missing > 0 || known.seen_at === null;
    const isChanged = known.hash !== hash;
    if (!isChanged && !isFirstLook) return { number: known.number, page: known.page, isAdded: false };
    update.run({ hash, at, page, number: known.number });
    if (isChanged) writeFacts.run(known.number, facts);
    return { number: known.number, page, isAdded: known.hash === null };
  };
}

/** Absence counts once a run, and the second time is enough. What only a 404 has told (no run yet) begins with the first. */
function createMissingCounter(store: Store): (pull: OpenPull, at: number) => void {
  const countPresent = store.prepare<[number], { posts: number }>(
    "SELECT count(*) AS posts FROM posts WHERE project = ? AND hash IS NOT NULL AND missing < 2",
  );
  const selectPresent = store.prepare<[number], { posts: string }>(
    "SELECT json_group_array(number) AS posts FROM posts WHERE project = ? AND hash IS NOT NULL AND missing < 2",
  );
  const count = store.prepare<[{ post: number; run: number; at: number }]>(`
    UPDATE posts SET missing = iif(missing = 1 AND missing_run IS NULL, 1, missing + 1), missing_run = @run,
      missing_since = iif(missing = 0, @at, coalesce(missing_since, @at)), due_at = 0
    WHERE number = @post AND missing_run IS NOT @run`);
  const markNamesakes = prepareNamesakes(store);
  return ({ project, run, seen }, at) => {
    // What was seen is present: where that is as many, nothing else is.
    if (countPresent.get(project)?.posts === seen.size) return;
    for (const number of readNumbers(selectPresent.get(project))) {
      if (!seen.has(number) && count.run({ post: number, run, at }) > 0) markNamesakes.run(number);
    }
  };
}

/** Numbers that come as one JSON array: an object for each of 100,000 rows would cost more than the query. */
function readNumbers(found: { posts: string } | undefined): readonly number[] {
  return JSON.parse(found?.posts ?? "[]");
}
