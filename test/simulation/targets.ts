import { decodeIssue } from "../../src/ledger/sqlite/facts.ts";
import type { LinkedIssue, Target } from "../../src/model/link.ts";
import type { PostId, RuleField } from "../../src/model/post.ts";
import { isSameTarget } from "../../src/plan/fields.ts";
import { deriveTarget } from "../../src/plan/rules.ts";
import type { Time } from "./clock.ts";
import type { HubIssue } from "./github-server.ts";
import type { Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import type { Check } from "./watcher.ts";

/** What the rules make of a post's true issue, and how often that has changed. */
export interface TargetHistory {
  readonly target: Target;
  /** The first value counts as one. */
  readonly changes: number;
  /** True time. */
  readonly movedAt: number;
}

/** Follows the targets of all posts, whatever the program knows of them. */
export interface Targets {
  readonly check: Check;
  of(post: PostId, field: RuleField): TargetHistory | undefined;
}

export function createTargets(time: Time, scenario: Scenario, state: State): Targets {
  const known = state.look<[number, number], { facts: string | null }>(
    "SELECT facts FROM issues WHERE repository = ? AND number = ?",
  );
  const histories = new Map<string, TargetHistory>();
  /** The issue that was opened last for a post: one that people gave up before it decides nothing any more. */
  const current = new Map<PostId, HubIssue>();
  const targetsOf = (post: PostId, issue: HubIssue): ReadonlyMap<RuleField, Target> => {
    const derived = deriveTarget([asLinked(post, issue)], scenario.settings);
    return derived.kind === "undecided" ? new Map() : derived.targets;
  };
  /** A new issue for a post counts as a change: people deleted the first one, and nobody can know of it any more. */
  const follow = (issue: HubIssue, isNew: boolean): void => {
    const [post] = issue.openedFor;
    if (post === undefined || issue.isDeleted || current.get(post) !== issue) return;
    for (const [field, target] of targetsOf(post, issue)) {
      const key = `${post} ${field}`;
      const before = histories.get(key);
      if (!isNew && before !== undefined && isSameTarget(field, before.target, target)) continue;
      const isNothing = before === undefined && target.kind === "none";
      const changes = (before?.changes ?? 0) + (isNothing ? 0 : 1);
      histories.set(key, { target, changes, movedAt: time.now() });
    }
  };
  /**
   * Other rules make another target, and that is no change of it. What has changed on the issue since the state knew it is
   * one all the same, where the new rules tell the two apart.
   */
  const rederive = (issue: HubIssue): void => {
    const [post] = issue.openedFor;
    if (post === undefined || issue.isDeleted || current.get(post) !== issue) return;
    const facts = known(issue.repository.id, issue.number)[0]?.facts ?? undefined;
    const record = facts === undefined ? undefined : { ...issue.record, issue: decodeIssue(facts) };
    const then = record && targetsOf(post, { ...issue, record });
    for (const [field, target] of targetsOf(post, issue)) {
      const key = `${post} ${field}`;
      const before = then?.get(field);
      const isChange = before === undefined || !isSameTarget(field, before, target);
      const changes = (histories.get(key)?.changes ?? 0) + Number(isChange);
      histories.set(key, { target, changes, movedAt: time.now() });
    }
  };
  return {
    check: {
      settingsChange: (issues) => issues.forEach(rederive),
      issueOpens(issue) {
        for (const post of issue.openedFor) current.set(post, issue);
        follow(issue, true);
      },
      issueMoves: (issue) => follow(issue, false),
    },
    of: (post, field) => histories.get(`${post} ${field}`),
  };
}

function asLinked(post: PostId, { repository, number, record }: HubIssue): LinkedIssue {
  return {
    link: { post, issue: { repositoryId: repository.id, number }, origin: "opened" },
    issue: record.issue,
    isGone: false,
    content: undefined,
  };
}
