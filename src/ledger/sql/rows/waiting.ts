import { type IssueRef, refOf } from "../../../model/issue.ts";
import type { IntentKind, PlannedChange } from "../../../model/link.ts";
import type { PostId } from "../../../model/post.ts";
import { wordWait } from "../../../model/waiting.ts";
import type { HeldAction, RowCounts, Rows, WaitingRow } from "../../rows.ts";
import type { Queries } from "../columns/numbers.ts";
import { type Part, postOf, projectOf, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import { readPlanned } from "./row-builder.ts";

/** Of an intent `message` is its kind, of a missing post the number of lists that lack it. */
type WaitingColumns = Omit<WaitingRow, "post" | "issues" | "title" | "planned"> & {
  readonly post: number;
  readonly id: PostId;
  readonly title?: string;
  readonly planned?: string;
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
const putOffKinds = sql`'held', 'settling', 'waiting'`;

/** Notes of posts that are not paused themselves. Those of a paused post are told under its pause. */
const running = sql`NOT EXISTS (SELECT 1 FROM posts WHERE posts.number = notes.post AND paused_at IS NOT NULL)`;

/** What shows more than can be read stays undecided until a side changes. */
const tooLarge = sql`(kind = 'undecided' AND cause = 'too-large')`;

/** Linked posts that the board no longer lists, or says that it does not know. */
const missing = sql`posts.hash IS NOT NULL AND missing > 0 AND EXISTS (
  SELECT 1 FROM links WHERE links.project = posts.project AND links.post = posts.number)`;

/** What `status` shows: counts of a project, and everything of it that waits. */
export function createWaiting(on: Queries): Plain<Pick<Rows, "counts" | "held" | "waiting">> {
  const { get, all, numbers } = on;
  return {
    *held(project, by) {
      const found = yield* all<Omit<HeldAction, "planned"> & { readonly planned?: string }>`
        SELECT posts.id AS post, notes.action AS kind, cause, coalesce(signature, '') AS signature, message, planned,
          post_facts.title AS title
        FROM notes JOIN posts ON posts.number = notes.post LEFT JOIN post_facts ON post_facts.post = notes.post
        WHERE notes.project = ${projectOf(project)} AND notes.kind = 'held' AND ${by === undefined ? sql`signature IS NOT NULL` : byShrink}
        ORDER BY posts.id, notes.action`;
      return found.map((held) => ({ ...held, title: held.title ?? null, planned: toPlanned(held.planned) }));
    },
    *counts(id) {
      const project = yield* numbers.findProject(id);
      const found = yield* get<RowCounts>`
        SELECT
          coalesce((SELECT posts FROM pulls WHERE project = ${project} AND kind IN ('complete', 'usable')
            ORDER BY number DESC LIMIT 1), 0) AS posts,
          (SELECT count(*) FROM (SELECT DISTINCT repository, number FROM links WHERE project = ${project}) AS linked) AS issues,
          (SELECT count(*) FROM posts WHERE project = ${project} AND standing = 'skipped' AND missing = 0) AS skipped,
          (SELECT count(*) FROM (
            SELECT post FROM notes WHERE project = ${project} AND kind IN ('settling', 'waiting') AND ${running}
            UNION SELECT post FROM intents WHERE project = ${project} AND ended_at IS NULL AND state IN ('SENT', 'UNKNOWN')
          ) AS put_off) AS waiting,
          (SELECT count(DISTINCT post) FROM notes
            WHERE project = ${project} AND kind = 'undecided' AND NOT ${tooLarge} AND ${running}) AS undecided,
          (SELECT count(*) FROM posts WHERE project = ${project} AND paused_at IS NOT NULL) AS paused,
          (SELECT count(DISTINCT post) FROM notes WHERE project = ${project} AND kind = 'held' AND ${running}) AS held,
          (SELECT count(*) FROM notes WHERE project = ${project} AND kind = 'parked' AND ${running}) AS parked,
          (SELECT count(DISTINCT post) FROM notes
            WHERE project = ${project} AND kind = 'quarantined' AND ${running}) AS quarantined,
          (SELECT count(DISTINCT post) FROM notes
            WHERE project = ${project} AND (kind IN ('disagreement', 'did-not-stick') OR ${tooLarge}) AND ${running}) AS differs,
          (SELECT count(*) FROM posts WHERE project = ${project} AND ${missing}) AS missing,
          (SELECT count(*) FROM notes
            WHERE project = ${project} AND kind = 'held' AND signature IS NOT NULL AND ${running}) AS approvable,
          (SELECT coalesce(sum(notifies), 0) FROM notes
            WHERE project = ${project} AND ${needed} AND ${running}) AS voters,
          (SELECT count(*) FROM notes WHERE project = ${project} AND ${needed}
            AND planned IS NOT NULL AND notifies IS NULL AND ${running}) AS unknown_votes,
          (SELECT min(follows_at) FROM notes
            WHERE project = ${project} AND kind IN ('settling', 'waiting') AND ${running}) AS next_at`;
      return { ...(found as RowCounts), nextAt: found?.nextAt ?? null };
    },
    *waiting(id, limit, kinds = allKinds, post) {
      const project = yield* numbers.findProject(id);
      const asked = waiting(project, limit, kinds, post && postOf(id, post));
      return yield* on.read(function* () {
        return yield* toRows(project, yield* all`${asked}`);
      });
    },
  };

  function* toRows(project: number, found: readonly WaitingColumns[]): Asked<readonly WaitingRow[]> {
    if (found.length === 0) return [];
    const issues = yield* all<IssueRef & { post: number }>`
      SELECT links.post AS post, links.repository AS repository_id, links.number AS number
      FROM EACH NUMBER ${[...new Set(found.map(({ post }) => post))]} AS batch
      CROSS JOIN links ON links.project = ${project} AND links.post = batch.value
      ORDER BY links.post, links.position`;
    const linked = Map.groupBy(issues, ({ post }) => post);
    return found.map(({ post, id, message, title = null, planned, ...row }) => ({
      ...row,
      post: id,
      issues: (linked.get(post) ?? []).map(refOf),
      message: wordWait(row.kind, message),
      title,
      planned: toPlanned(planned),
      ...(row.kind === "intent" && { intent: message as IntentKind }),
    }));
  }
}

/** What only a board that shrank holds: to accept its size lets it go. */
const byShrink = sql`signature IS NULL AND cause = 'shrank' AND notes.action IS NOT NULL`;
const lettable = sql`(signature IS NOT NULL OR ${byShrink})`;

/** What a person can let go: by `approve`, `retry` or `release`. */
const needed = sql`(kind = 'held' AND ${lettable} OR kind IN ('parked', 'quarantined'))`;

function toPlanned(planned: string | undefined): PlannedChange | undefined {
  return planned === undefined ? undefined : readPlanned(planned);
}

/** What waits of a project, or of one of its posts. */
function waiting(project: number, limit: number, kinds: readonly string[], post?: Part): Part {
  const isIt = (column: Part): Part => (post === undefined ? sql`TRUE` : sql`${column} = ${post}`);
  return sql`
    SELECT waiting.post AS post, posts.id AS id, kind, cause, code, message, since, planned, follows_at AS until, is_stopped,
      post_facts.title AS title
    FROM (
      SELECT post, kind, cause, code, message, since, planned, follows_at,
        CASE WHEN kind = 'held' AND signature IS NULL THEN 1 END AS is_stopped, position
      FROM EACH TEXT ${kinds} AS wanted
      CROSS JOIN notes ON notes.project = ${project} AND notes.kind = wanted.value
      WHERE wanted.value <> 'paused' AND ${isIt(sql`notes.post`)} AND (wanted.value NOT IN (${putOffKinds}) OR ${running})
      UNION ALL
      SELECT posts.number, 'paused', 'paused', NULL, '', paused_at, planned, NULL, NULL, coalesce(position, 0)
      FROM EACH TEXT ${kinds} AS wanted
      CROSS JOIN posts INDEXED BY posts_paused
        ON posts.project = ${project} AND paused_at IS NOT NULL AND wanted.value = 'paused' AND ${isIt(sql`posts.number`)}
      LEFT JOIN notes ON notes.post = posts.number AND notes.planned IS NOT NULL
        AND (notes.kind = 'paused' OR notes.kind IN (${putOffKinds}) AND NOT EXISTS (
          SELECT 1 FROM notes AS decided WHERE decided.post = posts.number AND decided.kind = 'paused'))
      UNION ALL
      SELECT notes.post, 'paused', notes.cause, NULL, notes.message, notes.since, notes.planned, NULL, NULL, position
      FROM EACH TEXT ${kinds} AS wanted
      CROSS JOIN notes ON notes.project = ${project} AND notes.kind = 'paused' AND wanted.value = 'paused' AND ${running}
        AND ${isIt(sql`notes.post`)}
        AND NOT EXISTS (SELECT 1 FROM notes AS held WHERE held.post = notes.post AND held.kind = 'held'
          AND held.action = notes.action)
      UNION ALL
      SELECT posts.number, 'missing', 'missing', NULL,
        CASE WHEN missing = 1 AND missing_since IS NULL THEN '0' ELSE CAST(missing AS TEXT) END,
        coalesce(missing_since, seen_at, 0), NULL, NULL, NULL, 0
      FROM EACH TEXT ${kinds} AS wanted
      CROSS JOIN posts INDEXED BY posts_present
        ON posts.project = ${project} AND wanted.value = 'missing' AND ${missing} AND ${isIt(sql`posts.number`)}
      UNION ALL
      SELECT post, 'intent', 'in-doubt', NULL, kind, coalesce(unknown_at, sent_at), NULL, NULL, NULL, 0
      FROM EACH TEXT ${kinds} AS wanted
      CROSS JOIN intents ON intents.project = ${project} AND wanted.value = 'intent' AND ended_at IS NULL
        AND state IN ('SENT', 'UNKNOWN') AND ${isIt(sql`intents.post`)}
      ORDER BY since, post, kind, position LIMIT ${limit}
    ) AS waiting
    CROSS JOIN posts ON posts.number = waiting.post
    LEFT JOIN post_facts ON post_facts.post = waiting.post
    ORDER BY since, id, kind, position`;
}
