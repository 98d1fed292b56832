import type { RepositoryName } from "../model/issue.ts";
import type { FieldValue, Post, PostField } from "../model/post.ts";
import { readInstant } from "../model/time.ts";
import { lookedAt } from "./board-rules/board-rules.ts";
import { derivedOnce, foldStatus, readField, showValue } from "./ground/fields.ts";
import { isSameName } from "./ground/issue-fields.ts";
import type { Select, Settings } from "./ground/settings.ts";
import { ruledFields } from "./rules/match.ts";

/** Whether a post becomes an issue, with the reason in words. */
export interface Selection {
  readonly isSelected: boolean;
  readonly reason: string;
}

/** One condition of `select`. */
interface PostCondition {
  readonly field: PostField;
  /** What it asks for; undefined when the settings don't name it. */
  read(select: Select): Wish | undefined;
}

interface Wish {
  readonly words: string;
  /** A default holds for a field that the board does not show; what a person asked for does not. */
  readonly isDefault?: boolean;
  holds(value: FieldValue): boolean;
}

/** Every condition there is: a new one is one more of these, and its rows in the table test. */
const conditions: Readonly<Record<Exclude<keyof Select, "isArchivedDefault">, PostCondition>> = {
  archived: {
    field: "isArchived",
    read: (select) => ({ ...isFlag(select.archived), isDefault: select.isArchivedDefault }),
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
  minVotes: {
    field: "votes",
    read: ({ minVotes }) =>
      minVotes === undefined
        ? undefined
        : { words: `${minVotes} or more`, holds: (value) => typeof value === "number" && value >= minVotes },
  },
  createdAfter: {
    field: "createdAt",
    read: ({ createdAfter }) =>
      createdAfter === undefined
        ? undefined
        : {
            words: `${createdAfter} or later`,
            holds: (value) => readInstant(value) >= readInstant(createdAfter),
          },
  },
};

/** Decides whether a post that has no issue gets one. The first condition that does not hold is the reason. */
export function selectPost(
  post: Post,
  settings: Pick<Settings, "select">,
  seen: ReadonlySet<PostField>,
): Selection {
  const met: string[] = [];
  for (const { name, field, wish } of wishes(settings.select)) {
    const value = readField(post, field, seen);
    if (value === undefined && wish.isDefault) continue;
    if (value === undefined || !wish.holds(value)) {
      const reason = `${field} is ${showValue(value)}; select.${name} wants ${wish.words}`;
      return { isSelected: false, reason };
    }
    met.push(`${field} is ${showValue(value)}`);
  }
  return { isSelected: true, reason: `selected: ${met.join(", ") || "every post is"}` };
}

/** One condition of `select`, beside what the post shows. */
export interface SelectView {
  /** As the config calls it. */
  readonly name: string;
  readonly field: PostField;
  readonly wants: string;
  readonly shows: string;
  readonly holds: boolean;
}

/** Every condition of `select`, met or not, for a person who asks why. It decides nothing: `selectPost` does. */
export function viewSelection(
  post: Post,
  { select }: Pick<Settings, "select">,
  seen: ReadonlySet<PostField>,
): readonly SelectView[] {
  return wishes(select).map(({ name, field, wish }) => {
    const value = readField(post, field, seen);
    const holds = value === undefined ? wish.isDefault === true : wish.holds(value);
    return { name: `select.${name}`, field, wants: wish.words, shows: showValue(value), holds };
  });
}

/** The repository of a new issue: the first route whose conditions all hold, else the project's own. */
export function routePost(post: Post, settings: Settings): RepositoryName {
  const { status } = post.values;
  const category = categoryOf(post);
  const label = categoryLabel(post, settings);
  const route = settings.route.find(
    (candidate) =>
      (candidate.category === undefined || candidate.category === category) &&
      (candidate.status === undefined || isStatus(status, candidate.status)) &&
      (candidate.label === undefined || (label !== undefined && isSameName(label, candidate.label))),
  );
  return route?.repo ?? settings.repo;
}

/** The labels of a new issue, each once. */
export function labelsFor(post: Post, settings: Pick<Settings, "issue">): readonly string[] {
  const label = categoryLabel(post, settings);
  const wanted = label === undefined ? settings.issue.labels : [...settings.issue.labels, label];
  return wanted.filter((one, index) => wanted.findIndex((other) => isSameName(one, other)) === index);
}

/** Settings that look at a field which the board does not show: such a condition selects nothing. */
export function unseenConditions(settings: Settings, seen: ReadonlySet<PostField>): readonly string[] {
  const named: (readonly [string, PostField])[] = wishes(settings.select)
    .filter(({ wish }) => !wish.isDefault)
    .map(({ name, field }) => [`select.${name}`, field]);
  if (settings.route.some(({ category }) => category !== undefined))
    named.push(["route.category", "categoryId"]);
  if (settings.route.some(({ status }) => status !== undefined)) named.push(["route.status", "status"]);
  if (Object.keys(settings.issue.categoryLabels).length > 0)
    named.push(["issue.categoryLabels", "categoryId"]);
  for (const field of ruledFields(settings.rules)) named.push([`rules.set.${field}`, field]);
  for (const { name, field } of lookedAt(settings.boardRules)) named.push([`boardRules.when.${name}`, field]);
  return named.filter(([, field]) => !seen.has(field)).map(([name]) => name);
}

interface NamedWish {
  readonly name: string;
  readonly field: PostField;
  readonly wish: Wish;
}

const named = Object.entries(conditions);

const wishes = derivedOnce((select: Select): readonly NamedWish[] => {
  const found: NamedWish[] = [];
  for (const [name, { field, read }] of named) {
    const wish = read(select);
    if (wish !== undefined) found.push({ name, field, wish });
  }
  return found;
});

/** A flag that is null is not set. */
function isFlag(wanted: boolean): Wish {
  return { words: String(wanted), holds: (value) => (value === true) === wanted };
}

function isOneOf(statuses: readonly string[]): Wish["holds"] {
  const wanted = new Set(statuses.map(foldStatus));
  return (value) => typeof value === "string" && wanted.has(foldStatus(value));
}

function isStatus(value: FieldValue | undefined, wanted: string): boolean {
  return typeof value === "string" && foldStatus(value) === foldStatus(wanted);
}

function categoryOf({ values: { categoryId } }: Post): string | undefined {
  return categoryId === undefined || categoryId === null ? undefined : String(categoryId);
}

/** Category ids come from the board: only what the settings name themselves is looked up. */
function categoryLabel(
  post: Post,
  { issue: { categoryLabels } }: Pick<Settings, "issue">,
): string | undefined {
  const category = categoryOf(post);
  return category !== undefined && Object.hasOwn(categoryLabels, category)
    ? categoryLabels[category]
    : undefined;
}
