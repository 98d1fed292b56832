import type { Target } from "../../src/model/link.ts";
import type { PostId, RuleField } from "../../src/model/post.ts";
import { isSameTarget } from "../../src/plan/ground/fields.ts";
import { isDuplicate } from "../../src/plan/rules/place.ts";
import type { Time } from "./clock.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import { asTrue, countKnown, createKnown, type Known, shownBy, type Written } from "./known-issues.ts";
import type { LinkOrders } from "./link-orders.ts";
import { lookAtLinks } from "./places.ts";
import { readRules } from "./reading.ts";
import type { Scenario } from "./scenario.ts";
import { isHidden, trueCanonical } from "./signals.ts";
import type { State } from "./state.ts";
import type { Check } from "./watcher.ts";

/** Who or what has moved a target last: people, a change of ours or a milestone that was deleted, or other rules and other links, which move no target. */
export type Mover = "people" | "us" | "config";

/** What the rules make of a post's true issues, and how often people have changed that. */
export interface TargetHistory {
  readonly target: Target;
  /** The first value counts as one. */
  readonly changes: number;
  /** True time. */
  readonly movedAt: number;
  readonly movedBy: Mover;
}

/** Follows the targets of all posts, whatever the program knows of them. */
export interface Targets {
  readonly check: Check;
  of(post: PostId, field: RuleField): TargetHistory | undefined;
  /** Whether nobody can say what is asked for now: it stays what the program knew last, whatever the target was in between. */
  isUnknown(post: PostId, field: RuleField): boolean;
  /** The issues that decide about a post: those that are deleted, or moved out of the token's sight, decide nothing. */
  issuesOf(post: PostId): readonly HubIssue[];
}

export function createTargets(
  time: Time,
  scenario: Scenario,
  state: State,
  hub: HubServer,
  orders: LinkOrders,
): Targets {
  const issuesLinked = lookAtLinks(state, hub);
  const planned = state.look<[string], { found: number }>(
    "SELECT 1 AS found FROM bases JOIN posts ON posts.number = bases.post WHERE posts.id = ? LIMIT 1",
  );
  const listed = state.look<[string], { found: number }>(
    "SELECT 1 AS found FROM posts WHERE id = ? AND hash IS NOT NULL LIMIT 1",
  );
  const follower = state.look<[string, number, number], { found: number }>(`
    SELECT 1 AS found FROM posts JOIN links ON links.post = posts.number
    JOIN signals ON signals.repository = links.repository AND signals.number = links.number
    JOIN issues ON issues.repository = links.repository AND issues.number = links.number
    WHERE posts.id = ? AND canonical_repository = ? AND canonical_number = ? AND facts ->> 'stateReason' = 'duplicate'`);
  /** What has not been read can't be told from what people do; nor does a post that no list has shown follow anything yet. */
  const isKnownFollower = (post: PostId, { repository, number }: HubIssue): boolean =>
    follower(post, repository.id, number).length > 0 && listed(post).length > 0;
  const present = state.look<[number, number], { found: number }>(`
    SELECT 1 AS found FROM issues WHERE repository = ? AND number = ? AND is_gone = 0 AND NOT EXISTS (SELECT 1 FROM absences
      WHERE absences.repository = issues.repository AND absences.number = issues.number)`);
  /** Whether an issue is there, as far as the state knows. */
  const isPresent = ({ repository, number }: HubIssue): boolean => present(repository.id, number).length > 0;
  const asKnown = createKnown(scenario, state);
  const histories = new Map<string, TargetHistory>();
  /** The issue that was opened last for a post: one that people gave up before it decides nothing any more. */
  const opened = new Map<PostId, HubIssue>();
  /** Of posts whose links people have a say in: what they are linked to, as far as it was looked at. */
  const linked = new Map<PostId, readonly HubIssue[]>();
  const allOf = (post: PostId): readonly HubIssue[] =>
    (linked.get(post) ?? [opened.get(post)]).filter((issue) => issue !== undefined);
  const issuesOf = (post: PostId): readonly HubIssue[] =>
    allOf(post).filter((issue) => !isHidden(hub, issue));
  /** What is unknown stays as it was. */
  const derive = (issues: readonly Known[]): ReadonlyMap<RuleField, Target> =>
    new Map(
      [
        ...readRules(
          issues.map((issue) => countKnown(issue, scenario)),
          scenario.settings,
        ),
      ].flatMap(([field, asked]): [RuleField, Target][] =>
        asked.kind === "unknown" ? [] : [[field, asked]],
      ),
    );
  const deriveNow = (post: PostId): ReadonlyMap<RuleField, Target> =>
    derive(issuesOf(post).map((issue) => asTrue(scenario, issue)));
  /**
   * After a write of ours: what the state knows of the other issues, also of those that people have deleted meanwhile, and this
   * one as its answer shows it, with the signals that the state knows of it. What the truth makes of them beyond that is people's.
   */
  const deriveShown = (post: PostId, written: Written): ReadonlyMap<RuleField, Target> =>
    derive(
      allOf(post).flatMap((issue) => {
        if (isHidden(hub, issue)) return (isPresent(issue) && asKnown(issue)) || [];
        const now = asTrue(scenario, issue);
        const known = asKnown(issue) ?? now;
        if (now.canonical !== undefined && trueCanonical(hub, issue) === written.issue) {
          const { facts, signals } = known.canonical ?? now.canonical;
          return { ...now, canonical: { facts: shownBy(written, facts), signals } };
        }
        if (issue !== written.issue) return known;
        const signals = { ...known.signals, canonical: now.signals.canonical };
        return { ...now, facts: shownBy(written, known.facts), signals };
      }),
    );
  /** When people have changed each issue last: true time. */
  const movedAt = new Map<HubIssue, number>();
  /** When people have changed what an issue is a duplicate of; -1 where it is none, or nobody has. */
  const newsOf = (issue: HubIssue): number => {
    const isFollowed = scenario.settings.followDuplicates && isDuplicate(issue.record.issue);
    const end = isFollowed ? trueCanonical(hub, issue) : undefined;
    return (end && movedAt.get(end)) ?? -1;
  };
  /** A new issue for a post counts as a change: people deleted the first one, and nobody can know of it any more. */
  const follow = (
    post: PostId,
    by: Mover,
    isNew = false,
    written?: Written,
    targets = deriveNow(post),
  ): void => {
    const shown = written && deriveShown(post, written);
    // Our write may make an issue a duplicate again, of one that people have changed meanwhile: it follows that change now.
    const newsAt = written === undefined ? -1 : newsOf(written.issue);
    for (const [field, target] of targets) {
      const key = `${post} ${field}`;
      const before = histories.get(key);
      if (!isNew && before !== undefined && isSameTarget(field, before.target, target)) continue;
      const isNothing = before === undefined && target.kind === "none";
      const known = shown?.get(field);
      const isOther = known !== undefined && !isSameTarget(field, known, target);
      const isTheirs = isOther || (before !== undefined && newsAt > before.movedAt);
      const movedBy = isTheirs ? "people" : by;
      const isCounted = movedBy === "people" && !isNothing;
      const changes = (before?.changes ?? 0) + Number(isCounted);
      histories.set(key, { target, changes, movedAt: time.now(), movedBy });
    }
  };
  /** Whether the rules have changed since the last run, and whether another project looks at the same repository. */
  let hasNewRules = false;
  const isShared = scenario.quirks?.secondRepo === scenario.settings.repo;
  /** Issues that people have changed in this run, and in the one before: a link may have read them before that. */
  let moved = new Set<HubIssue>();
  let movedBefore = new Set<HubIssue>();
  /** Looks for links that were made or ended since; returns whether there are other ones. */
  const relink = (post: PostId): boolean => {
    const before = linked.get(post) ?? [];
    const found = issuesLinked(post);
    // What the state has yet to find of an issue that was opened for the post is followed all the same.
    const own = opened.get(post);
    const isAwaited = found.length === 0 && own !== undefined && !orders.isUnlinked(post, own);
    const issues = isAwaited ? [own] : found;
    linked.set(post, issues);
    return issues.length !== before.length || issues.some((issue, index) => issue !== before[index]);
  };
  /** Other links are no change of a target: both sides are taken as they are, of an issue as far as the lists show it. */
  const relinkAll = (): void => {
    for (const post of orders.posts()) {
      if (!relink(post)) continue;
      const isShown = issuesOf(post).every(
        (issue) => hub.isShown(issue) && !moved.has(issue) && !movedBefore.has(issue),
      );
      // That may have come to what it was before the link, of which the link itself has made something else.
      follow(post, isShown ? "config" : "people", !isShown);
    }
  };
  /**
   * Other rules make another target, and that is no change of it. What has changed on the issues since the state knew them is
   * one all the same, where the new rules tell the two apart.
   */
  const rederive = (post: PostId): void => {
    // What has never been planned, because something could not be read, gets its first plan by the new rules.
    const before = planned(post).length === 0 ? [] : issuesOf(post).map(asKnown);
    const isKnown = before.length > 0 && before.every((issue) => issue !== undefined);
    const then = isKnown ? derive(before) : undefined;
    for (const [field, target] of deriveNow(post)) {
      const key = `${post} ${field}`;
      const known = then?.get(field);
      const isChange = known === undefined || !isSameTarget(field, known, target);
      const changes = (histories.get(key)?.changes ?? 0) + Number(isChange);
      const movedBy = isChange ? "people" : "config";
      histories.set(key, { target, changes, movedAt: time.now(), movedBy });
    }
  };
  /** While the lists lag, the old state of a duplicate is seen together with the new one of another issue. */
  const isBlurred = (post: PostId): boolean =>
    !hub.isSettled() && issuesOf(post).some((issue) => issue.duplicateOf !== undefined);
  const ends = new Map<PostId, readonly (HubIssue | undefined)[]>();
  /** Where people lead a duplicate elsewhere, what it comes to is theirs, also where our own change had come to the same. */
  const isLedElsewhere = (post: PostId): boolean => {
    const before = ends.get(post) ?? [];
    const now = issuesOf(post).map((issue) =>
      isDuplicate(issue.record.issue) ? trueCanonical(hub, issue) : undefined,
    );
    ends.set(post, now);
    return now.some((end, index) => end !== before[index]);
  };
  const followAll = (issue: HubIssue, movedBy: Mover, written?: Written): void => {
    // Any other may be a duplicate of it, however far off.
    const isFar = scenario.settings.followDuplicates;
    for (const post of new Set([...opened.keys(), ...linked.keys()])) {
      // A link that was made just now shows the issue before this move, or after it.
      const isNew = linked.has(post) && relink(post);
      const isMoved = linked.get(post)?.includes(issue) ?? opened.get(post) === issue;
      const isElsewhere = isFar && isLedElsewhere(post);
      const isTheirs = movedBy === "people" && isElsewhere;
      if (isMoved) follow(post, movedBy, isNew || isTheirs, written);
      else if (isNew) follow(post, "people", true);
      else if (isFar) {
        const by = isKnownFollower(post, issue) ? movedBy : "people";
        const isNews = by === "people" && (isElsewhere || isBlurred(post));
        follow(post, by, isNews, by === "us" ? written : undefined);
      }
    }
  };
  return {
    check: {
      settingsChange() {
        hasNewRules = true;
        relinkAll();
        for (const post of new Set([...opened.keys(), ...linked.keys()])) rederive(post);
      },
      issueOpens(issue) {
        for (const post of issue.openedFor) {
          opened.set(post, issue);
          if (linked.has(post)) linked.set(post, [...(linked.get(post) ?? []), issue]);
          follow(post, "people", true);
        }
      },
      postIsMade({ id }, issue) {
        opened.set(id, issue);
        // People may have deleted it since it was judged.
        if (isHidden(hub, issue)) follow(id, "people", true, undefined, derive([asTrue(scenario, issue)]));
        follow(id, "people", true);
        // What it was when it was judged counts, too, where it has been changed since, or is not shown so yet.
        if (moved.has(issue) || !hub.isShown(issue)) follow(id, "people", true);
      },
      runBegins() {
        movedBefore = moved;
        moved = new Set();
      },
      issueMoves(issue) {
        moved.add(issue);
        movedAt.set(issue, time.now());
        followAll(issue, "people");
        // The other project may read it there before the new rules are laid over what was known: then its post follows them.
        if (!hasNewRules || !isShared) return;
        for (const post of new Set([...opened.keys(), ...linked.keys()]))
          if (issuesOf(post).includes(issue)) follow(post, "people", true);
      },
      issueIsRobbed(issue) {
        const isMoved = moved.has(issue) || movedBefore.has(issue);
        // Of a milestone that the state never saw on it nobody can know: what people did beside that is a change like any other.
        const isUnseen = isMoved && asKnown(issue)?.facts.milestone === null;
        // What people did to it before that may not have been seen, and come to what it comes to without the milestone.
        followAll(issue, isUnseen ? "people" : isMoved ? "config" : "us");
      },
      issueIsWritten: (written) => followAll(written.issue, "us", written),
      personOrders: relinkAll,
      patchLeaves: relinkAll,
      issueWriteLeaves: relinkAll,
      runEnds() {
        hasNewRules = false;
        relinkAll();
      },
      stateIsLost: relinkAll,
    },
    of: (post, field) => histories.get(`${post} ${field}`),
    isUnknown: (post, field) => !deriveNow(post).has(field),
    issuesOf,
  };
}
