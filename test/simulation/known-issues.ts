import { decodeIssue, decodeSignals } from "../../src/ledger/sql/columns/facts.ts";
import type { Issue, Signals } from "../../src/model/issue.ts";
import { isDuplicate } from "../../src/plan/rules/place.ts";
import { nameFirst } from "./checks-readings.ts";
import type { HubIssue } from "./github-server.ts";
import type { CountingIssue } from "./reading.ts";
import type { Scenario } from "./scenario.ts";
import { trueCanonical } from "./signals.ts";
import type { State } from "./state.ts";
import type { IssueWritten } from "./watcher.ts";

export type Written = Pick<IssueWritten, "issue" | "write">;

/** What the answer of a write shows of its issue; that of a label shows the labels alone. */
export function shownBy({ issue: { record }, write }: Written, known: Issue): Issue {
  return write.kind === "edit-issue" ? record.issue : { ...known, labels: record.issue.labels };
}

/** An issue as it is, or as the state knows it. */
export interface Known extends Counted {
  readonly of: HubIssue;
  readonly signals: Signals & Pick<Required<Signals>, "canonical">;
  /** The issue that it is a duplicate of. */
  readonly canonical: Counted | undefined;
}

interface Counted {
  readonly facts: Issue;
  readonly signals: Signals;
}

/** What counts of it for the rules; undefined where that can't be known. */
export function countKnown(
  { of, facts, signals, canonical }: Known,
  { settings }: Scenario,
): CountingIssue | undefined {
  const { gone } = of.repository.names;
  const own = { issue: nameFirst(facts, of), signals, gone };
  if (settings.followDuplicates === false || !isDuplicate(facts)) return own;
  if (signals.canonical.kind === "unknown") return undefined;
  if (signals.canonical.value === null) return own;
  return canonical && { issue: canonical.facts, signals: canonical.signals, gone };
}

/** An issue as the state knows it, and as it is where the state has not read it yet. */
export function createKnown(scenario: Scenario, state: State): (issue: HubIssue) => Known | undefined {
  const known = state.look<[number, number], { facts: string | null; signals: string | null }>(`
    SELECT facts, signals FROM issues LEFT JOIN signals
      ON signals.repository = issues.repository AND signals.number = issues.number
    WHERE issues.repository = ? AND issues.number = ?`);
  const canonicalOf = (
    { canonical }: Pick<Signals, "canonical">,
    now: Counted | undefined,
  ): Counted | undefined => {
    if (canonical?.kind !== "known" || canonical.value === null) return undefined;
    const [found] = known(canonical.value.repositoryId, canonical.value.number);
    if (found?.facts == null) return now;
    const signals = { ...now?.signals, ...(found.signals !== null && decodeSignals(found.signals)) };
    return { facts: decodeIssue(found.facts), signals };
  };
  return (issue) => {
    const { canonical: now, ...rest } = asTrue(scenario, issue);
    const [found] = known(issue.repository.id, issue.number);
    if (found?.facts == null) return undefined;
    const signals = { ...rest.signals, ...(found.signals !== null && decodeSignals(found.signals)) };
    return { ...rest, facts: decodeIssue(found.facts), signals, canonical: canonicalOf(signals, now) };
  };
}

export function asTrue({ github, settings: { followDuplicates } }: Scenario, issue: HubIssue): Known {
  const canonical = followDuplicates ? trueCanonical({ traits: github }, issue) : undefined;
  return {
    of: issue,
    facts: issue.record.issue,
    signals: {
      ...issue.signals,
      canonical: { kind: "known", value: canonical === undefined ? null : canonical.record.issue },
    },
    canonical: canonical && { facts: canonical.record.issue, signals: canonical.signals },
  };
}
