import type { FieldValue, PostField } from "../model/post.ts";
import { dayMs, hourMs, minuteMs, readInstant } from "../model/time.ts";
import { derivedOnce, foldName, foldStatus } from "./ground/fields.ts";
import type { Select, SelectConditions } from "./ground/settings.ts";

/** `select` as it is gone through: each condition with its name in the config, such as `select.any[0].minVotes`. */
export type Part = Leaf | AnyOf | NoneOf;

/** A condition on one field. */
export interface Leaf extends Wish {
  readonly kind: "leaf";
  readonly name: string;
  readonly field: PostField;
}

/** Holds where one of its groups does. */
interface AnyOf {
  readonly kind: "any";
  readonly name: string;
  readonly groups: readonly Group[];
}

/** Holds where its group, as a whole, does not. */
interface NoneOf {
  readonly kind: "not";
  readonly name: string;
  readonly group: Group;
}

/** Conditions that have to hold together. */
export interface Group {
  readonly name: string;
  readonly parts: readonly Part[];
}

/** What a condition asks for. */
interface Wish {
  readonly words: string;
  /** A default holds for a field that the board does not show; what a person asked for does not. */
  readonly isDefault?: boolean;
  /** undefined where the value is none that can be compared: then neither the condition nor its opposite holds. */
  holds(value: FieldValue, now: number): boolean | undefined;
  /** When the answer changes although the post does not (epoch ms, or NaN). Absent where it never does. */
  turnsAt?(value: FieldValue | undefined): number;
}

/** One condition of `select`. */
interface PostCondition {
  readonly field: PostField;
  /** What it asks for; undefined when the settings don't name it. */
  read(select: SelectConditions & Partial<Select>): Wish | undefined;
}

/** Every condition there is: a new one is one more of these, and its rows in the table test. */
const conditions: Readonly<Record<Exclude<keyof SelectConditions, "any" | "not">, PostCondition>> = {
  archived: {
    field: "isArchived",
    read: ({ archived, isArchivedDefault = false }) =>
      archived === undefined ? undefined : { ...isFlag(archived), isDefault: isArchivedDefault },
  },
  statuses: {
    field: "status",
    read: ({ statuses }) => statuses && { words: statuses.join(", "), holds: isOneOf(statuses) },
  },
  categories: {
    field: "categoryId",
    read: ({ categories }) =>
      categories && {
        words: categories.join(", "),
        holds: (value) => value !== null && categories.includes(String(value)),
      },
  },
  reviewed: {
    field: "isReviewed",
    read: ({ reviewed }) => (reviewed === undefined ? undefined : isFlag(reviewed)),
  },
  onRoadmap: {
    field: "onRoadmap",
    read: ({ onRoadmap }) => (onRoadmap === undefined ? undefined : isFlag(onRoadmap)),
  },
  roadmapColumn: {
    field: "roadmapColumn",
    read: ({ roadmapColumn }) =>
      roadmapColumn && { words: roadmapColumn.join(", "), holds: isOneOf(roadmapColumn) },
  },
  title: {
    field: "title",
    read: ({ title }) =>
      title && { words: `a title with ${title.join(", or with ")}`, holds: hasOneOf(title) },
  },
  minVotes: {
    field: "votes",
    read: ({ minVotes }) =>
      minVotes === undefined
        ? undefined
        : { words: `${minVotes} or more`, holds: withNumber((votes) => votes >= minVotes) },
  },
  maxVotes: {
    field: "votes",
    read: ({ maxVotes }) =>
      maxVotes === undefined
        ? undefined
        : { words: `${maxVotes} or fewer`, holds: withNumber((votes) => votes <= maxVotes) },
  },
  createdAfter: {
    field: "createdAt",
    read: ({ createdAfter }) =>
      createdAfter === undefined
        ? undefined
        : { words: `${createdAfter} or later`, holds: withTime((at) => at >= readInstant(createdAfter)) },
  },
  createdBefore: {
    field: "createdAt",
    read: ({ createdBefore }) =>
      createdBefore === undefined
        ? undefined
        : {
            words: `earlier than ${createdBefore}`,
            holds: withTime((at) => at < readInstant(createdBefore)),
          },
  },
  olderThan: {
    field: "createdAt",
    read: ({ olderThan }) =>
      olderThan === undefined
        ? undefined
        : {
            words: `an age of ${sayDuration(olderThan)} or more`,
            holds: withTime((at, now) => now - at >= olderThan),
            turnsAt: (value) => readInstant(value) + olderThan,
          },
  },
};

/** The conditions of `select`. */
export const selectGroup = derivedOnce((select: Select): Group => groupOf(select, "select"));

/** Every condition on one field in a group, at any depth. */
export function leavesOf({ parts }: Group): readonly Leaf[] {
  return parts.flatMap(leavesIn);
}

function leavesIn(part: Part): readonly Leaf[] {
  switch (part.kind) {
    case "leaf":
      return [part];
    case "any":
      return part.groups.flatMap(leavesOf);
    case "not":
      return leavesOf(part.group);
  }
}

/** Every group of conditions in the settings, with its name: `select`, then those of `any` and `not` in it. */
export function listGroups(
  given: SelectConditions,
  name = "select",
): readonly { readonly name: string; readonly given: SelectConditions }[] {
  const { any = [], not } = given;
  return [
    { name, given },
    ...any.flatMap((group, index) => listGroups(group, `${name}.any[${index}]`)),
    ...(not === undefined ? [] : listGroups(not, `${name}.not`)),
  ];
}

const known = Object.entries(conditions);

function groupOf(given: SelectConditions, name: string): Group {
  const parts: Part[] = [];
  for (const [key, { field, read }] of known) {
    const wish = read(given);
    if (wish !== undefined) parts.push({ kind: "leaf", name: `${name}.${key}`, field, ...wish });
  }
  const { any, not } = given;
  if (any !== undefined) {
    const groups = any.map((group, index) => groupOf(group, `${name}.any[${index}]`));
    parts.push({ kind: "any", name: `${name}.any`, groups });
  }
  if (not !== undefined) parts.push({ kind: "not", name: `${name}.not`, group: groupOf(not, `${name}.not`) });
  return { name, parts };
}

/** A flag that is null is not set. */
function isFlag(wanted: boolean): Wish {
  return { words: String(wanted), holds: (value) => (value === true) === wanted };
}

/** Words of the board, in any spelling of them. */
function isOneOf(words: readonly string[]): Wish["holds"] {
  const wanted = new Set(words.map(foldStatus));
  return (value) => typeof value === "string" && wanted.has(foldStatus(value));
}

/** Plain texts and no patterns: a title is a stranger's, and a pattern may take for ever. */
function hasOneOf(texts: readonly string[]): Wish["holds"] {
  const wanted = texts.map(foldName);
  return (value) => {
    const title = foldName(String(value));
    return wanted.some((text) => title.includes(text));
  };
}

function withNumber(holds: (value: number) => boolean): Wish["holds"] {
  return (value) => (typeof value === "number" ? holds(value) : undefined);
}

function withTime(holds: (at: number, now: number) => boolean): Wish["holds"] {
  return (value, now) => {
    const at = readInstant(value);
    return Number.isNaN(at) ? undefined : holds(at, now);
  };
}

/** As the config writes it: `14d`. */
function sayDuration(ms: number): string {
  if (ms % dayMs === 0) return `${ms / dayMs}d`;
  if (ms % hourMs === 0) return `${ms / hourMs}h`;
  return ms % minuteMs === 0 ? `${ms / minuteMs}m` : `${ms / 1000}s`;
}
