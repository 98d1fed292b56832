import type { RepositoryName } from "../model/issue.ts";
import type { Post, PostField } from "../model/post.ts";
import { lookedAt } from "./board-rules/board-rules.ts";
import { voteLabel } from "./board-rules/vote-labels.ts";
import { isSameValue, isUnread, readField, showValue } from "./ground/fields.ts";
import { isSameName } from "./ground/issue-fields.ts";
import { type PlanContext, type Settings, sortsByVotes } from "./ground/settings.ts";
import { ruledFields } from "./rules/rules.ts";
import { type Group, leavesOf, type Part, selectGroup } from "./select-conditions.ts";

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
    const held = holdPart(part, post, look);
    if (held.holds !== true) return { isSelected: false, reason: held.unmet };
    met.push(...held.met);
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
  return viewParts(holdGroup(selectGroup(select), post, look));
}

function viewParts({ parts }: HeldGroup): readonly SelectView[] {
  return parts.flatMap(({ name, wants, shows, holds, groups }) => [
    { name, wants, shows, holds: holds === true },
    ...groups.flatMap(viewParts),
  ]);
}

/** A part of `select`, held against a post. */
interface HeldPart extends Omit<SelectView, "holds"> {
  /** undefined where nobody can tell, and then its opposite doesn't hold, either. */
  readonly holds: boolean | undefined;
  /** What of the post makes it hold; nothing where that is a default. */
  readonly met: readonly string[];
  /** Why it does not hold. */
  readonly unmet: string;
  readonly groups: readonly HeldGroup[];
}

/** The same of a group, with the reason of its first part that does not hold. */
interface HeldGroup extends Pick<HeldPart, "name" | "holds" | "unmet"> {
  readonly met: string;
  readonly parts: readonly HeldPart[];
}

function holdGroup({ name, parts: given }: Group, post: Post, look: SelectLook): HeldGroup {
  const parts = given.map((part) => holdPart(part, post, look));
  const verdicts = parts.map(({ holds }) => holds);
  return {
    name,
    parts,
    holds: verdicts.includes(false) ? false : verdicts.includes(undefined) ? undefined : true,
    met: parts.flatMap(({ met }) => met).join(", "),
    unmet: parts.find(({ holds }) => holds !== true)?.unmet ?? "",
  };
}

function holdPart(part: Part, post: Post, look: SelectLook): HeldPart {
  const { name } = part;
  switch (part.kind) {
    case "leaf": {
      const { field, words, isDefault } = part;
      const value = readField(post, field, look.seen);
      // What the board shows, and nobody can read, may be either.
      const isSure = isDefault === true && !isUnread(post, field, look.seen);
      const shows = `${field} is ${showValue(value)}`;
      const told = { name, wants: words, shows, unmet: `${shows}; ${name} wants ${words}`, groups: [] };
      return value === undefined
        ? { ...told, holds: isSure ? true : undefined, met: [] }
        : { ...told, holds: part.holds(value, look.now), met: [shows] };
    }
    case "any": {
      const groups = part.groups.map((group) => holdGroup(group, post, look));
      const first = groups.find(({ holds }) => holds === true);
      const met = first === undefined ? [] : [`${first.name} holds (${first.met})`];
      const isOpen = groups.some(({ holds }) => holds === undefined);
      return {
        name,
        wants: `one of ${groups.length} to hold`,
        shows: met[0] ?? "none holds",
        holds: first !== undefined ? true : isOpen ? undefined : false,
        met,
        unmet: `${name} wants one of these: ${cut(groups.map(({ unmet }) => unmet))}`,
        groups,
      };
    }
    case "not": {
      const group = holdGroup(part.groups[0], post, look);
      const { holds } = group;
      return {
        name,
        wants: "this not to hold, as a whole",
        shows: holds === undefined ? "nobody can tell" : holds ? "it holds" : "it does not",
        holds: holds === undefined ? undefined : !holds,
        met: [`${name} does not hold (${group.unmet})`],
        unmet: holds === true ? `${name} shuts it out: ${group.met}` : group.unmet,
        groups: [group],
      };
    }
  }
}

/** A reason names no more of them. */
const mostNamed = 3;

function cut(reasons: readonly string[]): string {
  const rest = reasons.length - mostNamed;
  return [...reasons.slice(0, mostNamed), ...(rest > 0 ? [`and ${rest} more`] : [])].join(" | ");
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
