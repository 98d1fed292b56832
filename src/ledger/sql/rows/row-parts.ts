import type { IssueField, IssueRef } from "../../../model/issue.ts";
import type { IntentKind, Link, OwnChanges, Row, RowNote } from "../../../model/link.ts";
import type { PostId } from "../../../model/post.ts";
import type { BaseColumns } from "../columns/bases.ts";
import { type Part, type Statements, sql } from "../statements.ts";

/* What the state holds of a row, part by part, and the statements that read it for many posts at once. */

/** A row's own line. `seenAt` undefined: not since our last write. */
export interface RowLine
  extends Pick<
    Row,
    "mark" | "missing" | "missingSince" | "unlinkedAt" | "isImport" | "pausedAt" | "hasStrayMark"
  > {
  readonly number: number;
  readonly id: PostId;
  readonly seenAt?: number;
  readonly facts: string;
}

/** Columns of a statement over `posts` and `post_facts`: a row's own line. */
export const lineColumns = sql`
  posts.number AS number, id, seen_at, missing, CASE WHEN missing > 0 THEN missing_since END AS missing_since, unlinked_at,
  paused_at, due_at AS mark, facts, CASE WHEN hash IS NULL THEN 1 END AS is_import,
  CASE WHEN EXISTS (SELECT 1 FROM markers WHERE markers.post = posts.number AND NOT EXISTS (SELECT 1 FROM links
    WHERE links.project = posts.project AND links.post = posts.number
      AND links.repository = markers.repository AND links.number = markers.number)) THEN 1 END AS has_stray_mark`;

/** `planned` is JSON. */
export interface NoteOfPost extends Omit<RowNote, "planned"> {
  readonly post: number;
  readonly planned?: string;
}

/** A PATCH that was acknowledged; `writes` and `answer` are JSON. */
export interface AcceptedColumns {
  readonly post: number;
  readonly at: number;
  readonly writes: string;
  readonly answer?: string;
}

/** What is known of an issue: facts and signals are JSON. */
export interface KnownColumns extends Pick<OwnChanges, "isChanging"> {
  readonly facts?: string;
  readonly signals?: string;
  readonly isGone?: boolean;
  /** JSON arrays of what was sent with changes that are recorded, and may arrive once more; for each change one. */
  readonly arriving?: string;
}

export interface LinkColumns extends KnownColumns {
  readonly post: number;
  readonly issue: IssueRef;
  readonly origin: Link["origin"];
  readonly titleHash?: string;
  readonly blockHash?: string;
  /** JSON. */
  readonly leftText?: string;
  readonly isUnknown: boolean;
  /** Whether it is linked for the mark of an account that is only trusted. */
  readonly isReadOnly: boolean;
  /** Of the issue that this one is a duplicate of; `facts` where it can be relied on. */
  readonly canonical?: KnownColumns;
}

/** Another post of the issue that `post` has its text in; `facts` undefined for one that was named and never listed. */
export interface OtherColumns {
  readonly post: number;
  readonly issue: IssueRef;
  readonly id: PostId;
  readonly facts?: string;
}

/** A base of an issue's field, as a row reads it. `isClaimed`: the field is asked for because of another post of the issue. */
export type IssueBaseOfRow = BaseColumns<IssueField> & {
  readonly issue: IssueRef;
  readonly isClaimed: boolean;
};

/** Whether a change of ours to an issue is under way, for whichever post: an expression of SQL, over the columns that name the issue. */
function isChanging(repository: Part, number: Part): Part {
  return sql`CASE WHEN EXISTS (SELECT 1 FROM intents WHERE intents.repository = ${repository} AND intents.number = ${number}
    AND intents.number IS NOT NULL AND ended_at IS NULL AND kind = 'change-issue' AND state IN ('SENT', 'UNKNOWN')
    AND taken_at IS NULL) THEN 1 END`;
}

/** What was sent with the others, likewise. */
function arriving(repository: Part, number: Part): Part {
  return sql`(SELECT string_agg(writes, ',') FROM intents WHERE intents.repository = ${repository}
    AND intents.number = ${number} AND intents.number IS NOT NULL AND ended_at IS NULL AND taken_at IS NOT NULL)`;
}

/** Which rows of `posts` are some posts. @param posts - a JSON array of their ids. */
export function ofBatch(project: number, posts: string): Part {
  return sql`project = ${project} AND id IN (SELECT one.value FROM EACH TEXT ${posts} AS one)`;
}

export type RowParts = ReturnType<typeof readParts>;

/**
 * The parts of the rows of some posts, each by the name that it is known by.
 *
 * @param posts - a JSON array of their ids.
 * @param since - PATCHes and status writes after that.
 */
export function readParts({ all }: Statements, project: number, posts: string, since: number) {
  const batch = sql`(SELECT number AS value FROM posts WHERE ${ofBatch(project, posts)}) AS batch`;
  const link = [sql`links.repository`, sql`links.number`] as const;
  const canonical = [sql`signals.canonical_repository`, sql`signals.canonical_number`] as const;
  // CROSS JOIN keeps the batch outside: one search a post, in the index that is named by the columns of the join.
  return {
    links: all<LinkColumns>`
      SELECT links.post AS post, links.repository AS "issue.repositoryId", links.number AS "issue.number", origin, title_hash,
        block_hash, left_text, issues.facts AS facts, issues.is_gone AS is_gone,
        coalesce(absences.kind, '') IN ('missing', 'refused', 'moved') OR paused_at IS NOT NULL AS is_unknown,
        ${isChanging(...link)} AS is_changing,
        ${arriving(...link)} AS arriving,
        origin = 'adopted' AND EXISTS (SELECT 1 FROM markers WHERE markers.post = links.post
          AND markers.repository = links.repository AND markers.number = links.number AND is_own = 0) AS is_read_only,
        signals.signals AS signals, canonical.facts AS "canonical.facts", canonical_signals.signals AS "canonical.signals",
        (SELECT is_gone FROM issues AS gone WHERE gone.repository = signals.canonical_repository
          AND gone.number = signals.canonical_number) AS "canonical.isGone",
        ${isChanging(...canonical)} AS "canonical.isChanging",
        ${arriving(...canonical)} AS "canonical.arriving"
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
      SELECT mine.post AS post, mine.repository AS "issue.repositoryId", mine.number AS "issue.number", posts.id AS id, facts
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
      SELECT post, repository AS "issue.repositoryId", number AS "issue.number", field, target, shown_value AS post_value,
        foreign_value, written_sent, written_shown, pending_target, pending_since,
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
      SELECT notes.post AS post, kind, cause, code, message, since, action AS "action.kind", signature AS "action.signature",
        planned, follows_at AS until
      FROM ${batch} CROSS JOIN notes ON notes.post = batch.value ORDER BY notes.post, position`,
    accepted: all<AcceptedColumns>`
      SELECT post, ended_at AS at, writes, answer FROM ${batch}
      CROSS JOIN intents INDEXED BY intents_accepted ON intents.post = batch.value AND kind = 'patch-post' AND state = 'DONE'
        AND ended_at > ${since} AND writes IS NOT NULL
      ORDER BY post, ended_at, intents.id`,
  };
}
