import { decodeIssue, decodeSignals } from "../../src/ledger/sqlite/facts.ts";
import type { Signals } from "../../src/model/issue.ts";
import type { LinkedIssue, Target } from "../../src/model/link.ts";
import type { PostId, RuleField } from "../../src/model/post.ts";
import { isSameTarget } from "../../src/plan/fields.ts";
import { deriveTarget } from "../../src/plan/rules.ts";
import type { Time } from "./clock.ts";
import type { HubIssue } from "./github-server.ts";
import type { Scenario } from "./scenario.ts";
import { trueCanonical, trueSignals } from "./signals.ts";
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
  const known = state.look<[number, number], { facts: string | null; signals: string | null }>(`
    SELECT facts, signals FROM issues LEFT JOIN signals
      ON signals.repository = issues.repository AND signals.number = issues.number
    WHERE issues.repository = ? AND issues.number = ?`);
  const planned = state.look<[string], { found: number }>(
    "SELECT 1 AS found FROM bases JOIN posts ON posts.number = bases.post WHERE posts.id = ? LIMIT 1",
  );
  const histories = new Map<string, TargetHistory>();
  /** The issue that was opened last for a post: one that people gave up before it decides nothing any more. */
  const current = new Map<PostId, HubIssue>();
  const targetsOf = (linked: LinkedIssue): ReadonlyMap<RuleField, Target> => {
    const derived = deriveTarget([linked], scenario.settings);
    return derived.kind === "undecided" ? new Map() : derived.targets;
  };
  /** What the state knows, and as it is of what the state has not read yet. */
  const asKnown = (post: PostId, issue: HubIssue): LinkedIssue | undefined => {
    const now = asLinked(scenario, post, issue);
    const [found] = known(issue.repository.id, issue.number);
    if (found?.facts === null || found === undefined) return undefined;
    const signals = { ...now.signals, ...(found.signals !== null && decodeSignals(found.signals)) };
    const { canonical: _, ...rest } = now;
    const canonical = asKnownCanonical(signals, now.canonical);
    return { ...rest, issue: decodeIssue(found.facts), signals, ...(canonical && { canonical }) };
  };
  const asKnownCanonical = (
    { canonical }: Signals,
    now: LinkedIssue["canonical"],
  ): LinkedIssue["canonical"] => {
    if (canonical?.kind !== "known" || canonical.value === null) return undefined;
    const [found] = known(canonical.value.repositoryId, canonical.value.number);
    if (found?.facts == null) return now;
    const signals = { ...now?.signals, ...(found.signals !== null && decodeSignals(found.signals)) };
    return { issue: decodeIssue(found.facts), signals };
  };
  /** A new issue for a post counts as a change: people deleted the first one, and nobody can know of it any more. */
  const follow = (issue: HubIssue, isNew: boolean): void => {
    const [post] = issue.openedFor;
    if (post === undefined || issue.isDeleted || current.get(post) !== issue) return;
    for (const [field, target] of targetsOf(asLinked(scenario, post, issue))) {
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
    // What has never been planned, because something could not be read, gets its first plan by the new rules.
    const before = planned(post).length === 0 ? undefined : asKnown(post, issue);
    const then = before && targetsOf(before);
    for (const [field, target] of targetsOf(asLinked(scenario, post, issue))) {
      const key = `${post} ${field}`;
      const known = then?.get(field);
      const isChange = known === undefined || !isSameTarget(field, known, target);
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
      issueMoves(issue) {
        follow(issue, false);
        // Any other may be a duplicate of it, however far off.
        if (!scenario.settings.followDuplicates) return;
        for (const other of current.values()) if (other !== issue) follow(other, false);
      },
    },
    of: (post, field) => histories.get(`${post} ${field}`),
  };
}

function asLinked(
  { github, settings: { followDuplicates } }: Scenario,
  post: PostId,
  issue: HubIssue,
): LinkedIssue {
  const { repository, number, record } = issue;
  const canonical = followDuplicates ? trueCanonical({ traits: github }, issue) : undefined;
  return {
    link: { post, issue: { repositoryId: repository.id, number }, origin: "opened" },
    issue: record.issue,
    isGone: false,
    content: undefined,
    signals: {
      ...trueSignals(issue),
      canonical: { kind: "known", value: canonical === undefined ? null : canonical.record.issue },
    },
    ...(canonical && { canonical: { issue: canonical.record.issue, signals: trueSignals(canonical) } }),
  };
}
