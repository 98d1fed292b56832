import type { Issue, Milestone, Pin, RepositoryId, Signals } from "../../../model/issue.ts";
import type { SignalledIssue, SignalMemory } from "../../pulls.ts";
import { decodeIssue, decodeSignals, encodeSignals, mergeSignals } from "../columns/facts.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { into, issueColumns, ofIssue, type Part, projectOf, type Statements, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";

interface SignalledColumns {
  facts: string;
  signals?: string;
}

/** What was read of issues beside their records, and what is known of issues that others are duplicates of. */
export function createSignals(on: Queries, issues: IssueStore) {
  const { run, has, get, all, upsert, numbers } = on;
  const joined = sql`
    LEFT JOIN signals ON signals.repository = issues.repository AND signals.number = issues.number
    LEFT JOIN absences ON absences.repository = issues.repository AND absences.number = issues.number
    LEFT JOIN repositories ON repositories.id = issues.repository
    WHERE facts IS NOT NULL AND is_gone = 0 AND absences.kind IS NULL AND paused_at IS NULL`;
  /**
   * Looks at every issue of a repository that is not absent, and whether it is linked; only when labels or milestones of the
   * repository have changed.
   */
  function* lookThrough(
    repository: RepositoryId,
    look: (issue: Issue, isLinked: boolean) => Asked<unknown> | undefined,
  ): Asked<void> {
    for (let after = 0; ; ) {
      const found = yield* all<{ number: number; facts: string; isLinked: boolean }>`
        SELECT number, facts,
          EXISTS (SELECT 1 FROM links WHERE links.repository = issues.repository AND links.number = issues.number)
            AS is_linked
        FROM issues WHERE repository = ${repository} AND number > ${after} AND facts IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM absences
            WHERE absences.repository = issues.repository AND absences.number = issues.number)
        ORDER BY number LIMIT ${issuesAStep}`;
      for (const { facts, isLinked } of found) {
        const asked = look(decodeIssue(facts), isLinked);
        if (asked !== undefined) yield* asked;
      }
      const last = found.at(-1);
      if (last === undefined || found.length < issuesAStep) return;
      after = last.number;
    }
  }
  return {
    *linked(project, after = { repositoryId: 0, number: 0 }, limit, only) {
      const which =
        only === undefined ? sql`` : sql`AND issues.state = 'closed' AND issues.state_reason = 'duplicate'`;
      const found = yield* all<SignalledColumns>`
        SELECT facts, signals FROM links INDEXED BY links_by_project
        CROSS JOIN issues ON issues.repository = links.repository AND issues.number = links.number ${joined} ${which}
          AND links.project = ${projectOf(project)} AND (links.repository, links.number) > (${after.repositoryId}, ${after.number})
          AND NOT EXISTS (SELECT 1 FROM links AS earlier WHERE earlier.project = links.project
            AND earlier.repository = links.repository AND earlier.number = links.number AND earlier.post < links.post)
        ORDER BY links.repository, links.number LIMIT ${limit}`;
      return found.map(toSignalledIssue);
    },
    *of({ repositoryId, number }) {
      const found = yield* get<SignalledColumns>`
        SELECT facts, signals FROM issues ${joined}
          AND issues.repository = ${repositoryId} AND issues.number = ${number}`;
      return found && toSignalledIssue(found);
    },
    pins: (project) => selectPins(on, projectOf(project)),
    *catalogue(repository) {
      const labels = new Set<string>();
      const ids = new Set<string>();
      const milestones = new Map<string, Milestone>();
      yield* lookThrough(repository, ({ labels: names, labelIds = [], milestone, typeId }, isLinked) => {
        if (!isLinked) return undefined;
        for (const name of names) labels.add(name);
        for (const id of [...labelIds, ...(milestone ? [String(milestone.number)] : [])]) ids.add(id);
        if (typeId !== undefined) ids.add(typeId);
        if (milestone) milestones.set(JSON.stringify(milestone), milestone);
        return undefined;
      });
      return { labels: [...labels], milestones: [...milestones.values()], ids: [...ids] };
    },
    changes: {
      *"store-signals"({ issue, signals: read, isFill }) {
        const found = yield* get<{ signals: string }>`SELECT signals FROM signals WHERE ${ofIssue(issue)}`;
        const encoded = found?.signals;
        const known: Signals = encoded === undefined ? {} : decodeSignals(encoded);
        const changed = isFill ? mergeSignals(read, known) : mergeSignals(known, read);
        if (encodeSignals(changed) === encoded) return;
        const canonical = changed.canonical?.kind === "known" ? changed.canonical.value : null;
        yield* upsert("signals", ["repository", "number"], {
          ...issueColumns(issue),
          signals: encodeSignals(changed),
          canonicalRepository: canonical?.repositoryId,
          canonicalNumber: canonical?.number,
        });
        yield* issues.markRows(issue);
      },
      *"store-facts"({ issue }) {
        const isLinked = yield* has`
          SELECT 1 AS one FROM links JOIN issues ON issues.repository = links.repository AND issues.number = links.number
          WHERE links.repository = ${issue.repositoryId} AND links.number = ${issue.number} AND facts IS NOT NULL LIMIT 1`;
        if (!isLinked || (yield* issues.isNews(issue))) yield* issues.store(issue);
      },
      *"set-pins"({ project: of, pins: known }) {
        const project = yield* numbers.project(of);
        yield* run`DELETE FROM pins WHERE project = ${project}`;
        for (const { repositoryId: repository, kind, name, id, now } of known)
          yield* run`${into("pins", { project, repository, kind, name, id, now })}`;
      },
      "replace-milestone": ({ repository, known, now }) =>
        lookThrough(repository, (issue) => {
          const { milestone } = issue;
          const isIt =
            milestone?.number === known.number &&
            milestone.title === known.title &&
            milestone.state === known.state;
          return isIt ? issues.store({ ...issue, milestone: now }) : undefined;
        }),
    },
  } satisfies Plain<SignalMemory> & Carrying;
}

/** What names in the rules of a project mean, by the project's number. */
export function selectPins(on: Statements, project: number | Part): Asked<Pin[]> {
  return on.all`
    SELECT repository AS repository_id, kind, name, id, now FROM pins WHERE project = ${project}
    ORDER BY repository, kind, name`;
}

/** Issues of a repository that are read at once. */
const issuesAStep = 1_000;

function toSignalledIssue({ facts, signals }: SignalledColumns): SignalledIssue {
  return { issue: decodeIssue(facts), signals: signals === undefined ? {} : decodeSignals(signals) };
}
