import type { RepositoryId } from "../../../model/issue.ts";
import type { PlannedChange } from "../../../model/link.ts";
import type { PostId, ProjectId } from "../../../model/post.ts";
import { wordWait } from "../../../model/waiting.ts";
import type { HeldAction, RowCounts, WaitingRow } from "../../rows.ts";
import type { Store } from "../file/store.ts";
import { groupByPost, readPlanned } from "./row-reader.ts";

/** Counts of a project, and everything of it that waits. */
export interface WaitingReader {
  counts(project: ProjectId): RowCounts;
  /** By the project's number. */
  held(project: number): readonly HeldAction[];
  /** By the project's number; oldest first. */
  waiting(project: number, limit: number, kinds?: readonly WaitingRow["kind"][]): readonly WaitingRow[];
}

interface WaitingColumns {
  post: number;
  id: PostId;
  kind: WaitingRow["kind"];
  code: string | null;
  /** Of an intent its kind, of a missing post the number of lists that lack it. */
  message: string;
  since: number;
  title: string | null;
  planned: string | null;
  follows_at: number | null;
  isStopped: number;
}

interface HeldColumns extends Omit<HeldAction, "planned"> {
  planned: string | null;
}

/** Of a project that nothing is known of. */
const noCounts: RowCounts = {
  posts: 0,
  issues: 0,
  skipped: 0,
  paused: 0,
  held: 0,
  parked: 0,
  quarantined: 0,
  waiting: 0,
  differs: 0,
  missing: 0,
  approvable: 0,
  voters: 0,
  unknownVotes: 0,
  nextAt: null,
};

/** What waits. A missing post waits for nothing: whoever tells of these asks for them. */
const allKinds: readonly WaitingRow["kind"][] = [
  "held",
  "parked",
  "quarantined",
  "undecided",
  "did-not-stick",
  "disagreement",
  "settling",
  "waiting",
  "intent",
  "paused",
];

/** Notes of what is written later: of a paused post that is what its pause holds up. */
const putOffKinds = "'held', 'settling', 'waiting'";

/** Notes of posts that are not paused. Those of a paused post are told under its pause. */
const running = "NOT EXISTS (SELECT 1 FROM posts WHERE posts.number = notes.post AND paused_at IS NOT NULL)";

/** Linked posts that the board no longer lists. */
const missing = `posts.hash IS NOT NULL AND missing > 0 AND EXISTS (
  SELECT 1 FROM links WHERE links.project = posts.project AND links.post = posts.number)`;

/** Reads what `status` shows. */
export function createWaitingReader(store: Store): WaitingReader {
  const selectCounts = store.prepare<[string], RowCounts>(`
    SELECT
      coalesce((SELECT posts FROM pulls WHERE project = known.number AND kind IN ('complete', 'usable')
        ORDER BY number DESC LIMIT 1), 0) AS posts,
      (SELECT count(*) FROM (SELECT DISTINCT repository, number FROM links WHERE project = known.number)) AS issues,
      (SELECT count(*) FROM posts WHERE project = known.number AND standing = 'skipped' AND missing = 0) AS skipped,
      (SELECT count(*) FROM (
        SELECT post FROM notes WHERE project = known.number AND kind IN ('settling', 'waiting') AND ${running}
        UNION SELECT post FROM intents WHERE project = known.number AND ended_at IS NULL AND state IN ('SENT', 'UNKNOWN')
      )) AS waiting,
      (SELECT count(*) FROM posts WHERE project = known.number AND paused_at IS NOT NULL) AS paused,
      (SELECT count(DISTINCT post) FROM notes WHERE project = known.number AND kind = 'held' AND ${running}) AS held,
      (SELECT count(*) FROM parked WHERE project = known.number
        AND NOT EXISTS (SELECT 1 FROM posts WHERE posts.number = parked.post AND paused_at IS NOT NULL)) AS parked,
      (SELECT count(*) FROM posts
        WHERE project = known.number AND is_quarantined = 1 AND paused_at IS NULL) AS quarantined,
      (SELECT count(DISTINCT post) FROM notes
        WHERE project = known.number AND kind IN ('disagreement', 'did-not-stick') AND ${running}) AS differs,
      (SELECT count(*) FROM posts WHERE project = known.number AND ${missing}) AS missing,
      (SELECT count(*) FROM notes
        WHERE project = known.number AND kind = 'held' AND signature IS NOT NULL AND ${running}) AS approvable,
      (SELECT coalesce(sum(planned ->> '$.notifies'), 0) FROM notes
        WHERE project = known.number AND kind = 'held' AND signature IS NOT NULL AND ${running}) AS voters,
      (SELECT count(*) FROM notes WHERE project = known.number AND kind = 'held' AND signature IS NOT NULL
        AND planned IS NOT NULL AND planned ->> '$.notifies' IS NULL AND ${running}) AS unknownVotes,
      (SELECT min(follows_at) FROM notes
        WHERE project = known.number AND kind IN ('settling', 'waiting') AND ${running}) AS nextAt
    FROM board_projects AS known WHERE known.id = ?`);
  const selectWaiting = store.prepare<[{ project: number; kinds: string; limit: number }], WaitingColumns>(`
    SELECT waiting.post AS post, posts.id AS id, kind, code, message, since, planned, follows_at, isStopped,
      CAST(post_facts.facts ->> '$.title' AS TEXT) AS title
    FROM (
      SELECT post, kind, NULL AS code, message, since, planned, follows_at,
        kind = 'held' AND signature IS NULL AS isStopped FROM json_each(@kinds) AS wanted
      CROSS JOIN notes ON notes.project = @project AND notes.kind = wanted.value
      WHERE wanted.value <> 'paused' AND (wanted.value NOT IN (${putOffKinds}) OR ${running})
      UNION ALL
      SELECT posts.number, 'paused', NULL, '', paused_at, planned, NULL, 0
      FROM json_each(@kinds) AS wanted
      CROSS JOIN posts INDEXED BY posts_paused
        ON posts.project = @project AND paused_at IS NOT NULL AND wanted.value = 'paused'
      LEFT JOIN notes ON notes.post = posts.number AND notes.planned IS NOT NULL
        AND (notes.kind = 'paused' OR notes.kind IN (${putOffKinds}) AND NOT EXISTS (
          SELECT 1 FROM notes AS decided WHERE decided.post = posts.number AND decided.kind = 'paused'))
      UNION ALL
      SELECT posts.number, 'missing', NULL, missing,
        coalesce(missing_since, seen_at, 0), NULL, NULL, 0
      FROM json_each(@kinds) AS wanted
      CROSS JOIN posts INDEXED BY posts_present
        ON posts.project = @project AND wanted.value = 'missing' AND ${missing}
      UNION ALL
      SELECT post, 'parked', code, message, since, NULL, NULL, 0 FROM json_each(@kinds) AS wanted
      CROSS JOIN parked ON parked.project = @project AND wanted.value = 'parked'
      UNION ALL
      SELECT post, 'intent', NULL, kind, coalesce(unknown_at, sent_at), NULL, NULL, 0 FROM json_each(@kinds) AS wanted
      CROSS JOIN intents ON intents.project = @project AND wanted.value = 'intent' AND ended_at IS NULL
        AND state IN ('SENT', 'UNKNOWN')
      ORDER BY since, post, kind LIMIT @limit
    ) AS waiting
    CROSS JOIN posts ON posts.number = waiting.post
    LEFT JOIN post_facts ON post_facts.post = waiting.post
    ORDER BY since, id, kind`);
  const selectHeld = store.prepare<[number], HeldColumns>(`
    SELECT posts.id AS post, notes.action AS kind, signature, message, planned,
      CAST(post_facts.facts ->> '$.title' AS TEXT) AS title
    FROM notes JOIN posts ON posts.number = notes.post LEFT JOIN post_facts ON post_facts.post = notes.post
    WHERE notes.project = ? AND notes.kind = 'held' AND signature IS NOT NULL ORDER BY posts.id, notes.action`);
  const selectIssues = store.prepare<
    [{ project: number; posts: string }],
    { post: number; repositoryId: RepositoryId; number: number }
  >(`
    SELECT links.post AS post, links.repository AS repositoryId, links.number AS number
    FROM json_each(@posts) AS batch
    CROSS JOIN links ON links.project = @project AND links.post = batch.value
    ORDER BY links.post, links.position`);
  return {
    held: (project) => selectHeld.all(project).map((held) => ({ ...held, planned: toPlanned(held.planned) })),
    counts: (project) => selectCounts.get(project) ?? noCounts,
    waiting(project, limit, kinds = allKinds) {
      const found = selectWaiting.all({ project, limit, kinds: JSON.stringify(kinds) });
      const posts = JSON.stringify([...new Set(found.map(({ post }) => post))]);
      const linked = groupByPost(selectIssues.all({ project, posts }));
      return found.map(({ post, id, kind, code, message, since, title, planned, follows_at, isStopped }) => ({
        post: id,
        issues: (linked.get(post) ?? []).map(({ repositoryId, number }) => ({ repositoryId, number })),
        kind,
        code: code ?? undefined,
        message: wordWait(kind, message),
        since,
        title,
        planned: toPlanned(planned),
        until: follows_at ?? undefined,
        ...(isStopped === 1 && { isStopped: true }),
      }));
    },
  };
}

function toPlanned(planned: string | null): PlannedChange | undefined {
  return planned === null ? undefined : readPlanned(planned);
}
