import type { AuditEntry } from "../../ledger/journal.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import type { PlannedChange } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { newPost } from "../ground/describe.ts";
import { countVoters, describeNotified } from "../ground/voters.ts";

/** More than this that is alike is told as one group. */
export const mostAlike = 20;
/** So many of a group are named as examples. */
export const examplesOfGroup = 3;

/** Things that are told in one line. */
export interface Group<Thing> {
  readonly first: Thing;
  readonly all: readonly Thing[];
}

/** Tells apart what is alike: up to `mostAlike` of a kind stand by themselves, more are one group, where the first of them stood. */
export function groupAlike<Thing>(
  things: readonly Thing[],
  kindOf: (thing: Thing) => string,
  isFull = false,
): readonly Group<Thing>[] {
  const kinds = Map.groupBy(things, kindOf);
  const told = new Set<string>();
  return things.flatMap((first): readonly Group<Thing>[] => {
    const kind = kindOf(first);
    const all = kinds.get(kind) ?? [];
    if (isFull || all.length <= mostAlike) return [{ first, all: [first] }];
    if (told.has(kind)) return [];
    told.add(kind);
    return [{ first, all }];
  });
}

/** What is shown of one thing that waits: the same for `approve`, `status`, the page and notices. */
export interface Waiting extends Pick<WaitingRow, "kind" | "cause" | "message"> {
  readonly post: string;
  /** null in `status --json`. */
  readonly planned?: PlannedChange | null | undefined;
}

/** A post with its title, where it has one. */
export function nameTitled({ post, title }: Pick<WaitingRow, "title"> & { readonly post: string }): string {
  return title === null || title === "" ? post : `${post} “${title}”`;
}

/** Lines that are alike: the same kind, reason and change. */
export interface Alike<Line> {
  /** All of them. */
  readonly lines: readonly Line[];
  /** What is shown by itself: each of them, or examples of a large group. */
  readonly shown: readonly Line[];
  readonly isGroup: boolean;
  /** How many voters all of them would notify; '' where none would. */
  readonly notified: string;
}

/** Most voters first, and posts as a person counts them: p2 before p12. */
export function byVoters(one: Notifying, other: Notifying): number {
  const voters = (other.notifies ?? 0) - (one.notifies ?? 0);
  return voters === 0 ? one.post.localeCompare(other.post, "en", { numeric: true }) : voters;
}

interface Notifying {
  readonly post: string;
  /** null where it is not known. */
  readonly notifies?: number | null;
}

/**
 * Groups what is alike, in the order of the first of each, and within a group most voters first. Few are no group: each is shown by
 * itself. The reason of a group is the same for all of them, but for the post and the issue that it names.
 */
export function groupWaiting<Line extends Waiting>(
  lines: readonly Line[],
  isFull: boolean,
): readonly Alike<Line>[] {
  return [...Map.groupBy(lines, (line) => likenessOf(line, withoutOwn(line))).values()].flatMap((found) => {
    const isGroup = !isFull && found.length > mostAlike;
    if (isGroup) return [toAlike(found, isGroup)];
    return [...Map.groupBy(found, (line) => likenessOf(line, line.message)).values()].map((alike) =>
      toAlike(alike, isGroup),
    );
  });
}

function toAlike<Line extends Waiting>(found: readonly Line[], isGroup: boolean): Alike<Line> {
  const lines = found.toSorted((one, other) =>
    byVoters({ ...one.planned, post: one.post }, { ...other.planned, post: other.post }),
  );
  const notifies = lines.flatMap(({ planned }) => (planned == null ? [] : [planned.notifies]));
  const isOne = new Set(lines.map(({ message }) => message)).size === 1;
  const shown = isGroup
    ? lines.slice(0, examplesOfGroup).map((line) => (isOne ? line : { ...line, message: withoutOwn(line) }))
    : lines;
  return { lines, shown, isGroup, notified: describeNotified(countVoters(notifies)) };
}

/** What waits and begins with an issue is about the post's own: it says the same of every other one. */
function withoutOwn({ message, post }: Waiting): string {
  return withoutPost(message, post).replace(/^[\w.-]+\/[\w.-]+#\d+\b/, "The issue");
}

/** A message that begins with the number of the post's issue, or ends in a command for the post, says the same of every other one. */
export function withoutPost(message: string, post: string | null | undefined): string {
  const told = post == null ? message : message.replaceAll(` ${post}\``, " POST`");
  return told.replace(/^issue #\d+\b/, "the issue");
}

/** What is noted for each field of a post by itself. */
const ofFields: readonly Waiting["kind"][] = ["settling", "paused", "disagreement", "did-not-stick"];

/** What is noted of the fields of a post for the same cause is one line, in the place of the first. */
export function joinFields<Line extends Waiting>(lines: readonly Line[]): readonly Line[] {
  const groups = Map.groupBy(lines, (line) =>
    ofFields.includes(line.kind) ? `${line.kind} ${line.cause} ${line.post}` : line,
  );
  return [...groups.values()].flatMap((own) => own.slice(0, 1).map((first) => joinLines(first, own)));
}

function joinLines<Line extends Waiting>(first: Line, own: readonly Line[]): Line {
  const all = own.flatMap(({ planned }) => planned ?? []);
  if (own.length < 2 || (all.length > 0 && all.length < own.length)) return first;
  const [one] = all;
  if (one === undefined) return { ...first, message: joinMessages(own.map(({ message }) => message)) };
  const { known, unknown } = countVoters(all.map(({ notifies }) => notifies));
  const changes = all.flatMap((planned) => planned.changes);
  return { ...first, planned: { ...one, changes, notifies: unknown > 0 ? null : known } };
}

/** "status is `a`: it stays so" and "roadmapColumn is `b`: it stays so" are "status is `a`, roadmapColumn is `b`: it stays so". */
function joinMessages(messages: readonly string[]): string {
  // The longest end that all have: what it quotes may hold a colon, too.
  const [parts = []] = messages.map((message) => message.split(": "));
  const end = parts
    .map((_, from) => parts.slice(from).join(": "))
    .find((rest) => messages.every((message) => message === rest || message.endsWith(`: ${rest}`)));
  if (end === undefined) return [...new Set(messages)].join("; ");
  const begun = messages.map((message) => message.slice(0, -end.length).replace(/: $/, ""));
  return `${begun.filter((text) => text !== "").join("; ")}${begun.some((text) => text !== "") ? ": " : ""}${end}`;
}

/** What the lines of a group have in common. Texts differ from post to post, and so do the places of issues. */
function likenessOf({ kind, planned }: Waiting, message: string): string {
  const changes = planned?.changes.map(({ field, to }) => [field, isText(field) ? "" : to]);
  return JSON.stringify([kind, message, planned?.place?.replaceAll(/#\d+/g, "#"), changes]);
}

/**
 * What would be written, and how many voters would be notified: "status: planned → completed; 202 voters are notified"; '' where that is not recorded.
 *
 * @param hasTexts - whether texts of posts may be quoted.
 */
export function describePlanned(planned: Waiting["planned"], hasTexts: boolean): string {
  if (planned == null) return "";
  const what = describeWritten(planned, hasTexts);
  const notified = describeNotified(countVoters([planned.notifies]));
  return notified === "" ? what : `${what}; ${notified}`;
}

/** Whether voters would be notified, as far as that is recorded. */
export function isNotifying(planned: Waiting["planned"]): boolean {
  return planned != null && planned.notifies !== 0;
}

/** The same without the voters. */
export function describeWritten({ place, changes }: PlannedChange, hasTexts: boolean): string {
  const isNew = place !== null && !place.includes("#");
  const fields = changes.map((change) => describeChange(change, hasTexts)).join(", ");
  return isNew ? `opens an issue in ${place}${fields === "" ? "" : `, then ${fields}`}` : fields;
}

function describeChange({ field, from, to }: PlannedChange["changes"][number], hasTexts: boolean): string {
  if (!isText(field)) return showChange(field, from, to);
  // What people have written is told as it is, also where a time stands in it.
  return hasTexts ? showChange(field, from === undefined ? undefined : quoted(from), quoted(to)) : field;
}

function quoted(text: FieldValue): FieldValue {
  return text === null ? null : `“${text}”`;
}

/** The fields of a write, each with what was there before where that is known. */
export function showChanges(fields: AuditEntry["fields"]): string {
  return fields.map(({ field, before, value }) => showChange(field, before, value)).join(", ");
}

/** "status: planned → completed"; undefined where it is not known what was there before. */
function showChange(field: string, from: FieldValue | undefined, to: FieldValue): string {
  return `${field}: ${from === undefined ? "" : `${showOrDash(from)} → `}${showOrDash(to)}`;
}

/** The value of a field; an empty one is a dash. */
export function showOrDash(value: FieldValue): string {
  return value === null ? "–" : String(value);
}

/** Whether people have written its value. */
function isText(field: string): boolean {
  return ["title", "body", "comment", newPost].includes(field);
}
