import type { Issue, IssueRef, Milestone, Pin, RepositoryId, Signals } from "../../../model/issue.ts";
import type { SignalledIssue, SignalMemory } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import { decodeIssue, decodeSignals, encodeSignals, mergeSignals } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import { insertInto, ofIssue, upsert } from "../schema.ts";
import { type Asked, type Columns, fromColumns, type Plain, type Query, type Store } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";

interface SignalColumns {
  repository: number;
  number: number;
  signals: string;
  canonical_repository: number | undefined;
  canonical_number: number | undefined;
}

interface SignalledColumns {
  facts: string;
  signals: string | null;
}

/** What was read of issues beside their records, and what is known of issues that others are duplicates of. */
export function createSignals(
  store: Store,
  numbers: Numbers,
  issues: IssueStore,
): Plain<SignalMemory> & Carrying<"store-signals" | "store-facts" | "replace-milestone" | "set-pins"> {
  const joined = `
    LEFT JOIN signals ON signals.repository = issues.repository AND signals.number = issues.number
    LEFT JOIN absences ON absences.repository = issues.repository AND absences.number = issues.number
    LEFT JOIN repositories ON repositories.id = issues.repository
    WHERE facts IS NOT NULL AND is_gone = 0 AND absences.kind IS NULL AND paused_at IS NULL`;
  const linked = (which: string) =>
    store.prepare<[IssueRef & { project: number; limit: number }], SignalledColumns>(`
    SELECT facts, signals FROM links INDEXED BY links_by_project
    CROSS JOIN issues ON issues.repository = links.repository AND issues.number = links.number ${joined} ${which}
      AND links.project = @project AND (links.repository, links.number) > (@repositoryId, @number)
      AND NOT EXISTS (SELECT 1 FROM links AS earlier WHERE earlier.project = links.project
        AND earlier.repository = links.repository AND earlier.number = links.number AND earlier.post < links.post)
    ORDER BY links.repository, links.number LIMIT @limit`);
  const selectLinked = linked("");
  const selectDuplicates = linked("AND issues.state = 'closed' AND issues.state_reason = 'duplicate'");
  const select = store.prepare<[IssueRef], SignalledColumns>(`
    SELECT facts, signals FROM issues ${joined} AND issues.repository = @repositoryId AND issues.number = @number`);
  const selectSignals = store.prepare<[IssueRef], { signals: string }>(
    `SELECT signals FROM signals WHERE ${ofIssue}`,
  );
  const writeSignals = store.prepare<[SignalColumns]>(upsert("signals", ["repository", "number"]));
  const selectKept = store.prepare<[IssueRef]>(`
    SELECT 1 AS one FROM links JOIN issues ON issues.repository = links.repository AND issues.number = links.number
    WHERE links.repository = @repositoryId AND links.number = @number AND facts IS NOT NULL LIMIT 1`);
  const selectStep = store.prepare<
    [{ repository: number; after: number; limit: number }],
    { number: number; facts: string; is_linked: number }
  >(`
    SELECT number, facts,
      EXISTS (SELECT 1 FROM links WHERE links.repository = issues.repository AND links.number = issues.number)
        AS is_linked
    FROM issues WHERE repository = @repository AND number > @after AND facts IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM absences
        WHERE absences.repository = issues.repository AND absences.number = issues.number)
    ORDER BY number LIMIT @limit`);
  /**
   * Looks at every issue of a repository that is not absent, and whether it is linked; only when labels or milestones of the
   * repository have changed.
   */
  function* lookThrough(
    repository: RepositoryId,
    look: (issue: Issue, isLinked: boolean) => Asked<void> | undefined,
  ): Asked<void> {
    for (let after = 0; ; ) {
      const found = yield* selectStep.all({ repository, after, limit: issuesAStep });
      for (const { facts, is_linked } of found) {
        const asked = look(decodeIssue(facts), is_linked === 1);
        if (asked !== undefined) yield* asked;
      }
      const last = found.at(-1);
      if (last === undefined || found.length < issuesAStep) return;
      after = last.number;
    }
  }
  const selectPins = preparePins(store);
  const removePins = store.prepare<[number]>("DELETE FROM pins WHERE project = ?");
  const insertPin = store.prepare<[Pin & { readonly project: number; readonly repository: number }]>(
    insertInto("pins"),
  );
  return {
    *linked(id, after, limit, only) {
      const project = yield* numbers.findProject(id);
      const query = only === "duplicates" ? selectDuplicates : selectLinked;
      const from = after ?? { repositoryId: 0, number: 0 };
      return (yield* query.all({ ...from, project, limit })).map(toSignalledIssue);
    },
    *of(issue) {
      const found = yield* select.get(issue);
      return found && toSignalledIssue(found);
    },
    *pins(project) {
      return (yield* selectPins.all(yield* numbers.findProject(project))).map(fromColumns);
    },
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
        const encoded = (yield* selectSignals.get(issue))?.signals;
        const known: Signals = encoded === undefined ? {} : decodeSignals(encoded);
        const changed = isFill ? mergeSignals(read, known) : mergeSignals(known, read);
        if (encodeSignals(changed) === encoded) return;
        const canonical = changed.canonical?.kind === "known" ? changed.canonical.value : null;
        yield* writeSignals.run({
          repository: issue.repositoryId,
          number: issue.number,
          signals: encodeSignals(changed),
          canonical_repository: canonical?.repositoryId,
          canonical_number: canonical?.number,
        });
        yield* issues.markRows(issue);
      },
      *"store-facts"({ issue }) {
        const isLinked = (yield* selectKept.get(issue)) !== undefined;
        if (!isLinked || (yield* issues.isNews(issue))) yield* issues.store(issue);
      },
      *"set-pins"({ project, pins: known }) {
        const number = yield* numbers.project(project);
        yield* removePins.run(number);
        for (const pin of known)
          yield* insertPin.run({ ...pin, project: number, repository: pin.repositoryId, now: pin.now });
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
  };
}

/** What names in the rules of a project mean, by the project's number. */
export function preparePins(store: Store): Query<[project: number], Columns<Pin>> {
  return store.prepare(`
    SELECT repository AS "repositoryId", kind, name, id, now FROM pins WHERE project = ?
    ORDER BY repository, kind, name`);
}

/** Issues of a repository that are read at once. */
const issuesAStep = 1_000;

function toSignalledIssue({ facts, signals }: SignalledColumns): SignalledIssue {
  return { issue: decodeIssue(facts), signals: signals === null ? {} : decodeSignals(signals) };
}
