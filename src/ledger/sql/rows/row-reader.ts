import { z } from "zod";
import type { Cause } from "../../../model/causes.ts";
import type { IssueRef, Pin } from "../../../model/issue.ts";
import {
  type CanonicalIssue,
  type IntentKind,
  type Link,
  type LinkedIssue,
  type OwnChanges,
  type Row,
  type RowNote,
  type WholePause,
  withPins,
} from "../../../model/link.ts";
import type { Post, PostId } from "../../../model/post.ts";
import { dayMs } from "../../../model/time.ts";
import { stored } from "../../stored.ts";
import { type BaseColumns, decodeBase, decodeIssueBase, type IssueBaseColumns } from "../columns/bases.ts";
import { decodeIssue, decodePost, decodeSignals } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import {
  answerShape,
  leftTextShape,
  plannedShape,
  sentFieldsShape,
  sentValuesShape,
} from "../columns/shapes.ts";
import { type PinColumns, preparePins, toPin } from "../issues/signals.ts";
import type { PostTimes } from "../posts/post-numbers.ts";
import { type Asked, answer, type Query, type Store } from "../store.ts";
import { prepareWholePauses, toWholePause, type WholePauseColumns } from "./pauses.ts";

/** By which column of a row's own line one knows whether it has any of a part: nearly every row lacks most of them, and what is not there is not read. */
const partColumns = {
  links: "has_links",
  others: "has_links",
  bases: "has_bases",
  issueBases: "has_issue_bases",
  intents: "has_intents",
  statuses: "has_statuses",
  notes: "has_notes",
  accepted: "has_accepted",
} as const;

type PartName = keyof typeof partColumns;
const partNames = Object.keys(partColumns) as PartName[];

/** What a row's own line holds. */
export interface RowColumns extends Readonly<Record<(typeof partColumns)[PartName], number>> {
  number: number;
  id: PostId;
  /** null: not since our last write. */
  seen_at: number | null;
  missing: 0 | 1 | 2;
  unlinked_at: number | null;
  /** Of a row that no list shows. */
  is_import: number;
  paused_at: number | null;
  has_markers: number;
  facts: string;
}

/** Columns of a statement over `posts` and `post_facts`: a row's own line. */
export const rowColumns = `
  posts.number AS number, id, seen_at, missing, unlinked_at, paused_at, facts,
  CASE WHEN hash IS NULL THEN 1 ELSE 0 END AS is_import,
  EXISTS (SELECT 1 FROM links WHERE links.project = posts.project AND links.post = posts.number) AS has_links,
  EXISTS (SELECT 1 FROM bases WHERE bases.post = posts.number) AS has_bases,
  EXISTS (SELECT 1 FROM issue_bases WHERE issue_bases.post = posts.number) AS has_issue_bases,
  EXISTS (SELECT 1 FROM intents WHERE intents.project = posts.project AND intents.post = posts.number
    AND ended_at IS NULL) AS has_intents,
  EXISTS (SELECT 1 FROM audit WHERE audit.post = posts.number AND audit.is_status = 1) AS has_statuses,
  EXISTS (SELECT 1 FROM notes WHERE notes.post = posts.number) AS has_notes,
  EXISTS (SELECT 1 FROM intents INDEXED BY intents_accepted WHERE intents.post = posts.number
    AND intents.kind = 'patch-post' AND intents.state = 'DONE') AS has_accepted,
  EXISTS (SELECT 1 FROM markers WHERE markers.post = posts.number) AS has_markers`;

interface NoteColumns {
  post: number;
  kind: RowNote["kind"];
  cause: Cause;
  code: string | null;
  message: string;
  since: number;
  action: NonNullable<RowNote["action"]>["kind"] | null;
  signature: string | null;
  planned: string | null;
  follows_at: number | null;
}

/** A PATCH that was acknowledged; `writes` and `answer` are JSON. */
interface AcceptedColumns {
  post: number;
  at: number;
  writes: string;
  answer: string | null;
}

interface LinkColumns {
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
  /** Whether its text is of this post and it stands for others, too. */
  is_shared: number;
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
  is_canonical_changing: number;
  canonical_arriving: string | null;
}

/** Another post of the issue that `post` has its text in. */
interface OtherColumns {
  post: number;
  repository: number;
  number: number;
  id: PostId;
  /** null for one that was named and never listed. */
  facts: string | null;
}

/** A base of an issue's field, as a row reads it. */
interface IssueBaseOfRow extends IssueBaseColumns {
  /** Whether the field is asked for because of another post of the issue. */
  is_claimed: number;
}

/** Posts by a JSON array of their numbers. */
interface Batch {
  posts: string;
  project: number;
  since: number;
}

/** Builds the rows of posts with a handful of statements, however many there are. */
export interface RowReader {
  /** Of lines that were read in the same view. */
  all(project: number, found: readonly RowColumns[], now: number): Asked<readonly Row[]>;
  /** Reads all parts of some rows at once, whichever they have: what a server costs is the message. */
  some(project: number, posts: readonly PostId[], now: number): Asked<readonly Row[]>;
}

const readLeftText = stored("links.left_text", leftTextShape);
const readArriving = stored("intents.writes", () => z.array(sentFieldsShape()));
const readWrites = stored("intents.writes", sentValuesShape);
const readAnswer = stored("intents.answer", answerShape);

/** What the action of a note would write. */
export const readPlanned = stored("notes.planned", plannedShape);

export function createRowReader(
  store: Store,
  numbers: Pick<Numbers, "learn">,
  seenAt: Pick<PostTimes, "get">,
): RowReader {
  const selectPins = preparePins(store);
  const selectPauses = prepareWholePauses(store);
  const ofAll = prepareParts<Batch>(store, "EACH NUMBER @posts AS batch");
  const wanted = "project = @project AND id IN (SELECT one.value FROM EACH TEXT @posts AS one)";
  const ofSome = prepareParts<Batch>(store, `(SELECT number AS value FROM posts WHERE ${wanted}) AS batch`);
  const selectSome = store.prepare<[Batch], RowColumns>(`
    SELECT ${rowColumns} FROM posts JOIN post_facts ON post_facts.post = posts.number WHERE ${wanted} ORDER BY id`);
  const toRow = createRowBuilder(seenAt);
  return {
    *all(project, found, now) {
      if (found.length === 0) return [];
      for (const { id, number } of found) numbers.learn(project, id, number);
      const batch: Batch = {
        posts: JSON.stringify(found.map(({ number }) => number)),
        project,
        since: now - dayMs,
      };
      const hasSome = (has: keyof RowColumns): boolean => found.some((columns) => columns[has] === 1);
      const [pauses, pins, ...parts] = yield* store.together([
        selectPauses.all(project),
        hasSome("has_links") ? selectPins.all(project) : answer((): PinColumns[] => []),
        ...partNames.map((name) =>
          hasSome(partColumns[name]) ? ofAll[name].all(batch) : answer((): PartOfPost[] => []),
        ),
      ]);
      const grouped = groupParts(pauses, pins, parts);
      return found.map((columns) => toRow(columns, grouped));
    },
    *some(project, posts, now) {
      const asked: Batch = { posts: JSON.stringify(posts), project, since: now - dayMs };
      const [found, pauses, pins, ...parts] = yield* store.together([
        selectSome.all(asked),
        selectPauses.all(project),
        selectPins.all(project),
        ...partNames.map((name): Asked<PartOfPost[]> => ofSome[name].all(asked)),
      ]);
      for (const { id, number } of found) numbers.learn(project, id, number);
      const grouped = groupParts(pauses, pins, parts);
      return found.map((columns) => toRow(columns, grouped));
    },
  };
}

interface PartOfPost {
  readonly post: number;
}

/** The parts of several rows, by the numbers of their posts. */
type Parts = {
  readonly [Name in PartName]: ReturnType<typeof prepareParts<Batch>>[Name] extends Query<[Batch], infer Part>
    ? ReadonlyMap<number, Part[]>
    : never;
};

interface GroupedParts extends Parts {
  readonly pause: WholePause | undefined;
  readonly pins: readonly Pin[];
}

function groupParts(
  [pause]: readonly WholePauseColumns[],
  pins: readonly PinColumns[],
  parts: readonly (readonly PartOfPost[])[],
): GroupedParts {
  const grouped = partNames.map((name, place) => [name, groupByPost(parts[place] ?? [])]);
  const found = Object.fromEntries(grouped) as Parts;
  return { ...found, pause: pause && toWholePause(pause), pins: pins.map(toPin) };
}

function createRowBuilder(seenAt: Pick<PostTimes, "get">): (columns: RowColumns, parts: GroupedParts) => Row {
  return ({ number, id, seen_at, missing, unlinked_at, is_import, paused_at, has_markers, facts }, parts) => {
    const { pause, pins } = parts;
    const pinned = (one: LinkedIssue): LinkedIssue => (pins.length === 0 ? one : withPins(one, pins));
    return {
      post: { id, values: decodePost(facts) },
      seenAt: seen_at === null ? undefined : (seenAt.get(number) ?? seen_at),
      missing,
      ...(unlinked_at !== null && { unlinkedAt: unlinked_at }),
      ...(is_import === 1 && { isImport: true }),
      ...(has_markers === 1 && { isMarked: true }),
      ...(paused_at !== null && { pausedAt: paused_at }),
      ...(pause && { wholePause: pause }),
      links: (parts.links.get(number) ?? []).map((link) =>
        pinned(toLinkedIssue(id, link, parts.issueBases.get(number), parts.others.get(number))),
      ),
      base: Object.fromEntries((parts.bases.get(number) ?? []).map((base) => [base.field, decodeBase(base)])),
      openIntents: (parts.intents.get(number) ?? []).map(({ kind }) => kind),
      statusWrites: (parts.statuses.get(number) ?? []).map(({ at }) => at),
      ...toNotes(parts.notes.get(number)),
      ...toAccepted(parts.accepted.get(number)),
    };
  };
}

/** Whether a change of ours to an issue is under way: an expression of SQL, over the columns that name the issue. */
function isChanging(repository: string, number: string): string {
  return `EXISTS (SELECT 1 FROM intents WHERE intents.repository = ${repository} AND intents.number = ${number}
    AND intents.number IS NOT NULL AND ended_at IS NULL AND kind = 'change-issue' AND state IN ('SENT', 'UNKNOWN')
    AND taken_at IS NULL)`;
}

/** What was sent with the others, likewise. */
function arriving(repository: string, number: string): string {
  return `(SELECT string_agg(writes, ',') FROM intents WHERE intents.repository = ${repository}
    AND intents.number = ${number} AND intents.number IS NOT NULL AND ended_at IS NULL AND taken_at IS NOT NULL)`;
}

/** @param batch - gives the numbers of posts as `batch.value`. */
function prepareParts<Of>(store: Store, batch: string) {
  // CROSS JOIN keeps the batch outside: one search a post, in the index that is named by the columns of the join.
  return {
    links: store.prepare<[Of], LinkColumns>(`
      SELECT links.post AS post, links.repository AS repository, links.number AS number, origin, title_hash, block_hash, left_text,
        issues.facts AS facts, issues.is_gone AS is_gone,
        title_hash IS NOT NULL AND EXISTS (SELECT 1 FROM links AS other WHERE other.project = @project
          AND other.repository = links.repository AND other.number = links.number AND other.post <> links.post) AS is_shared,
        coalesce(absences.kind, '') IN ('missing', 'refused', 'moved') OR paused_at IS NOT NULL AS is_unknown,
        ${isChanging("links.repository", "links.number")} AS is_changing,
        ${arriving("links.repository", "links.number")} AS arriving,
        origin = 'adopted' AND EXISTS (SELECT 1 FROM markers WHERE markers.post = links.post
          AND markers.repository = links.repository AND markers.number = links.number AND is_own = 0) AS is_read_only,
        signals.signals AS signals, canonical.facts AS canonical, canonical_signals.signals AS canonical_signals,
        ${isChanging("signals.canonical_repository", "signals.canonical_number")} AS is_canonical_changing,
        ${arriving("signals.canonical_repository", "signals.canonical_number")} AS canonical_arriving
      FROM ${batch}
      CROSS JOIN links ON links.project = @project AND links.post = batch.value
      LEFT JOIN issues ON issues.repository = links.repository AND issues.number = links.number
      LEFT JOIN absences ON absences.repository = links.repository AND absences.number = links.number
      LEFT JOIN repositories ON repositories.id = links.repository
      LEFT JOIN signals ON signals.repository = links.repository AND signals.number = links.number
      LEFT JOIN issues AS canonical ON canonical.repository = signals.canonical_repository
        AND canonical.number = signals.canonical_number AND NOT EXISTS (SELECT 1 FROM absences AS absent
          WHERE absent.repository = canonical.repository AND absent.number = canonical.number)
      LEFT JOIN signals AS canonical_signals ON canonical_signals.repository = signals.canonical_repository
        AND canonical_signals.number = signals.canonical_number
      ORDER BY links.post, links.position`),
    others: store.prepare<[Of], OtherColumns>(`
      SELECT mine.post AS post, mine.repository AS repository, mine.number AS number, posts.id AS id, facts
      FROM ${batch}
      CROSS JOIN links AS mine ON mine.project = @project AND mine.post = batch.value AND mine.title_hash IS NOT NULL
      CROSS JOIN links AS other ON other.project = @project AND other.repository = mine.repository
        AND other.number = mine.number AND other.post <> mine.post
      CROSS JOIN posts ON posts.number = other.post
      LEFT JOIN post_facts ON post_facts.post = other.post
      ORDER BY mine.post, other.post`),
    bases: store.prepare<[Of], BaseColumns>(`
      SELECT post, field, target, post_value, foreign_value, written_sent, written_shown, pending_target, pending_since,
        ruled_from, ruled_since, is_echo
      FROM ${batch} CROSS JOIN bases ON bases.post = batch.value`),
    // A target that is to end has a time and no value; one that is to begin, both.
    issueBases: store.prepare<[Of], IssueBaseOfRow>(`
      SELECT post, repository, number, field, target, shown_value, foreign_value, written_sent, written_shown,
        pending_target, pending_since,
        target IS NOT NULL AND EXISTS (SELECT 1 FROM issue_bases AS other
          WHERE other.repository = issue_bases.repository AND other.number = issue_bases.number
            AND other.field = issue_bases.field AND other.post <> issue_bases.post
            AND CASE WHEN other.pending_since IS NULL THEN other.target ELSE other.pending_target END IS NOT NULL) AS is_claimed
      FROM ${batch} CROSS JOIN issue_bases ON issue_bases.post = batch.value`),
    intents: store.prepare<[Of], { post: number; kind: IntentKind }>(`
      SELECT post, kind FROM ${batch}
      CROSS JOIN intents ON intents.project = @project AND intents.post = batch.value AND ended_at IS NULL
      WHERE state IN ('SENT', 'UNKNOWN') ORDER BY kind`),
    statuses: store.prepare<[Of], { post: number; at: number }>(`
      SELECT post, at FROM ${batch}
      CROSS JOIN posts ON posts.number = batch.value
      CROSS JOIN audit ON audit.post = batch.value AND audit.is_status = 1 AND audit.at > @since
      WHERE audit.at > coalesce(released_at, 0) ORDER BY at`),
    notes: store.prepare<[Of], NoteColumns>(`
      SELECT notes.post AS post, kind, cause, code, message, since, action, signature, planned, follows_at
      FROM ${batch} CROSS JOIN notes ON notes.post = batch.value ORDER BY notes.post, position`),
    accepted: store.prepare<[Of], AcceptedColumns>(`
      SELECT post, ended_at AS at, writes, answer FROM ${batch}
      CROSS JOIN intents INDEXED BY intents_accepted ON intents.post = batch.value AND kind = 'patch-post' AND state = 'DONE'
        AND ended_at > @since AND writes IS NOT NULL
      ORDER BY post, ended_at, intents.id`),
  };
}

/** Parts by the number of their post, in the order in which they came. */
export function groupByPost<Part extends { readonly post: number }>(
  parts: readonly Part[],
): ReadonlyMap<number, Part[]> {
  const groups = new Map<number, Part[]>();
  for (const part of parts) {
    const group = groups.get(part.post);
    if (group === undefined) groups.set(part.post, [part]);
    else group.push(part);
  }
  return groups;
}

function toLinkedIssue(
  post: PostId,
  found: LinkColumns,
  bases: readonly IssueBaseOfRow[] = [],
  others: readonly OtherColumns[] = [],
): LinkedIssue {
  const issue: IssueRef = { repositoryId: found.repository, number: found.number };
  const isHere = ({ repository, number }: { repository: number; number: number }): boolean =>
    found.repository === repository && found.number === number;
  return {
    link: { post, issue, origin: found.origin },
    known: toKnown(found),
    isGone: found.is_gone === 1,
    text: toText(found, others.filter(isHere)),
    ...toIssueBase(bases.filter(isHere)),
    ...toOwnChanges(found.is_changing, found.arriving),
  };
}

function toKnown({ facts, is_unknown, signals, canonical, ...end }: LinkColumns): LinkedIssue["known"] {
  if (facts === null || is_unknown === 1) return undefined;
  return {
    issue: decodeIssue(facts),
    ...(signals !== null && { signals: decodeSignals(signals) }),
    ...(canonical !== null && { canonical: toCanonical(end, canonical) }),
  };
}

function toText(found: LinkColumns, others: readonly OtherColumns[]): LinkedIssue["text"] {
  const { title_hash: titleHash, block_hash: blockHash, left_text } = found;
  if (found.is_read_only === 1) return "read-only";
  // What can't be read can't be brought up to date, either.
  if (titleHash === null || blockHash === null || found.is_unknown === 1) return "none";
  return {
    content: { titleHash, blockHash },
    ...(left_text !== null && { left: readLeftText(left_text) }),
    others: others.map(toPost),
  };
}

function toIssueBase(bases: readonly IssueBaseOfRow[]): Pick<LinkedIssue, "base" | "claimed"> {
  if (bases.length === 0) return {};
  const claimed = bases.filter(({ is_claimed }) => is_claimed === 1).map(({ field }) => field);
  return {
    ...(claimed.length > 0 && { claimed }),
    base: Object.fromEntries(bases.map((base) => [base.field, decodeIssueBase(base)])),
  };
}

function toCanonical(
  found: Pick<LinkColumns, "canonical_signals" | "is_canonical_changing" | "canonical_arriving">,
  facts: string,
): CanonicalIssue {
  const { canonical_signals: signals } = found;
  return {
    issue: decodeIssue(facts),
    ...(signals !== null && { signals: decodeSignals(signals) }),
    ...toOwnChanges(found.is_canonical_changing, found.canonical_arriving),
  };
}

function toOwnChanges(isChanging: number, arriving: string | null): OwnChanges {
  return {
    ...(isChanging === 1 && { isChanging: true }),
    ...(arriving !== null && { mayArrive: readArriving(`[${arriving}]`).flat() }),
  };
}

function toPost({ id, facts }: OtherColumns): Post {
  return { id, values: facts === null ? {} : decodePost(facts) };
}

function toNotes(notes: readonly NoteColumns[] | undefined): Pick<Row, "notes"> {
  return notes === undefined ? {} : { notes: notes.map(toNote) };
}

function toAccepted(found: readonly AcceptedColumns[] | undefined): Pick<Row, "accepted"> {
  if (found === undefined) return {};
  return {
    accepted: found.map(({ at, writes, answer }) => ({
      at,
      writes: readWrites(writes),
      ...(answer !== null && { answer: readAnswer(answer) }),
    })),
  };
}

function toNote({ post: _, code, action, signature, planned, follows_at, ...note }: NoteColumns): RowNote {
  return {
    ...note,
    ...(code !== null && { code }),
    ...(action !== null && { action: { kind: action, ...(signature !== null && { signature }) } }),
    ...(planned !== null && { planned: readPlanned(planned) }),
    ...(follows_at !== null && { until: follows_at }),
  };
}
