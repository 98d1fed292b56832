import { z } from "zod";
import type { IssueRef, Pin } from "../../../model/issue.ts";
import {
  type CanonicalIssue,
  type LinkedIssue,
  type OwnChanges,
  type Row,
  type RowNote,
  type WholePause,
  withPins,
} from "../../../model/link.ts";
import type { Post, PostId } from "../../../model/post.ts";
import { answerShape, leftTextShape, plannedShape, sentFieldsShape, sentValuesShape } from "../../shapes.ts";
import { stored } from "../../stored.ts";
import { decodeBase } from "../columns/bases.ts";
import { decodeIssue, decodePost, decodeSignals } from "../columns/facts.ts";
import { type Asked, type Columns, fromColumns } from "../store.ts";
import type {
  AcceptedColumns,
  IssueBaseOfRow,
  LinkColumns,
  NoteOfPost,
  OtherColumns,
  RowLine,
  RowParts,
} from "./row-parts.ts";

const readLeftText = stored("links.left_text", leftTextShape);
const readArriving = stored("intents.writes", () => z.array(sentFieldsShape()));
const readWrites = stored("intents.writes", sentValuesShape);
const readAnswer = stored("intents.answer", answerShape);

/** What the action of a note would write. */
export const readPlanned = stored("notes.planned", plannedShape);

export interface PartOfPost {
  readonly post: number;
}

/** The parts of several rows, by the numbers of their posts. */
type Parts = {
  readonly [Name in keyof RowParts]: RowParts[Name] extends Asked<(infer Part)[]>
    ? ReadonlyMap<number, Part[]>
    : never;
};

interface GroupedParts extends Parts {
  readonly pause: WholePause | undefined;
  readonly pins: readonly Pin[];
}

/** Groups what the statements have found, by the names of the parts. */
export function groupParts(
  [pause]: readonly WholePause[],
  pins: readonly Columns<Pin>[],
  parts: readonly (readonly [name: string, found: readonly PartOfPost[]])[],
): GroupedParts {
  const grouped = parts.map(([name, lines]) => [name, Map.groupBy(lines, ({ post }) => post)]);
  const found = Object.fromEntries(grouped) as Parts;
  return { ...found, pause, pins: pins.map(fromColumns<Pin>) };
}

/** @param seenAt - later looks at the post than the state knows of. */
export function toRow(line: RowLine, parts: GroupedParts, seenAt: ReadonlyMap<number, number>): Row {
  const { number, id, seen_at, missing, missing_since, unlinked_at, paused_at, due_at } = line;
  const { pause, pins } = parts;
  const notes = parts.notes.get(number);
  const pinned = (one: LinkedIssue): LinkedIssue => (pins.length === 0 ? one : withPins(one, pins));
  return {
    post: { id, ...decodePost(line.facts) },
    seenAt: seen_at === null ? undefined : (seenAt.get(number) ?? seen_at),
    ...(due_at !== null && { mark: due_at }),
    missing,
    ...(missing > 0 && missing_since !== null && { missingSince: missing_since }),
    ...(unlinked_at !== null && { unlinkedAt: unlinked_at }),
    ...(line.is_import === 1 && { isImport: true }),
    ...(line.has_stray_mark === 1 && { hasStrayMark: true }),
    ...(paused_at !== null && { pausedAt: paused_at }),
    ...(pause && { wholePause: pause }),
    links: (parts.links.get(number) ?? []).map((link) =>
      pinned(toLinkedIssue(id, link, parts.issueBases.get(number), parts.others.get(number))),
    ),
    base: Object.fromEntries((parts.bases.get(number) ?? []).map((base) => [base.field, decodeBase(base)])),
    openIntents: (parts.intents.get(number) ?? []).map(({ kind }) => kind),
    statusWrites: (parts.statuses.get(number) ?? []).map(({ at }) => at),
    ...(notes && { notes: notes.map(toNote) }),
    ...toAccepted(parts.accepted.get(number)),
  };
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
  // Of an issue that is gone it leads nowhere, until that is there again.
  const leads = end.is_canonical_gone === 1 && { canonical: { kind: "known", value: null } as const };
  return {
    issue: decodeIssue(facts),
    ...(signals !== null && { signals: { ...decodeSignals(signals), ...leads } }),
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
    others: others.map(
      ({ id, facts }): Post => ({
        id,
        ...(facts === null ? { values: {} } : decodePost(facts)),
      }),
    ),
  };
}

function toIssueBase(bases: readonly IssueBaseOfRow[]): Pick<LinkedIssue, "base" | "claimed"> {
  if (bases.length === 0) return {};
  const claimed = bases.filter(({ is_claimed }) => is_claimed === 1).map(({ field }) => field);
  return {
    ...(claimed.length > 0 && { claimed }),
    base: Object.fromEntries(bases.map((base) => [base.field, decodeBase(base)])),
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

function toNote({ post: _, code, action, signature, planned, follows_at, ...note }: NoteOfPost): RowNote {
  return {
    ...note,
    ...(code !== null && { code }),
    ...(action !== null && { action: { kind: action, ...(signature !== null && { signature }) } }),
    ...(planned !== null && { planned: readPlanned(planned) }),
    ...(follows_at !== null && { until: follows_at }),
  };
}
