import type { IssueField } from "../../../model/issue.ts";
import type { IntentKind, Link } from "../../../model/link.ts";
import type { PostId } from "../../../model/post.ts";
import type { BaseColumns } from "../columns/bases.ts";
import type { NoteColumns } from "../columns/notes.ts";
import { type Part, sql, statementsOf } from "../statements.ts";
import type { Store } from "../store.ts";

/* What the state holds of a row, part by part, and the statements that read it for many posts at once. */

export interface RowLine {
  number: number;
  id: PostId;
  /** null: not since our last write. */
  seen_at: number | null;
  missing: 0 | 1 | 2;
  missing_since: number | null;
  unlinked_at: number | null;
  /** Of a row that no list shows. */
  is_import: number;
  paused_at: number | null;
  due_at: number | null;
  has_stray_mark: number;
  facts: string;
}

/** Columns of a statement over `posts` and `post_facts`: a row's own line. */
export const lineColumns = sql`
  posts.number AS number, id, seen_at, missing, missing_since, unlinked_at, paused_at, due_at, facts,
  CASE WHEN hash IS NULL THEN 1 ELSE 0 END AS is_import,
  EXISTS (SELECT 1 FROM markers WHERE markers.post = posts.number AND NOT EXISTS (SELECT 1 FROM links
    WHERE links.project = posts.project AND links.post = posts.number
      AND links.repository = markers.repository AND links.number = markers.number)) AS has_stray_mark`;

export type NoteOfPost = Omit<NoteColumns, "position" | "notifies"> & { post: number };

/** A PATCH that was acknowledged; `writes` and `answer` are JSON. */
export interface AcceptedColumns {
  post: number;
  at: number;
  writes: string;
  answer: string | null;
}

export interface LinkColumns {
  post: number;
  repository: number;
  number: number;
  origin: Link["origin"];
  title_hash: string | null;
  block_hash: string | null;
  /** JSON. */
  left_text: string | null;
  facts: string | null;
  is_gone: number | null;
  is_unknown: number;
  /** Whether a change of ours is under way, for whichever post. */
  is_changing: number;
  /** JSON arrays of what was sent with changes that are recorded, and may arrive once more; for each change one. */
  arriving: string | null;
  /** Whether it is linked for the mark of an account that is only trusted. */
  is_read_only: number;
  signals: string | null;
  /** Of the issue that this one is a duplicate of, where it can be relied on. */
  canonical: string | null;
  canonical_signals: string | null;
  is_canonical_gone: number | null;
  is_canonical_changing: number;
  canonical_arriving: string | null;
}

/** Another post of the issue that `post` has its text in. */
export interface OtherColumns {
  post: number;
  repository: number;
  number: number;
  id: PostId;
  /** null for one that was named and never listed. */
  facts: string | null;
}

/** A base of an issue's field, as a row reads it. */
export interface IssueBaseOfRow extends Omit<BaseColumns, "field"> {
  repository: number;
  number: number;
  field: IssueField;
  /** Whether the field is asked for because of another post of the issue. */
  is_claimed: number;
}

/** Posts by a JSON array of their ids. `since`: PATCHes and status writes after that. */
export interface Batch {
  posts: string;
  project: number;
  since: number;
}

/** Whether a change of ours to an issue is under way: an expression of SQL, over the columns that name the issue. */
function isChanging(repository: Part, number: Part): Part {
  return sql`EXISTS (SELECT 1 FROM intents WHERE intents.repository = ${repository} AND intents.number = ${number}
    AND intents.number IS NOT NULL AND ended_at IS NULL AND kind = 'change-issue' AND state IN ('SENT', 'UNKNOWN')
    AND taken_at IS NULL)`;
}

/** What was sent with the others, likewise. */
function arriving(repository: Part, number: Part): Part {
  return sql`(SELECT string_agg(writes, ',') FROM intents WHERE intents.repository = ${repository}
    AND intents.number = ${number} AND intents.number IS NOT NULL AND ended_at IS NULL AND taken_at IS NOT NULL)`;
}

/** Which posts of `posts` are those of a batch. */
export function ofBatch({ project, posts }: Batch): Part {
  return sql`project = ${project} AND id IN (SELECT one.value FROM EACH TEXT ${posts} AS one)`;
}

export type RowParts = ReturnType<typeof readParts>;

/** The parts of the rows of a batch, each by the name that it is known by. */
export function readParts(store: Store, asked: Batch) {
  const { project, since } = asked;
  const { all } = statementsOf(store);
  const batch = sql`(SELECT number AS value FROM posts WHERE ${ofBatch(asked)}) AS batch`;
  const link = [sql`links.repository`, sql`links.number`] as const;
  const canonical = [sql`signals.canonical_repository`, sql`signals.canonical_number`] as const;
  // CROSS JOIN keeps the batch outside: one search a post, in the index that is named by the columns of the join.
  return {
    links: all<LinkColumns>`
      SELECT links.post AS post, links.repository AS repository, links.number AS number, origin, title_hash, block_hash, left_text,
        issues.facts AS facts, issues.is_gone AS is_gone,
        coalesce(absences.kind, '') IN ('missing', 'refused', 'moved') OR paused_at IS NOT NULL AS is_unknown,
        ${isChanging(...link)} AS is_changing,
        ${arriving(...link)} AS arriving,
        origin = 'adopted' AND EXISTS (SELECT 1 FROM markers WHERE markers.post = links.post
          AND markers.repository = links.repository AND markers.number = links.number AND is_own = 0) AS is_read_only,
        signals.signals AS signals, canonical.facts AS canonical, canonical_signals.signals AS canonical_signals,
        (SELECT is_gone FROM issues AS gone WHERE gone.repository = signals.canonical_repository
          AND gone.number = signals.canonical_number) AS is_canonical_gone,
        ${isChanging(...canonical)} AS is_canonical_changing,
        ${arriving(...canonical)} AS canonical_arriving
      FROM ${batch}
      CROSS JOIN links ON links.project = ${project} AND links.post = batch.value
      LEFT JOIN issues ON issues.repository = links.repository AND issues.number = links.number
      LEFT JOIN absences ON absences.repository = links.repository AND absences.number = links.number
      LEFT JOIN repositories ON repositories.id = links.repository
      LEFT JOIN signals ON signals.repository = links.repository AND signals.number = links.number
      LEFT JOIN issues AS canonical ON canonical.repository = signals.canonical_repository
        AND canonical.number = signals.canonical_number AND NOT EXISTS (SELECT 1 FROM absences AS absent
          WHERE absent.repository = canonical.repository AND absent.number = canonical.number)
      LEFT JOIN signals AS canonical_signals ON canonical_signals.repository = signals.canonical_repository
        AND canonical_signals.number = signals.canonical_number
      ORDER BY links.post, links.position`,
    others: all<OtherColumns>`
      SELECT mine.post AS post, mine.repository AS repository, mine.number AS number, posts.id AS id, facts
      FROM ${batch}
      CROSS JOIN links AS mine ON mine.project = ${project} AND mine.post = batch.value AND mine.title_hash IS NOT NULL
      CROSS JOIN links AS other ON other.project = ${project} AND other.repository = mine.repository
        AND other.number = mine.number AND other.post <> mine.post
      CROSS JOIN posts ON posts.number = other.post
      LEFT JOIN post_facts ON post_facts.post = other.post
      ORDER BY mine.post, other.post`,
    bases: all<BaseColumns>`
      SELECT post, field, target, post_value, foreign_value, written_sent, written_shown, pending_target, pending_since,
        ruled_from, ruled_since, is_echo
      FROM ${batch} CROSS JOIN bases ON bases.post = batch.value`,
    // A target that is to end has a time and no value; one that is to begin, both.
    issueBases: all<IssueBaseOfRow>`
      SELECT post, repository, number, field, target, shown_value AS post_value, foreign_value, written_sent, written_shown,
        pending_target, pending_since, NULL AS ruled_from, NULL AS ruled_since, 0 AS is_echo,
        target IS NOT NULL AND EXISTS (SELECT 1 FROM issue_bases AS other
          WHERE other.repository = issue_bases.repository AND other.number = issue_bases.number
            AND other.field = issue_bases.field AND other.post <> issue_bases.post
            AND CASE WHEN other.pending_since IS NULL THEN other.target ELSE other.pending_target END IS NOT NULL) AS is_claimed
      FROM ${batch} CROSS JOIN issue_bases ON issue_bases.post = batch.value`,
    intents: all<{ post: number; kind: IntentKind }>`
      SELECT post, kind FROM ${batch}
      CROSS JOIN intents ON intents.project = ${project} AND intents.post = batch.value AND ended_at IS NULL
      WHERE state IN ('SENT', 'UNKNOWN') ORDER BY kind`,
    statuses: all<{ post: number; at: number }>`
      SELECT post, at FROM ${batch}
      CROSS JOIN posts ON posts.number = batch.value
      CROSS JOIN audit ON audit.post = batch.value AND audit.is_status = 1 AND audit.at > ${since}
      WHERE audit.at > coalesce(released_at, 0) ORDER BY at`,
    notes: all<NoteOfPost>`
      SELECT notes.post AS post, kind, cause, code, message, since, action, signature, planned, follows_at
      FROM ${batch} CROSS JOIN notes ON notes.post = batch.value ORDER BY notes.post, position`,
    accepted: all<AcceptedColumns>`
      SELECT post, ended_at AS at, writes, answer FROM ${batch}
      CROSS JOIN intents INDEXED BY intents_accepted ON intents.post = batch.value AND kind = 'patch-post' AND state = 'DONE'
        AND ended_at > ${since} AND writes IS NOT NULL
      ORDER BY post, ended_at, intents.id`,
  };
}
