import { type Issue, type IssueRef, isSameIssue, type Pin, type ProjectFieldKey } from "../model/issue.ts";
import {
  type FieldBase,
  type KnownIssue,
  type LinkedIssue,
  type Row,
  withKnown,
  withPins,
} from "../model/link.ts";
import type { RuleField } from "../model/post.ts";
import { awaitTarget } from "./fields/base.ts";
import { isSameTarget } from "./ground/fields.ts";
import type { RuleSettings } from "./ground/settings.ts";
import { carries, findPin, namesOfRules, type RuleNames } from "./rules/pins.ts";
import { leadingNowhere } from "./rules/place.ts";
import { type Derivation, deriveTarget } from "./rules/rules.ts";

/**
 * The bases of a row after something that its rules name was deleted on the tracker. Whoever deletes a label takes it off every
 * issue at once, and that is no change of these issues. So where the decision hangs on such a name, the first target that can
 * be evaluated afterwards becomes the base, and is not written. What was to be written before, and is asked for without it as well,
 * still is.
 *
 * @param pins all of the project's, as they are now.
 * @param lost those of them that have just lost what they meant; of all milestones those that were deleted.
 */
export function awaitLost(
  row: Row,
  pins: readonly Pin[],
  lost: readonly Pin[],
  settings: RuleSettings,
): Row["base"] {
  const without = pins.map((pin) => {
    const gone = findPin(lost, pin);
    return gone === undefined ? pin : { ...gone, now: undefined };
  });
  const derive = (known: readonly Pin[]): Derivation =>
    deriveTarget(
      row.links.map((linked) => withPins(linked, known)),
      settings,
    );
  const now = derive(pins);
  const known = derive(pins.filter((pin) => pin.now !== undefined));
  // What a deleted name keeps undecided gets its base once something is called so again.
  const isUndecided = (field: RuleField): boolean =>
    now.get(field)?.kind === "unknown" && known.get(field)?.kind !== "unknown";
  const lostFields = unknownIn(derive(without)).filter((field) => !isUndecided(field));
  return awaitFields(row, now, lostFields);
}

/**
 * The bases of a row that one of its issues was transferred, or one that a duplicate is of. The tracker takes what the new
 * repository does not have off it (labels, its milestone), and that is no change by people, either.
 *
 * @param row as it was before.
 * @param moved the issue in its new place.
 * @param pins all of the project's.
 */
export function awaitDropped(
  row: Row,
  from: IssueRef,
  moved: Issue,
  pins: readonly Pin[],
  settings: RuleSettings,
): Row["base"] {
  const there = pins.filter(({ repositoryId }) => repositoryId === moved.repositoryId);
  const names = namesOfRules(settings.rules);
  const derive = (isDropped: boolean): Derivation =>
    deriveTarget(
      row.links.map((linked) =>
        withKnown(linked, (before) => {
          if (!isSameIssue(before.issue, from)) return {};
          const issue = withFormer(moved, before.issue);
          const lost = isDropped ? droppedPins(before, { issue, pins: there }, names) : [];
          return { issue, pins: [...lost, ...there] };
        }),
      ),
      settings,
    );
  return awaitFields(row, derive(false), unknownIn(derive(true)));
}

/**
 * The bases of a row when one of its issues, or the issue that a duplicate points to, is lost or found again. Nobody has changed an
 * issue by that: if the others ask for another value, or for one that is not known yet, it becomes the base and is not written.
 *
 * @param row as it is with that issue, as that was last.
 */
export function awaitOthers(
  row: Row,
  issue: IssueRef,
  settings: RuleSettings,
  outcome: "gone" | "back",
): Row["base"] {
  const others = row.links
    .filter(({ link }) => !isSameIssue(link.issue, issue))
    .map((linked) => (leadsTo(linked, issue) ? withKnown(linked, leadingNowhere) : linked));
  const [all, without] = [deriveTarget(row.links, settings), deriveTarget(others, settings)];
  const [before, now] = outcome === "gone" ? [all, without] : [without, all];
  const isAlone = others.every(({ isGone }) => isGone);
  const moved = [...now].filter(([field, found]) => {
    if (found.kind !== "derived") return found.kind === "unknown" && !isAlone;
    const known = before.get(field);
    // Where nothing is known of the others, it may still be as it was when T₀ was made of it.
    const target = known?.kind === "derived" ? known.target : row.base[field]?.target;
    return target === undefined || !isSameTarget(field, target, found.target);
  });
  const awaited = awaitFields(
    row,
    now,
    moved.map(([field]) => field),
  );
  if (outcome === "gone") return awaited;
  // What people have changed meanwhile is a change like any other.
  const bases = Object.entries(awaited).map(([field, base]): [string, FieldBase] => {
    const found = now.get(field as RuleField);
    const { isAwaited: _, ...known } = base;
    return [field, found?.kind === "derived" ? { ...known, target: found.target, pending: undefined } : base];
  });
  return Object.fromEntries(bases);
}

function leadsTo({ known }: LinkedIssue, issue: IssueRef): boolean {
  const end = known?.signals?.canonical;
  return end?.kind === "known" && end.value !== null && isSameIssue(end.value, issue);
}

/**
 * The bases of a row after an option of a project's field, or the field itself, was deleted and another was given its name: it was
 * taken off every issue at once, or means other issues now.
 */
export function awaitAnew(row: Row, key: ProjectFieldKey, settings: RuleSettings): Row["base"] {
  const lost = { kind: "unknown", message: "" } as const;
  const without = row.links.map((linked) =>
    withKnown(linked, ({ signals }) => ({
      signals: { ...signals, projectStatus: { ...signals?.projectStatus, [key]: lost } },
    })),
  );
  return awaitFields(row, deriveTarget(row.links, settings), unknownIn(deriveTarget(without, settings)));
}

function withFormer(moved: Issue, { milestone }: Issue): Issue {
  return moved.milestone !== null || milestone === null
    ? moved
    : { ...moved, formerMilestone: milestone.number };
}

/** Names of rules that an issue carried, or may have carried, and carries no longer: as if each was deleted. */
function droppedPins(before: KnownIssue, now: KnownIssue, names: RuleNames): readonly Pin[] {
  const { repositoryId, formerMilestone = "" } = now.issue;
  const kinds = ["label", "milestone", "type"] as const;
  return kinds.flatMap((kind) =>
    names[kind]
      .filter((name) => carries(before, kind, name) !== false && carries(now, kind, name) === false)
      .map((name) => ({ repositoryId, kind, name, id: String(formerMilestone), now: undefined })),
  );
}

function unknownIn(derivation: Derivation): readonly RuleField[] {
  return [...derivation].flatMap(([field, { kind }]) => (kind === "unknown" ? [field] : []));
}

/** @param lost the fields that hang on what was lost. */
function awaitFields(row: Row, now: Derivation, lost: readonly RuleField[]): Row["base"] {
  // The first plan of a pair takes the issues as they are then.
  if (Object.keys(row.base).length === 0) return {};
  return Object.fromEntries(
    lost.flatMap((field): [RuleField, FieldBase][] => {
      const base = row.base[field];
      const found = now.get(field);
      const isAsked =
        base?.pending !== undefined &&
        found?.kind === "derived" &&
        isSameTarget(field, base.pending.target, found.target);
      return isAsked ? [] : [[field, awaitTarget(base)]];
    }),
  );
}
