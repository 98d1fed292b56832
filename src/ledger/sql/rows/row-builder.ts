import { z } from "zod";
import { type IssueRef, isSameIssue, type Pin } from "../../../model/issue.ts";
import {
  type AcceptedPatch,
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
import type { Asked } from "../store.ts";
import type {
  AcceptedColumns,
  IssueBaseOfRow,
  KnownColumns,
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
  pins: readonly Pin[],
  parts: readonly (readonly [name: string, found: readonly PartOfPost[]])[],
): GroupedParts {
  const grouped = parts.map(([name, lines]) => [name, Map.groupBy(lines, ({ post }) => post)]);
  return { ...(Object.fromEntries(grouped) as Parts), pause, pins };
}

/** @param lookedAt - later looks at the posts than the state knows of. */
export function toRow(found: RowLine, parts: GroupedParts, lookedAt: ReadonlyMap<number, number>): Row {
  const { number, id, facts, seenAt, ...line } = found;
  const { pause, pins } = parts;
  const notes = parts.notes.get(number);
  const accepted = parts.accepted.get(number);
  const pinned = (one: LinkedIssue): LinkedIssue => (pins.length === 0 ? one : withPins(one, pins));
  return {
    ...line,
    post: { id, ...decodePost(facts) },
    seenAt: seenAt === undefined ? undefined : (lookedAt.get(number) ?? seenAt),
    ...(pause && { wholePause: pause }),
    links: (parts.links.get(number) ?? []).map((link) =>
      pinned(toLinkedIssue(id, link, parts.issueBases.get(number), parts.others.get(number))),
    ),
    base: Object.fromEntries((parts.bases.get(number) ?? []).map((base) => [base.field, decodeBase(base)])),
    openIntents: (parts.intents.get(number) ?? []).map(({ kind }) => kind),
    statusWrites: (parts.statuses.get(number) ?? []).map(({ at }) => at),
    ...(notes && { notes: notes.map(toNote) }),
    ...(accepted && { accepted: accepted.map(toAccepted) }),
  };
}

function toLinkedIssue(
  post: PostId,
  found: LinkColumns,
  bases: readonly IssueBaseOfRow[] = [],
  others: readonly OtherColumns[] = [],
): LinkedIssue {
  const { issue, origin, isGone = false } = found;
  const isHere = (one: { readonly issue: IssueRef }): boolean => isSameIssue(one.issue, issue);
  return {
    link: { post, issue, origin },
    known: toKnown(found),
    isGone,
    text: toText(found, others.filter(isHere)),
    ...toIssueBase(bases.filter(isHere)),
    ...toOwnChanges(found),
  };
}

function toKnown({ facts, isUnknown, signals, canonical }: LinkColumns): LinkedIssue["known"] {
  if (facts === undefined || isUnknown) return undefined;
  // Of an issue that is gone it leads nowhere, until that is there again.
  const leads = canonical?.isGone && { canonical: { kind: "known", value: null } as const };
  return {
    issue: decodeIssue(facts),
    ...(signals !== undefined && { signals: { ...decodeSignals(signals), ...leads } }),
    ...(canonical?.facts !== undefined && { canonical: toCanonical(canonical, canonical.facts) }),
  };
}

function toText(found: LinkColumns, others: readonly OtherColumns[]): LinkedIssue["text"] {
  const { titleHash, blockHash, leftText } = found;
  if (found.isReadOnly) return "read-only";
  // What can't be read can't be brought up to date, either.
  if (titleHash === undefined || blockHash === undefined || found.isUnknown) return "none";
  return {
    content: { titleHash, blockHash },
    ...(leftText !== undefined && { left: readLeftText(leftText) }),
    others: others.map(
      ({ id, facts }): Post => ({ id, ...(facts === undefined ? { values: {} } : decodePost(facts)) }),
    ),
  };
}

function toIssueBase(bases: readonly IssueBaseOfRow[]): Pick<LinkedIssue, "base" | "claimed"> {
  if (bases.length === 0) return {};
  const claimed = bases.filter(({ isClaimed }) => isClaimed).map(({ field }) => field);
  return {
    ...(claimed.length > 0 && { claimed }),
    base: Object.fromEntries(bases.map((base) => [base.field, decodeBase(base)])),
  };
}

function toCanonical(found: KnownColumns, facts: string): CanonicalIssue {
  const { signals } = found;
  return {
    issue: decodeIssue(facts),
    ...(signals !== undefined && { signals: decodeSignals(signals) }),
    ...toOwnChanges(found),
  };
}

function toOwnChanges({ isChanging, arriving }: KnownColumns): OwnChanges {
  return {
    ...(isChanging && { isChanging }),
    ...(arriving !== undefined && { mayArrive: readArriving(`[${arriving}]`).flat() }),
  };
}

function toAccepted({ at, writes, answer }: AcceptedColumns): AcceptedPatch {
  return {
    at,
    writes: readWrites(writes),
    ...(answer !== undefined && { answer: readAnswer(answer) }),
  };
}

function toNote({ post: _, planned, ...note }: NoteOfPost): RowNote {
  return { ...note, ...(planned !== undefined && { planned: readPlanned(planned) }) };
}
