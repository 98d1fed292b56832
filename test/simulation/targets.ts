import type { LinkedIssue, Target } from "../../src/model/link.ts";
import type { PostId, RuleField } from "../../src/model/post.ts";
import { isSameTarget } from "../../src/plan/fields.ts";
import { deriveTarget } from "../../src/plan/rules.ts";
import type { Time } from "./clock.ts";
import type { HubIssue } from "./github-server.ts";
import type { Scenario } from "./scenario.ts";
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

export function createTargets(time: Time, { settings }: Scenario): Targets {
  const histories = new Map<string, TargetHistory>();
  /** A new issue for a post counts as a change: people deleted the first one, and nobody can know of it any more. */
  const follow = (issue: HubIssue, isNew: boolean): void => {
    const [post] = issue.openedFor;
    if (post === undefined || issue.isDeleted) return;
    const derived = deriveTarget([asLinked(post, issue)], settings);
    if (derived.kind === "undecided") return;
    for (const [field, target] of derived.targets) {
      const key = `${post} ${field}`;
      const known = histories.get(key);
      if (!isNew && known !== undefined && isSameTarget(field, known.target, target)) continue;
      const isNothing = known === undefined && target.kind === "none";
      const changes = (known?.changes ?? 0) + (isNothing ? 0 : 1);
      histories.set(key, { target, changes, movedAt: time.now() });
    }
  };
  return {
    check: {
      issueOpens: (issue) => follow(issue, true),
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
