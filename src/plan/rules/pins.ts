import type { Issue, Milestone, Named, Pin, PinKind, RepositoryId } from "../../model/issue.ts";
import { isSameName } from "../ground/issue-fields.ts";
import type { Rule } from "../ground/settings.ts";
import type { IssueFacts, Truth } from "./condition.ts";

/** What the rules of a project name, and a repository has under an id: each name once. */
export type RuleNames = Readonly<Record<PinKind, readonly string[]>>;

/** What the lists of a repository show. */
export interface NameLists {
  readonly labels: readonly Named[];
  readonly milestones: readonly Milestone[];
  readonly types: readonly Named[];
}

/** The names that are pinned for rules. */
export function namesOfRules(rules: readonly Pick<Rule, "when">[]): RuleNames {
  const all = rules.map(({ when }) => when);
  const labels = all.flatMap(({ labels = [], anyLabel = [], noLabel = [] }) => [
    ...labels,
    ...anyLabel,
    ...noLabel,
  ]);
  const milestones = all.flatMap(({ milestone = "any" }) =>
    milestone === "any" || milestone === "none" ? [] : [milestone],
  );
  const types = all.flatMap(({ type }) => type ?? []);
  return { label: once(labels), milestone: once(milestones), type: once(types) };
}

function once(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.findIndex((other) => isSameName(other, name)) === at);
}

/**
 * What names mean in a repository by now. One that was never seen there means nothing yet. One that was seen goes on to mean the
 * same, whatever that is called; only where that was deleted, it means what is called so now.
 *
 * @param known what the names meant so far, in this repository.
 */
export function pinNames(
  repositoryId: RepositoryId,
  known: readonly Pin[],
  names: RuleNames,
  lists: NameLists,
): readonly Pin[] {
  const kinds = ["label", "milestone", "type"] as const;
  return kinds.flatMap((kind) => {
    const listed = listOf(kind, lists);
    return names[kind].flatMap((name): readonly Pin[] => {
      const before = known.find((pin) => pin.kind === kind && isSamePinName(kind, pin.name, name));
      const now = listed.find(({ id }) => id === before?.id);
      if (before !== undefined && now !== undefined) return [{ ...before, name, now: now.name }];
      const called = listed.find((one) => isSamePinName(kind, one.name, name));
      if (called === undefined) return before === undefined ? [] : [{ ...before, name, now: undefined }];
      return [{ repositoryId, kind, name, id: called.id, now: called.name }];
    });
  });
}

/** Titles of milestones have a case; names of labels and types have none. */
function isSamePinName(kind: PinKind, one: string, other: string): boolean {
  return kind === "milestone" ? one === other : isSameName(one, other);
}

/** An open milestone stands before a closed one of the same title. */
function listOf(kind: PinKind, lists: NameLists): readonly { readonly id: string; readonly name: string }[] {
  if (kind === "milestone") {
    return byState(lists.milestones).map(({ number, title }) => ({ id: String(number), name: title }));
  }
  const named = kind === "label" ? lists.labels : lists.types;
  return named.flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name }]));
}

/** Milestones, open ones first. */
export function byState(milestones: readonly Milestone[]): readonly Milestone[] {
  return milestones.toSorted((one, other) => Number(other.state === "open") - Number(one.state === "open"));
}

/** What people can do to what a name means. */
export type PinNews = "deleted" | "made anew" | "renamed";

/** What has become of a name since it was looked at last; undefined where it means what it meant, under the same name. */
export function newsOfPin(known: Pin | undefined, pin: Pin): PinNews | undefined {
  if (known === undefined) return undefined;
  if (pin.id !== known.id) return "made anew";
  if (pin.now === undefined) return known.now === undefined ? undefined : "deleted";
  return pin.now !== known.now && isRenamed(pin) ? "renamed" : undefined;
}

/** Whether something is called otherwise now than the rules call it. */
export function isRenamed({ kind, name, now }: Pin): boolean {
  return now !== undefined && !isSamePinName(kind, name, now);
}

const nothing: readonly Pin[] = [];

/** Whether an issue carries what a name in a rule means. */
export function carries(facts: IssueFacts, kind: PinKind, name: string): Truth {
  const { issue, pins = nothing } = facts;
  const own = ownOf(issue, kind);
  const pin = pins.find((one) => one.kind === kind && isSamePinName(kind, one.name, name));
  if (pin === undefined) return own.some((one) => isSamePinName(kind, one.name, name));
  if (pin.now === undefined) return { kind: "unknown", message: sayDeleted(pin) };
  // What was made under the name of something renamed counts, too; what is known under another name of the rules does not.
  const isOther = (id: string): boolean =>
    pins.some((one) => one.kind === kind && one.id === id && !isSamePinName(kind, one.name, name));
  return own.some((one) => one.id === pin.id || (isSamePinName(kind, one.name, name) && !isOther(one.id)));
}

/** What an issue carries of a kind. */
function ownOf(
  { labels, labelIds = [], milestone, type, typeId = "" }: Issue,
  kind: PinKind,
): readonly { readonly id: string; readonly name: string }[] {
  switch (kind) {
    case "label":
      return labels.map((name, at) => ({ id: labelIds[at] ?? "", name }));
    case "milestone":
      return milestone === null ? [] : [{ id: String(milestone.number), name: milestone.title }];
    case "type":
      return type === null ? [] : [{ id: typeId, name: type }];
  }
}

/** Names for people. */
export const pinNouns: Readonly<Record<PinKind, string>> = {
  label: "label",
  milestone: "milestone",
  type: "issue type",
};

function sayDeleted({ kind, name }: Pin): string {
  const noun = pinNouns[kind];
  return `the ${noun} "${name}", which was deleted on the tracker: make a ${noun} of that name, or take it out of the rule`;
}
