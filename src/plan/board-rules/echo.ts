import {
  type Issue,
  type IssueField,
  type IssueRef,
  isSameIssue,
  type Milestone,
} from "../../model/issue.ts";
import {
  type FieldBase,
  type FieldWrite,
  type IssueBases,
  type LinkedIssue,
  type Row,
  withKnown,
  withPins,
  withValues,
} from "../../model/link.ts";
import type { PostChange, PostField, PostId, RuleField } from "../../model/post.ts";
import { agree, awaitTarget } from "../fields/base.ts";
import { isSameTarget, readField } from "../ground/fields.ts";
import { readIssueField, withFields } from "../ground/issue-fields.ts";
import type { RuleSettings, Settings } from "../ground/settings.ts";
import { inNumbers } from "../rules/by-votes.ts";
import { isDuplicate, isSamePlace, leadingNowhere } from "../rules/place.ts";
import { deriveTarget } from "../rules/rules.ts";
import { deriveBoard } from "./board-rules.ts";

/*
 * What we write to one side must not come back from the other, or the two would answer each other for ever. So when a write of
 * ours is known to have been applied, the same transaction moves the bases of the other direction: by as much as the write moved
 * their target, and no more. What a person has changed meanwhile is then still a change.
 */

/** A change of an issue that we made: the fields with their values before. */
export interface OwnChange {
  readonly issue: IssueRef;
  readonly writes: readonly Pick<FieldWrite<IssueField>, "field" | "before" | "value">[];
  /** Of its repository, as far as they are known. */
  readonly milestones: readonly Milestone[];
}

/**
 * The bases of a post's fields after a change of ours to one of its issues, or to one that such an issue is a duplicate of,
 * which the row shows already. Where our change has moved what the rules ask for, T₀ becomes the new target. Where the rules can't
 * be evaluated now, and the change matters to any of them, the next target that can be evaluated becomes T₀ (`awaitTarget`).
 *
 * @param rules those by which the row's bases were made.
 */
export function echoOnPost(
  row: Row,
  { issue, writes, milestones }: OwnChange,
  rules: RuleSettings,
  seen: ReadonlySet<PostField>,
): Readonly<Partial<Record<RuleField, FieldBase>>> {
  const undone = writes.map(({ field, before }) => ({ field, value: before ?? null }));
  const isMeant = (one: IssueRef): boolean => isSameIssue(one, issue);
  const withoutChange = (one: Issue): Issue => (isMeant(one) ? withFields(one, undone, milestones) : one);
  // The row may still list this change as under way; here it is known to be applied.
  const links = row.links.map((linked) => ({
    now: isMeant(linked.link.issue) ? withoutChain(linked) : linked,
    before: withKnown(linked, (known) => ({ issue: withoutChange(known.issue) })),
  }));
  const derive = (side: "now" | "before") =>
    deriveTarget(
      links.map((link) => link[side]),
      rules,
    );
  const [now, before] = [derive("now"), derive("before")];
  const isKnown = row.seenAt !== undefined && row.missing === 0;
  const fields = [...now].flatMap(([field, derived]): [RuleField, FieldBase][] => {
    if (derived.kind === "unknown") {
      const isMoved = links.some(
        ({ now: own, before: other }) =>
          !isSamePlace(own, other, field, rules) ||
          // As names will count once they mean something again.
          !isSamePlace(withPins(own, []), withPins(other, []), field, rules),
      );
      return isMoved ? [[field, awaitTarget(row.base[field])]] : [];
    }
    const without = before.get(field);
    // It stays what it was.
    if (derived.kind === "unnamed") return [];
    if (without?.kind === "derived" && isSameTarget(field, without.target, derived.target)) return [];
    const target = inNumbers(derived, row, seen);
    const shown = isKnown ? readField(row.post, field, seen) : undefined;
    return target === undefined ? [] : [[field, agree(field, row.base[field], target, shown)]];
  });
  return Object.fromEntries(fields);
}

/**
 * The same for a post that no list has shown yet, such as one that has just been made of the issue. Where our change matters to
 * its rules, what they ask for when it is shown is not written: nobody could say how much of it our change has asked for.
 */
export function echoOnUnseen(
  post: PostId,
  issue: Issue,
  { writes, milestones }: Omit<OwnChange, "issue">,
  rules: RuleSettings,
): Readonly<Partial<Record<RuleField, FieldBase>>> {
  const link = { post, issue, origin: "imported" } as const;
  const row: Row = {
    post: { id: post, values: {} },
    seenAt: undefined,
    missing: 0,
    links: [{ link, known: { issue }, isGone: false, text: "none" }],
    base: {},
    openIntents: [],
    statusWrites: [],
  };
  const moved = echoOnPost(row, { issue, writes, milestones }, rules, new Set());
  if (Object.keys(moved).length === 0) return {};
  const named = rules.rules.flatMap(({ set }) => Object.keys(set));
  return Object.fromEntries(named.map((field) => [field, awaitTarget(undefined)]));
}

/** We have closed the issue as a duplicate. As long as the tracker names no other issue, it counts as a duplicate of none. */
function withoutChain(linked: LinkedIssue): LinkedIssue {
  return withKnown(linked, (known) =>
    isDuplicate(known.issue) && known.signals?.canonical === undefined ? leadingNowhere(known) : {},
  );
}

/**
 * The bases of the issues' fields after the board took a PATCH of ours: B₀ becomes what the board rules make of the post
 * now, where that is another thing than before.
 */
export function echoOnIssues(
  row: Row,
  writes: readonly Pick<FieldWrite, "field" | "before" | "value">[],
  settings: Pick<Settings, "boardRules">,
  seen: ReadonlySet<PostField>,
): readonly IssueBases[] {
  const valuesOf = (pick: "before" | "value"): PostChange =>
    Object.fromEntries(
      writes.flatMap((write) => (write[pick] === undefined ? [] : [[write.field, write[pick]]])),
    );
  const derive = (change: PostChange) => deriveBoard(withValues(row, change), settings, seen);
  const [before, now] = [derive(valuesOf("before")), derive(valuesOf("value"))];
  if (now === undefined) return [];
  const moved = [...now.targets].filter(([field, target]) => {
    const without = before?.targets.get(field);
    return without === undefined || !isSameTarget(field, without, target);
  });
  if (moved.length === 0) return [];
  return row.links.flatMap(({ link, known, base = {} }): readonly IssueBases[] => {
    const bases = moved.map(([field, target]): [IssueField, FieldBase] => {
      const shown = known && readIssueField(known.issue, field);
      return [field, agree(field, base[field], target, shown)];
    });
    return [{ issue: link.issue, base: Object.fromEntries(bases) }];
  });
}
