import type { RepositoryName } from "../model/issue.ts";
import type { Post, PostField } from "../model/post.ts";
import { lookedAt } from "./board-rules/board-rules.ts";
import { voteLabel } from "./board-rules/vote-labels.ts";
import { isSameValue, isUnread, readField, showValue } from "./ground/fields.ts";
import { isSameName } from "./ground/issue-fields.ts";
import { type PlanContext, type Settings, sortsByVotes } from "./ground/settings.ts";
import { ruledFields } from "./rules/rules.ts";
import { type Group, type Leaf, leavesOf, type Part, selectGroup } from "./select-conditions.ts";

/** Whether a post becomes an issue, with the reason in words. */
export interface Selection {
  readonly isSelected: boolean;
  readonly reason: string;
}

/** What a selection goes by, beside the settings. */
export type SelectLook = Pick<PlanContext, "seen" | "now">;

/** Decides whether a post that has no issue gets one. The first condition that does not hold is the reason. */
export function selectPost(
  post: Post,
  { select, route = [] }: Pick<Settings, "select"> & Partial<Pick<Settings, "route">>,
  look: SelectLook,
): Selection {
  const met: string[] = [];
  for (const part of selectGroup(select).parts) {
    if (tryPart(part, post, look) !== true) return { isSelected: false, reason: sayUnmet(part, post, look) };
    met.push(...sayMet(part, post, look));
  }
  const unsure = isUnread(post, "title", look.seen) ? "title can't be read" : unreadRoute(post, route, look);
  if (unsure !== undefined) return { isSelected: false, reason: unsure };
  return { isSelected: true, reason: `selected: ${met.join(", ") || "every post is"}` };
}

/** Why nobody can tell in which repository a post gets its issue. */
function unreadRoute(post: Post, route: Settings["route"], { seen }: SelectLook): string | undefined {
  const asked = [
    ...(route.some(({ category, label }) => (category ?? label) !== undefined)
      ? (["categoryId"] as const)
      : []),
    ...(route.some(({ status }) => status !== undefined) ? (["status"] as const) : []),
  ];
  const field = asked.find((one) => isUnread(post, one, seen));
  return field && `${field} can't be read, and \`route\` goes by it`;
}

/**
 * When the selection may change although the post does not (epoch ms), since a post gets older; undefined where it never does.
 */
export function turnsAt(
  post: Post,
  { select }: Pick<Settings, "select">,
  { seen, now }: SelectLook,
): number | undefined {
  const times = leavesOf(selectGroup(select)).flatMap(
    (leaf) => leaf.turnsAt?.(readField(post, leaf.field, seen)) ?? [],
  );
  // A board may write any number as a time.
  const ahead = times.map(Math.ceil).filter((at) => at > now && Number.isSafeInteger(at));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** One condition of `select`, beside what the post shows. */
export interface SelectView {
  /** As the config calls it. */
  readonly name: string;
  readonly wants: string;
  readonly shows: string;
  readonly holds: boolean;
}

/**
 * Every condition of `select`, met or not, for a person who asks why: those of `any` and `not` stand behind these. It decides
 * nothing: `selectPost` does.
 */
export function viewSelection(
  post: Post,
  { select }: Pick<Settings, "select">,
  look: SelectLook,
): readonly SelectView[] {
  return viewGroup(selectGroup(select), post, look);
}

function viewGroup({ parts }: Group, post: Post, look: SelectLook): readonly SelectView[] {
  return parts.flatMap((part) => [
    { name: part.name, ...viewPart(part, post, look), holds: tryPart(part, post, look) === true },
    ...(part.kind === "leaf" ? [] : part.groups.flatMap((group) => viewGroup(group, post, look))),
  ]);
}

function viewPart(part: Part, post: Post, look: SelectLook): Pick<SelectView, "wants" | "shows"> {
  switch (part.kind) {
    case "leaf":
      return { wants: part.words, shows: sayField(part, post, look) };
    case "any":
      return {
        wants: `one of ${part.groups.length} to hold`,
        shows: sayMet(part, post, look)[0] ?? "none holds",
      };
    case "not": {
      const held = tryGroup(part.groups[0], post, look);
      const shows = held === undefined ? "nobody can tell" : held ? "it holds" : "it does not";
      return { wants: "this not to hold, as a whole", shows };
    }
  }
}

/** Whether a part holds; undefined where nobody can tell, and then its opposite doesn't hold, either. */
function tryPart(part: Part, post: Post, look: SelectLook): boolean | undefined {
  switch (part.kind) {
    case "leaf": {
      const value = readField(post, part.field, look.seen);
      // What the board shows, and nobody can read, may be either.
      const isSure = part.isDefault === true && !isUnread(post, part.field, look.seen);
      if (value === undefined) return isSure ? true : undefined;
      return part.holds(value, look.now);
    }
    case "any": {
      const tried = part.groups.map((group) => tryGroup(group, post, look));
      return tried.includes(true) ? true : tried.includes(undefined) ? undefined : false;
    }
    case "not": {
      const tried = tryGroup(part.groups[0], post, look);
      return tried === undefined ? undefined : !tried;
    }
  }
}

function tryGroup({ parts }: Group, post: Post, look: SelectLook): boolean | undefined {
  const tried = parts.map((part) => tryPart(part, post, look));
  return tried.includes(false) ? false : tried.includes(undefined) ? undefined : true;
}

/** Why a part does not hold. */
function sayUnmet(part: Part, post: Post, look: SelectLook): string {
  switch (part.kind) {
    case "leaf":
      return `${sayField(part, post, look)}; ${part.name} wants ${part.words}`;
    case "any":
      return `${part.name} wants one of these: ${cut(part.groups.map((group) => sayUnmetIn(group, post, look)))}`;
    case "not":
      return tryGroup(part.groups[0], post, look) === true
        ? `${part.name} shuts it out: ${part.groups[0].parts.flatMap((one) => sayMet(one, post, look)).join(", ")}`
        : sayUnmetIn(part.groups[0], post, look);
  }
}

/** Of the first part that does not hold. */
function sayUnmetIn({ parts }: Group, post: Post, look: SelectLook): string {
  return parts
    .filter((part) => tryPart(part, post, look) !== true)
    .slice(0, 1)
    .map((part) => sayUnmet(part, post, look))
    .join();
}

/** A reason names no more of them. */
const mostNamed = 3;

function cut(reasons: readonly string[]): string {
  const rest = reasons.length - mostNamed;
  return [...reasons.slice(0, mostNamed), ...(rest > 0 ? [`and ${rest} more`] : [])].join(" | ");
}

/** What of the post makes a part hold; nothing where that is a default. */
function sayMet(part: Part, post: Post, look: SelectLook): readonly string[] {
  switch (part.kind) {
    case "leaf":
      return readField(post, part.field, look.seen) === undefined ? [] : [sayField(part, post, look)];
    case "any":
      return part.groups
        .filter((group) => tryGroup(group, post, look) === true)
        .slice(0, 1)
        .map(
          ({ name, parts }) =>
            `${name} holds (${parts.flatMap((one) => sayMet(one, post, look)).join(", ")})`,
        );
    case "not":
      return [`${part.name} does not hold (${sayUnmetIn(part.groups[0], post, look)})`];
  }
}

function sayField({ field }: Leaf, post: Post, { seen }: SelectLook): string {
  return `${field} is ${showValue(readField(post, field, seen))}`;
}

/** The repository of a new issue: the first route whose conditions all hold, else the project's own. */
export function routePost(post: Post, settings: Settings): RepositoryName {
  const { status } = post.values;
  const category = categoryOf(post);
  const label = categoryLabel(post, settings);
  const route = settings.route.find(
    (candidate) =>
      (candidate.category === undefined || candidate.category === category) &&
      (candidate.status === undefined || isSameValue("status", status, candidate.status)) &&
      (candidate.label === undefined || (label !== undefined && isSameName(label, candidate.label))),
  );
  return route?.repo ?? settings.repo;
}

/** The labels of a new issue, each once. */
export function labelsFor(post: Post, settings: Pick<Settings, "issue">): readonly string[] {
  const further = [categoryLabel(post, settings), voteLabel(post.values.votes, settings)];
  const wanted = [...settings.issue.labels, ...further.filter((label) => label !== undefined)];
  return wanted.filter((one, index) => wanted.findIndex((other) => isSameName(one, other)) === index);
}

/** Settings that look at a field which the board does not show: such a condition selects nothing. */
export function unseenConditions(settings: Settings, seen: ReadonlySet<PostField>): readonly string[] {
  const named: (readonly [string, PostField])[] = leavesOf(selectGroup(settings.select))
    .filter(({ isDefault }) => isDefault !== true)
    .map(({ name, field }) => [name, field]);
  if (settings.route.some(({ category }) => category !== undefined))
    named.push(["route.category", "categoryId"]);
  if (settings.route.some(({ status }) => status !== undefined)) named.push(["route.status", "status"]);
  if (Object.keys(settings.issue.categoryLabels).length > 0)
    named.push(["issue.categoryLabels", "categoryId"]);
  if (settings.issue.voteLabels !== undefined) named.push(["issue.voteLabels", "votes"]);
  for (const field of ruledFields(settings.rules)) named.push([`rules.set.${field}`, field]);
  if (sortsByVotes(settings)) named.push(["rules.set.roadmapOrder", "votes"]);
  for (const { name, field } of lookedAt(settings.boardRules)) named.push([`boardRules.when.${name}`, field]);
  return named.filter(([, field]) => !seen.has(field)).map(([name]) => name);
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
