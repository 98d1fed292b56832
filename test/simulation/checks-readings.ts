import type { Issue } from "../../src/model/issue.ts";
import { type FieldValue, type PostId, type RuleField, ruleFields } from "../../src/model/post.ts";
import { isDuplicate } from "../../src/plan/rules/place.ts";
import type { BoardPost } from "./board-server.ts";
import { isOrderByVotes } from "./checks-wishes.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import { lookAtLinks } from "./places.ts";
import { type Asked, type CountingIssue, readRules } from "./reading.ts";
import type { Scenario } from "./scenario.ts";
import { isHidden, trueCanonical } from "./signals.ts";
import type { State } from "./state.ts";
import type { Check, Violate } from "./watcher.ts";

/** An issue as it was from one moment on. */
interface Version {
  readonly counting: CountingIssue;
  /** Where it was a duplicate that is followed: the issue that counts. */
  readonly end: HubIssue | undefined;
}

/** More ways to combine what several issues were are not looked at: nothing is said of such a write. */
const mostWays = 300;
/** How far back it is looked for what was asked before somebody made it unknown. */
const mostBack = 8;

/** An issue as it truly is, in the names that things had first. */
export function countIssue(issue: HubIssue): CountingIssue {
  const { names } = issue.repository;
  return { issue: nameFirst(issue.record.issue, issue), signals: issue.signals, gone: names.gone };
}

/** Labels and milestone by the names that they had first. */
export function nameFirst(facts: Issue, { repository: { names } }: HubIssue): Issue {
  if (!names.isTouched) return facts;
  const { labels, milestone } = facts;
  return {
    ...facts,
    labels: labels.map(names.firstOf),
    milestone: milestone && { ...milestone, title: names.firstOf(milestone.title) },
  };
}

/**
 * I18: whatever is written to a field of a post is what the rules ask for by an independent reading of the true facts, of any
 * moment since what the state knows of each issue; or, where they ask for nothing, what somebody else had put there.
 */
export function checkReadings(scenario: Scenario, state: State, hub: HubServer, violate: Violate): Check {
  const issuesLinked = lookAtLinks(state, hub);
  const selectKnown = state.look<[number, number], { updatedAt: string | null }>(
    "SELECT facts ->> 'updatedAt' AS updatedAt FROM issues WHERE repository = ? AND number = ?",
  );
  const versions = new Map<HubIssue, Version[]>();
  /** Of the facts of an issue that the state knew last: epoch ms, never earlier than before. */
  const known = new Map<HubIssue, number>();
  const foreign = new Map<string, Set<FieldValue>>();
  /** What the board has shown last, and what a write has made of it since. */
  const shownLast = new Map<PostId, BoardPost>();
  const votesShown = new Map<PostId, FieldValue | undefined>();

  const note = (issue: HubIssue): void => {
    const trail = versions.get(issue) ?? [];
    versions.set(issue, trail);
    const { followDuplicates } = scenario.settings;
    const end = followDuplicates && isDuplicate(issue.record.issue) ? trueCanonical(hub, issue) : undefined;
    // A stranger may have opened it in this very run.
    if (end !== undefined && !versions.has(end)) note(end);
    trail.push({ counting: { ...countIssue(issue), gone: new Set(issue.repository.names.gone) }, end });
  };
  /** What one issue is makes others that are duplicates of it what they are. */
  const noteAll = (issue: HubIssue): void => {
    if (!scenario.settings.followDuplicates) note(issue);
    else for (const each of versions.has(issue) ? versions.keys() : [...versions.keys(), issue]) note(each);
  };
  const learn = (issue: HubIssue): void => {
    const [found] = selectKnown(issue.repository.id, issue.number);
    const at = found?.updatedAt == null ? 0 : Date.parse(found.updatedAt);
    known.set(issue, Math.max(at, known.get(issue) ?? 0));
  };
  /** Where the trail of an issue begins that the state may still go by. */
  const startOf = (issue: HubIssue): number => {
    const trail = versions.get(issue) ?? [];
    const at = known.get(issue) ?? 0;
    const isOver = (index: number): boolean =>
      index + 1 < trail.length &&
      Date.parse(trail[index + 1]?.counting.issue.updatedAt ?? "") <= at &&
      Date.parse(trail[index]?.counting.issue.updatedAt ?? "") < at;
    let start = 0;
    while (isOver(start)) start += 1;
    return start;
  };
  const optionsOf = (issue: HubIssue, back: number): readonly (CountingIssue | undefined)[] => {
    const from = Math.max(0, startOf(issue) - back);
    const options = (versions.get(issue) ?? [])
      .slice(from)
      .flatMap(({ counting, end }) =>
        end === undefined ? [counting] : [counting, ...ownOptions(end, back)],
      );
    return [...new Set(options)];
  };
  const ownOptions = (issue: HubIssue, back: number): readonly CountingIssue[] =>
    (versions.get(issue) ?? []).slice(Math.max(0, startOf(issue) - back)).map(({ counting }) => counting);
  /** What the rules may ask for, by every combination; undefined where there are too many of them. */
  const askedOf = (
    issues: readonly HubIssue[],
    field: RuleField,
    back: number,
  ): readonly Asked[] | undefined => {
    let ways: readonly (readonly (CountingIssue | undefined)[])[] = [[]];
    for (const issue of issues) {
      const options = optionsOf(issue, back);
      const isAbsent = isHidden(hub, issue);
      ways = ways.flatMap((way) => [
        ...options.map((option) => [...way, option]),
        ...(isAbsent ? [way] : []),
      ]);
      if (ways.length > mostWays) return undefined;
    }
    return ways.flatMap((way) => readRules(way, scenario.settings).get(field) ?? []);
  };
  const isAsked = (post: PostId, field: RuleField, value: FieldValue): boolean => {
    const issues = issuesLinked(post);
    for (const issue of issues) learn(issue);
    for (let back = 0; back <= mostBack; back += 1) {
      const asked = askedOf(issues, field, back);
      if (asked === undefined) return true;
      if (asked.some((one) => one.kind === "value" && isSame(one.value, value))) return true;
      const votes = votesShown.get(post);
      if (asked.some((one) => one.kind === "value" && isOrderByVotes(one.value, value, votes))) return true;
      const isNone = asked.some(({ kind }) => kind === "none");
      if (isNone && scenario.settings.whenNoRule === "restore" && isForeign(post, field, value)) return true;
      // What is unknown leaves what was asked before.
      if (!asked.some(({ kind }) => kind === "unknown")) return false;
    }
    return false;
  };
  const isForeign = (post: PostId, field: RuleField, value: FieldValue): boolean =>
    [...(foreign.get(`${post} ${field}`) ?? [])].some((one) => isSame(one, value));
  const noteValue = (post: PostId, field: RuleField, value: FieldValue | undefined): void => {
    const key = `${post} ${field}`;
    if (value !== undefined) foreign.set(key, (foreign.get(key) ?? new Set()).add(value));
  };
  /** Posts that people have linked: both sides are taken as they are then, and what we have written is what was there before. */
  const taken = new Set<PostId>();
  const noteForeign = ({ id, values, touched }: Pick<BoardPost, "id" | "values" | "touched">): void => {
    for (const field of ruleFields) {
      const value = values[field];
      if (touched.get(field)?.by !== "us" || taken.has(id)) noteValue(id, field, value);
    }
  };
  return {
    issueOpens: noteAll,
    issueMoves: noteAll,
    issueIsRobbed: noteAll,
    issueIsWritten: ({ issue }) => noteAll(issue),
    runBegins() {
      // Nobody is told of issues that strangers open.
      for (const { issues } of hub.repositories)
        for (const issue of issues) if (!versions.has(issue)) note(issue);
    },
    runEnds() {
      for (const issue of versions.keys()) learn(issue);
    },
    personOrders(order) {
      if (order.kind === "link") taken.add(order.post);
      if (order.kind === "discard") for (const post of order.posts) taken.add(post);
    },
    // A state that is lost doesn't know any more what it has written.
    stateIsLost() {
      for (const { id, values } of shownLast.values())
        for (const field of ruleFields) noteValue(id, field, values[field]);
    },
    boardShows(shown) {
      for (const post of shown) {
        shownLast.set(post.id, post);
        votesShown.set(post.id, post.values.votes);
        noteForeign(post);
      }
    },
    patchTakesEffect(post, _change, before) {
      noteForeign({ ...post, ...before });
      noteForeign(post);
    },
    patchLeaves({ life, post, change }) {
      // What an undo writes no rule asks for: it goes by what its person was shown.
      for (const field of life.mode === "undo" ? [] : ruleFields) {
        const value = change[field];
        if (value === undefined || isAsked(post, field, value)) continue;
        violate(
          "I18",
          `${field} of ${post} is to become ${String(value)}, and the rules ask for nothing of the kind, whenever its issues are looked at`,
        );
      }
    },
  };
}

/** A board may spell a status its own way. */
function isSame(one: FieldValue, other: FieldValue): boolean {
  const plain = (value: FieldValue): FieldValue =>
    typeof value === "string" ? value.toLowerCase().replaceAll(/[\s-]+/g, "_") : value;
  return plain(one) === plain(other);
}
