import type { FieldValue, PostField } from "../model/post.ts";
import { dayMs, hourMs, minuteMs, readInstant } from "../model/time.ts";
import { foldName, foldStatus } from "./ground/fields.ts";
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
  readonly groups: readonly [Group];
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

type ConditionName = Exclude<keyof SelectConditions, "any" | "not">;

/** One condition of `select`, as far as the settings name it. */
interface PostCondition<Wanted> {
  readonly field: PostField;
  wish(wanted: Wanted, given: SelectConditions & Partial<Select>): Wish;
}

/** Every condition there is: a new one is one more of these, and its rows in the table test. */
const conditions: {
  readonly [Name in ConditionName]: PostCondition<NonNullable<SelectConditions[Name]>>;
} = {
  archived: {
    field: "isArchived",
    wish: (wanted, { isArchivedDefault = false }) => ({ ...isFlag(wanted), isDefault: isArchivedDefault }),
  },
  statuses: { field: "status", wish: isOneOf },
  categories: {
    field: "categoryId",
    wish: (ids) => ({
      words: ids.join(", "),
      holds: (value) => value !== null && ids.includes(String(value)),
    }),
  },
  reviewed: { field: "isReviewed", wish: isFlag },
  onRoadmap: { field: "onRoadmap", wish: isFlag },
  roadmapColumn: { field: "roadmapColumn", wish: isOneOf },
  title: {
    field: "title",
    wish: (texts) => ({ words: `a title with ${texts.join(", or with ")}`, holds: hasOneOf(texts) }),
  },
  minVotes: {
    field: "votes",
    wish: (least) => ({ words: `${least} or more`, holds: withNumber((votes) => votes >= least) }),
  },
  maxVotes: {
    field: "votes",
    wish: (most) => ({ words: `${most} or fewer`, holds: withNumber((votes) => votes <= most) }),
  },
  createdAfter: {
    field: "createdAt",
    wish: (first) => ({ words: `${first} or later`, holds: withTime((at) => at >= readInstant(first)) }),
  },
  createdBefore: {
    field: "createdAt",
    wish: (end) => ({ words: `earlier than ${end}`, holds: withTime((at) => at < readInstant(end)) }),
  },
  olderThan: {
    field: "createdAt",
    wish: (age) => ({
      words: `an age of ${sayDuration(age)} or more`,
      holds: withTime((at, now) => now - at >= age),
      turnsAt: (value) => readInstant(value) + age,
    }),
  },
};

const all = Object.keys(conditions) as ConditionName[];

const groups = new WeakMap<Select, Group>();

/** The conditions of `select`; worked out once, and not for every post. Other settings are another object. */
export function selectGroup(select: Select): Group {
  const group = groups.get(select) ?? groupOf(select, "select");
  groups.set(select, group);
  return group;
}

/** Every condition on one field in a group, at any depth. */
export function leavesOf({ parts }: Group): readonly Leaf[] {
  return parts.flatMap((part) => (part.kind === "leaf" ? [part] : part.groups.flatMap(leavesOf)));
}

function groupOf(given: SelectConditions, name: string): Group {
  const { any, not } = given;
  const parts: Part[] = all.flatMap((key) => leafOf(key, given, name));
  if (any !== undefined) {
    const groups = any.map((group, index) => groupOf(group, `${name}.any[${index}]`));
    parts.push({ kind: "any", name: `${name}.any`, groups });
  }
  if (not !== undefined)
    parts.push({ kind: "not", name: `${name}.not`, groups: [groupOf(not, `${name}.not`)] });
  return { name, parts };
}

function leafOf<Name extends ConditionName>(
  key: Name,
  given: SelectConditions,
  name: string,
): readonly Leaf[] {
  const wanted = given[key];
  if (wanted === undefined) return [];
  const { field, wish } = conditions[key];
  return [{ kind: "leaf", name: `${name}.${key}`, field, ...wish(wanted, given) }];
}

/** A flag that is null is not set. */
function isFlag(wanted: boolean): Wish {
  return { words: String(wanted), holds: (value) => (value === true) === wanted };
}

/** Words of the board, in any spelling of them. */
function isOneOf(words: readonly string[]): Wish {
  const wanted = new Set(words.map(foldStatus));
  return {
    words: words.join(", "),
    holds: (value) => typeof value === "string" && wanted.has(foldStatus(value)),
  };
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
