import type { Absence, Issue, IssueRef } from "../../../model/issue.ts";
import type { ListedIssue } from "../../pulls.ts";
import { decodeIssue, encodeIssue } from "../columns/facts.ts";
import { issueColumns, markedDue, ofIssue, type Part, type Statements, sql } from "../statements.ts";
import type { Asked } from "../store.ts";

export type IssueStore = ReturnType<typeof createIssueStore>;

type KnownIssue = { facts?: string; absence?: Absence["kind"] } | undefined;

/** The posts that are linked to a duplicate of an issue. */
export function followersOf({ repositoryId, number }: IssueRef): Part {
  return sql`SELECT post FROM signals CROSS JOIN links
    ON links.repository = signals.repository AND links.number = signals.number
    WHERE canonical_repository = ${repositoryId} AND canonical_number = ${number}`;
}

/** The facts of issues, and the rows that hang on them. A listed issue is there: that it was not found before is over. */
export function createIssueStore(on: Statements) {
  const { run, get, upsert } = on;
  const find = ({ repositoryId, number }: IssueRef) => get<NonNullable<KnownIssue>>`
    SELECT facts, kind AS absence FROM issues
    LEFT JOIN absences ON absences.repository = issues.repository AND absences.number = issues.number
    WHERE issues.repository = ${repositoryId} AND issues.number = ${number}`;
  /** Makes the rows of an issue due, and those of issues that are duplicates of it. */
  const markRows = (issue: IssueRef) => run`
    UPDATE posts SET ${markedDue}
    WHERE number IN (SELECT post FROM links WHERE ${ofIssue(issue)}) OR number IN (${followersOf(issue)})`;
  /**
   * Stores the facts; where they differ, or the issue was absent, its rows become due. Those of a tombstone, and those that
   * are older than what is known, are left out.
   *
   * @param found - what `find` has found; left out, it is asked for.
   * @returns whether its rows have become due.
   */
  function* store(issue: Issue, ...found: [KnownIssue?]): Asked<boolean> {
    const known = found.length === 0 ? yield* find(issue) : found[0];
    if (isForGood(known?.absence)) return false;
    const facts = encodeIssue(withFormer(issue, known));
    const isHere = known !== undefined && known.absence === undefined;
    if (isHere && (known.facts === facts || isOutdated(issue, known.facts))) return false;
    const { state, stateReason, createdAt } = issue;
    const line = { ...issueColumns(issue), state, stateReason, createdAt, facts, isGone: false };
    yield* upsert("issues", ["repository", "number"], line);
    yield* run`DELETE FROM absences WHERE ${ofIssue(issue)}`;
    yield* markRows(issue);
    return true;
  }
  return {
    /** Of each issue whether it was deleted or moved: that is for good, whatever a list that lags still shows. */
    *tombstones(of: readonly IssueRef[]) {
      return (yield* on.together(of.map(find))).map((known) => isForGood(known?.absence));
    },
    /** Whether an issue that is known, and not absent, has changed since: as it was read by itself, which never lags. */
    *isNews(issue: Issue) {
      return compareIssues(issue, presentOf(issue, yield* find(issue))) !== undefined;
    },
    /** How each of the issues that a list shows stands to what is known by its number. */
    *listed(shown: readonly Issue[]) {
      const known = yield* on.together(shown.map(find));
      return shown.map((issue, index): ListedIssue => {
        const facts = known[index]?.facts;
        const isOther = facts !== undefined && decodeIssue(facts).nodeId !== issue.nodeId;
        return { isOther, isInDoubt: compareIssues(issue, presentOf(issue, known[index])) === "at odds" };
      });
    },
    /** Stores those of some issues that are linked or carried a marker once; others are not kept. */
    *storeKept(shown: readonly Issue[]) {
      const known = yield* on.together(shown.map(find));
      const unknown = shown.filter((_, index) => known[index] === undefined);
      const links = yield* on.together(
        unknown.map((issue) => get`SELECT 1 AS one FROM links WHERE ${ofIssue(issue)} LIMIT 1`),
      );
      const isLinked = (issue: Issue): boolean => links[unknown.indexOf(issue)] !== undefined;
      for (const [index, issue] of shown.entries())
        if (known[index] !== undefined || isLinked(issue)) yield* store(issue, known[index]);
    },
    find,
    store,
    markRows,
    setGone: (issue: IssueRef, isGone: boolean) =>
      upsert("issues", ["repository", "number"], { ...issueColumns(issue), isGone }),
  };
}

/** An issue with the milestone that it was known to be in last: whether people took it off, or deleted it, shows in another list. */
function withFormer(issue: Issue, known: KnownIssue): Issue {
  if (issue.milestone !== null || known?.facts === undefined || known.facts === encodeIssue(issue))
    return issue;
  const { nodeId, milestone, formerMilestone = milestone?.number } = decodeIssue(known.facts);
  return nodeId === issue.nodeId && formerMilestone !== undefined ? { ...issue, formerMilestone } : issue;
}

/** The facts that are known of this very issue, where it is not absent. */
function presentOf(issue: Issue, known: KnownIssue): Issue | undefined {
  if (known?.facts === undefined || known.absence !== undefined) return undefined;
  const facts = decodeIssue(known.facts);
  return facts.nodeId === issue.nodeId ? facts : undefined;
}

/** A list that lags shows an issue as it was: what is known of it already is newer. */
function isOutdated({ nodeId, updatedAt }: Issue, facts: string | undefined): boolean {
  if (facts === undefined) return false;
  const known = decodeIssue(facts);
  return known.nodeId === nodeId && Date.parse(updatedAt) < Date.parse(known.updatedAt);
}

/** Whether an issue is news beside what is known of it; `at odds`: it was another one in the very same second. */
function compareIssues(issue: Issue, known: Issue | undefined): "later" | "at odds" | undefined {
  if (known === undefined) return undefined;
  const laterMs = Date.parse(issue.updatedAt) - Date.parse(known.updatedAt);
  if (laterMs !== 0) return laterMs > 0 ? "later" : undefined;
  return isOtherState(issue, known) ? "at odds" : undefined;
}

/** Whether an issue was changed in between, and not only a label or a milestone renamed, which moves no time of its issues. */
function isOtherState(one: Issue, other: Issue): boolean {
  return (
    one.state !== other.state ||
    // Of what was closed long ago one answer may name a reason and another none.
    (one.stateReason !== null && other.stateReason !== null && one.stateReason !== other.stateReason) ||
    one.labels.length !== other.labels.length ||
    one.assignees.length !== other.assignees.length ||
    one.milestone?.number !== other.milestone?.number
  );
}

function isForGood(kind: Absence["kind"] | undefined): boolean {
  return kind === "deleted" || kind === "moved";
}
