import type { Issue, Milestone, Named, Pin, PinKind, RepositoryId, Unreadable } from "../../model/issue.ts";
import type { KnownIssue } from "../../model/link.ts";
import { isSameName } from "../ground/issue-fields.ts";
import type { Condition, Rule } from "../ground/settings.ts";

/** What the rules of a project name, and a repository has under an id: each name once. */
export type RuleNames = Readonly<Record<PinKind, readonly string[]>>;

/** What the lists of a repository show. */
export interface NameLists {
  readonly labels: readonly Named[];
  readonly milestones: readonly Milestone[];
  readonly types: readonly Named[];
}

/**
 * Stands for all milestones of a repository: whether an issue is in any, and in what state that is, hangs on each of them. No rule
 * means a title by it.
 */
const anyMilestone = "any";

/** The names that are pinned for rules. */
export function namesOfRules(rules: readonly Pick<Rule, "when">[]): RuleNames {
  const all = rules.map(({ when }) => when);
  const labels = all.flatMap(({ labels = [], anyLabel = [], noLabel = [] }) => [
    ...labels,
    ...anyLabel,
    ...noLabel,
  ]);
  const milestones = all.flatMap(milestonesOf);
  const types = all.flatMap(({ type }) => type ?? []);
  return { label: once(labels), milestone: [...new Set(milestones)], type: once(types) };
}

function milestonesOf({ milestone, milestoneState, released }: Condition): readonly string[] {
  const isAny = milestone === "any" || milestone === "none";
  const looksAtAll = isAny || milestoneState !== undefined || released !== undefined;
  return [...(isAny || milestone === undefined ? [] : [milestone]), ...(looksAtAll ? [anyMilestone] : [])];
}

function once(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.findIndex((other) => isSameName(other, name)) === at);
}

/**
 * What names mean in a repository by now. One that was never seen there means nothing yet. What was seen goes on to be meant,
 * whatever it is called, and so does whatever else is called so.
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
    const pins = known.filter((pin) => pin.kind === kind);
    return names[kind].flatMap((name): readonly Pin[] => {
      if (isAll({ kind, name }))
        return [{ repositoryId, kind, name, id: inOrder(listed.map(({ id }) => id)), now: name }];
      const isCalledSo = (one: { readonly name: string }) => isSamePinName(kind, one.name, name);
      const before = pins.find(isCalledSo);
      const kept = listed.filter(({ id }) => before !== undefined && idsOf(before).includes(id));
      const others = kept.length === 0 ? [] : pins.filter((pin) => pin !== before);
      const called = listed.filter(
        (one) => isCalledSo(one) && !others.some((pin) => idsOf(pin).includes(one.id)),
      );
      const all = [...new Set([...kept, ...called])];
      if (all.length === 0) return before === undefined ? [] : [{ ...before, name, now: undefined }];
      const otherwise = all.filter((one) => !isCalledSo(one));
      const shown = otherwise.length > 0 ? otherwise : all.slice(0, 1);
      const id = all.map((one) => one.id).join(" ");
      return [{ repositoryId, kind, name, id, now: shown.map((one) => one.name).join(", ") }];
    });
  });
}

/** Numbers of milestones as the id of all of them. */
function inOrder(numbers: readonly string[]): string {
  return numbers.toSorted((one, other) => Number(one) - Number(other)).join(" ");
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

/** Whether a name stands for all milestones. */
function isAll({ kind, name }: Pick<Pin, "kind" | "name">): boolean {
  return kind === "milestone" && name === anyMilestone;
}

function idsOf({ id }: Pin): readonly string[] {
  return id === "" ? [] : id.split(" ");
}

/** Milestones, open ones first. */
export function byState(milestones: readonly Milestone[]): readonly Milestone[] {
  return milestones.toSorted((one, other) => Number(other.state === "open") - Number(one.state === "open"));
}

/** What people can do to what a name means. */
export type PinNews = "deleted" | "made anew" | "one deleted" | "renamed";

/** What has become of a name since it was looked at last; undefined where it means what it meant, under the same name. */
export function newsOfPin(known: Pin | undefined, pin: Pin): PinNews | undefined {
  if (known === undefined) return undefined;
  if (pin.now === undefined) return known.now === undefined ? undefined : "deleted";
  if (missedOf(known, pin).length > 0) return isAll(pin) ? "one deleted" : "made anew";
  return pin.now !== known.now && isRenamed(pin) ? "renamed" : undefined;
}

/** Of what a name meant that which is not listed any more. */
function missedOf(known: Pin, pin: Pin): readonly string[] {
  return pin.now === undefined ? idsOf(known) : idsOf(known).filter((id) => !idsOf(pin).includes(id));
}

/** What a name has lost since it was looked at last, by its ids. undefined: nothing. */
export function lostOf(known: Pin | undefined, pin: Pin): Pin | undefined {
  const news = newsOfPin(known, pin);
  const isLost = known !== undefined && news !== undefined && news !== "renamed";
  return isLost ? { ...pin, id: missedOf(known, pin).join(" ") } : undefined;
}

/** What a name means where issues still carry some of what its list lacks: that was not deleted. @param carried - ids. */
export function keepCarried(known: Pin, pin: Pin, carried: readonly string[]): Pin {
  const kept = missedOf(known, pin).filter((id) => carried.includes(id));
  if (kept.length === 0) return pin;
  if (pin.now === undefined) return { ...known, id: kept.join(" ") };
  const ids = [...idsOf(pin), ...kept];
  return { ...pin, id: isAll(pin) ? inOrder(ids) : ids.join(" ") };
}

/** The pin of the same name in the same repository. */
export function findPin(pins: readonly Pin[], { repositoryId, kind, name }: Pin): Pin | undefined {
  return pins.find((pin) => pin.repositoryId === repositoryId && pin.kind === kind && pin.name === name);
}

/** Whether something is called otherwise now than the rules call it. */
export function isRenamed({ kind, name, now }: Pin): boolean {
  return now !== undefined && !isSamePinName(kind, name, now);
}

const nothing: readonly Pin[] = [];

/** Whether an issue is in any milestone. Where it has none because its own was deleted, nobody knows what it would be in. */
export function isInMilestone({ issue, pins = nothing }: KnownIssue): boolean | Unreadable {
  if (issue.milestone !== null) return true;
  const lost = pins.find((pin) => isAll(pin) && pin.now === undefined);
  const isLost = lost !== undefined && idsOf(lost).includes(String(issue.formerMilestone));
  return isLost && { kind: "unknown", message: "its milestone, which was deleted on the tracker" };
}

/** Whether an issue carries what a name in a rule means. */
export function carries(facts: KnownIssue, kind: PinKind, name: string): boolean | Unreadable {
  if (isAll({ kind, name })) return isInMilestone(facts);
  const pins = (facts.pins ?? nothing).filter((one) => one.kind === kind);
  const own = ownOf(facts.issue, kind);
  const isCalledSo = (one: { readonly name: string }) => isSamePinName(kind, one.name, name);
  const pin = pins.find(isCalledSo);
  if (pin === undefined) return own.some(isCalledSo);
  if (pin.now === undefined) return { kind: "unknown", message: sayDeleted(pin) };
  // What was made under the name of something renamed counts, too; what is known under another name of the rules does not.
  const isOther = (id: string) => pins.some((one) => idsOf(one).includes(id) && !isCalledSo(one));
  return own.some((one) => idsOf(pin).includes(one.id) || (isCalledSo(one) && !isOther(one.id)));
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
