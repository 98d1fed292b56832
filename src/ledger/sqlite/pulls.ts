import type { RepositoryId } from "../../model/issue.ts";
import type { Post } from "../../model/post.ts";
import type { PullId, PullMeasure, Pulls } from "../pulls.ts";
import { encodePost, hashFacts } from "./facts.ts";
import type { IssueStore } from "./issue-store.ts";
import type { Markers } from "./markers.ts";
import type { Numbers } from "./numbers.ts";
import type { OpenPull, Sightings } from "./sightings.ts";
import type { Store } from "./store.ts";

/** What was read, stored page by page. */
export function createPulls(
  store: Store,
  numbers: Numbers,
  sightings: Sightings,
  issues: IssueStore,
  markers: Markers,
): Pulls {
  const insertPull = store.prepare<[{ project: number; run: number; at: number }]>(
    "INSERT INTO pulls (project, run, began_at) VALUES (@project, @run, @at)",
  );
  const deleteOlder = store.prepare<[{ project: number }]>(`
    DELETE FROM pulls WHERE project = @project AND number <
      (SELECT max(number) FROM pulls WHERE project = @project AND kind IN ('complete', 'usable'))`);
  const writeEnd = store.prepare<[{ pull: number; kind: string; at: number; posts: number }]>(
    "UPDATE pulls SET kind = @kind, ended_at = @at, posts = @posts WHERE number = @pull",
  );
  const selectLinked = store.prepare<[number], { post: number }>(
    "SELECT DISTINCT post FROM links JOIN posts ON posts.number = post WHERE links.project = ? AND missing = 0",
  );
  const selectLinkedIssues = store.prepare<[number], { number: number }>(
    "SELECT DISTINCT number FROM links WHERE repository = ? ORDER BY number",
  );
  const storePost = createPostWriter(store);
  const countMissing = createMissingCounter(store);
  return {
    begin: (project, run, at) =>
      store.transaction(() => {
        const number = numbers.project(project);
        // Nobody asks for a pull before the last one that saw the board.
        deleteOlder.run({ project: number });
        const pull = insertPull.insert({ project: number, run, at }) as PullId;
        sightings.pulls.set(pull, { project: number, run, seen: new Set(), isBroken: false });
        store.onRollback(() => sightings.pulls.delete(pull));
        return pull;
      }),
    storePosts(pull, posts, at) {
      const open = findOpen(sightings, pull);
      store.transaction(() => {
        const stored: number[] = [];
        store.onRollback(() => {
          open.isBroken = true;
          for (const number of stored) sightings.seenAt.delete(number);
        });
        for (const post of posts) {
          const number = storePost(open.project, post, at);
          stored.push(number);
          open.seen.add(number);
          sightings.seenAt.set(number, at);
        }
      });
    },
    measure(pull) {
      const { project, seen } = findOpen(sightings, pull);
      const linked = selectLinked.all(project);
      const measure: PullMeasure = {
        posts: seen.size,
        linked: linked.length,
        linkedSeen: linked.filter(({ post }) => seen.has(post)).length,
      };
      return measure;
    },
    end(pull, { kind, at }) {
      const open = findOpen(sightings, pull);
      if (open.isBroken && kind !== "incomplete")
        throw new Error(`Pull ${pull} lost a page: it can only be incomplete.`);
      store.transaction(() => {
        writeEnd.run({ pull, kind, at, posts: open.seen.size });
        if (kind === "complete") countMissing(open);
      });
      sightings.pulls.delete(pull);
    },
    storeIssues: (found, marked) =>
      store.transaction(() => {
        for (const one of marked) if (!issues.isTombstone(one.issue)) markers.store(one);
        const kept = found.filter((issue) => issues.isKept(issue));
        for (const issue of kept) issues.store(issue);
        return kept.length;
      }),
    marked: (project, post) => markers.find(project, post),
    explains: (marked) => markers.explains(marked),
    contradicts: (issue) => issues.contradicts(issue),
    linkedIssues: (repositoryId: RepositoryId) =>
      selectLinkedIssues.all(repositoryId).map(({ number }) => ({ repositoryId, number })),
  };
}

function findOpen(sightings: Sightings, pull: PullId): OpenPull {
  const open = sightings.pulls.get(pull);
  if (open === undefined) throw new Error(`Pull ${pull} is not open.`);
  return open;
}

/** Stores one post and returns its number. A post that is as it was costs one look-up and no write. */
function createPostWriter(store: Store): (project: number, post: Post, at: number) => number {
  interface Known {
    number: number;
    hash: string | null;
    missing: number;
    seen_at: number | null;
  }
  const select = store.prepare<[number, string], Known>(
    "SELECT number, hash, missing, seen_at FROM posts WHERE project = ? AND id = ?",
  );
  const insert = store.prepare<[number, string, string, number]>(
    "INSERT INTO posts (project, id, hash, seen_at, due_at) VALUES (?, ?, ?, ?, 0)",
  );
  const update = store.prepare<[string, number, number]>(
    "UPDATE posts SET hash = ?, seen_at = ?, missing = 0, due_at = 0 WHERE number = ?",
  );
  const writeFacts = store.prepare<[number, string]>(
    "INSERT OR REPLACE INTO post_facts (post, facts) VALUES (?, ?)",
  );
  return (project, post, at) => {
    const facts = encodePost(post);
    const hash = hashFacts(facts);
    const known = select.get(project, post.id);
    if (known === undefined) {
      const number = insert.insert(project, post.id, hash, at);
      writeFacts.run(number, facts);
      return number;
    }
    const isFirstLook = known.missing > 0 || known.seen_at === null;
    if (known.hash !== hash || isFirstLook) update.run(hash, at, known.number);
    if (known.hash !== hash) writeFacts.run(known.number, facts);
    return known.number;
  };
}

/** Absence counts once a run, and the second time is enough. What only a 404 has told (no run yet) begins with the first. */
function createMissingCounter(store: Store): (pull: OpenPull) => void {
  const selectPresent = store.prepare<[number], { number: number }>(
    "SELECT number FROM posts WHERE project = ? AND hash IS NOT NULL AND missing < 2",
  );
  const count = store.prepare<[{ post: number; run: number }]>(`
    UPDATE posts SET missing = iif(missing = 1 AND missing_run IS NULL, 1, missing + 1), missing_run = @run, due_at = 0
    WHERE number = @post AND missing_run IS NOT @run`);
  return ({ project, run, seen }) => {
    for (const { number } of selectPresent.all(project)) {
      if (!seen.has(number)) count.run({ post: number, run });
    }
  };
}
