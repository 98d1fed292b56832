import type { Issue, Milestone, Pin, RepositoryId, Signals } from "../../../model/issue.ts";
import type { SignalledIssue, SignalMemory } from "../../pulls.ts";
import type { Carrying } from "../columns/changes.ts";
import { decodeIssue, decodeSignals, encodeSignals, mergeSignals } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Asked, Plain, Query, Store } from "../store.ts";
import type { IssueStore } from "./issue-store.ts";
import { type IssuePlace, placeOfIssue } from "./place.ts";

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
    store.prepare<[IssuePlace & { project: number; limit: number }], SignalledColumns>(`
    SELECT facts, signals FROM links INDEXED BY links_by_project
    CROSS JOIN issues ON issues.repository = links.repository AND issues.number = links.number ${joined} ${which}
      AND links.project = @project AND (links.repository, links.number) > (@repository, @number)
      AND NOT EXISTS (SELECT 1 FROM links AS earlier WHERE earlier.project = links.project
        AND earlier.repository = links.repository AND earlier.number = links.number AND earlier.post < links.post)
    ORDER BY links.repository, links.number LIMIT @limit`);
  const selectLinked = linked("");
  const selectDuplicates = linked("AND issues.state = 'closed' AND issues.state_reason = 'duplicate'");
  const select = store.prepare<[IssuePlace], SignalledColumns>(`
    SELECT facts, signals FROM issues ${joined} AND issues.repository = @repository AND issues.number = @number`);
  const signals = prepareSignals(store);
  const catalogue = prepareCatalogue(store);
  const pins = createPins(store);
  return {
    linked: (project, after, limit, only) =>
      numbers.ofProject(project, [], function* (number): Asked<readonly SignalledIssue[]> {
        const place = placeOfIssue(after ?? { repositoryId: 0, number: 0 });
        const query = only === "duplicates" ? selectDuplicates : selectLinked;
        return (yield* query.all({ ...place, project: number, limit })).map(toSignalledIssue);
      }),
    *of(issue) {
      const found = yield* select.get(placeOfIssue(issue));
      return found && toSignalledIssue(found);
    },
    pins: (project) => numbers.ofProject(project, [], pins.read),
    *catalogue(repository) {
      const labels = new Set<string>();
      const ids = new Set<string>();
      const milestones = new Map<string, Milestone>();
      yield* catalogue(repository, ({ labels: names, labelIds = [], milestone, typeId }, isLinked) => {
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
        const place = placeOfIssue(issue);
        const encoded = (yield* signals.select.get(place))?.signals;
        const known: Signals = encoded === undefined ? {} : decodeSignals(encoded);
        const changed = isFill ? mergeSignals(read, known) : mergeSignals(known, read);
        if (encodeSignals(changed) === encoded) return;
        const canonical = changed.canonical?.kind === "known" ? changed.canonical.value : null;
        yield* signals.write.run({
          ...place,
          signals: encodeSignals(changed),
          canonicalRepository: canonical?.repositoryId ?? null,
          canonicalNumber: canonical?.number ?? null,
        });
        yield* issues.markRows(issue);
      },
      *"store-facts"({ issue }) {
        const isLinked = (yield* signals.selectKept.get(placeOfIssue(issue))) !== undefined;
        if (!isLinked || (yield* issues.isNews(issue))) yield* issues.store(issue);
      },
      *"set-pins"({ project, pins: known }) {
        yield* pins.replace(yield* numbers.project(project), known);
      },
      "replace-milestone": ({ repository, known, now }) =>
        catalogue(repository, (issue) => {
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

export interface PinColumns extends Omit<Pin, "repositoryId" | "now"> {
  readonly repository: number;
  readonly now: string | null;
}

export function preparePins(store: Store): Query<[project: number], PinColumns> {
  return store.prepare(
    "SELECT repository, kind, name, id, now FROM pins WHERE project = ? ORDER BY repository, kind, name",
  );
}

export function toPin({ repository, now, ...pin }: PinColumns): Pin {
  return { repositoryId: repository, ...pin, now: now ?? undefined };
}

/** What names in the rules of projects mean, by the projects' numbers. */
export function createPins(store: Store): {
  read(project: number): Asked<readonly Pin[]>;
  replace(project: number, pins: readonly Pin[]): Asked<void>;
} {
  const select = preparePins(store);
  const remove = store.prepare<[number]>("DELETE FROM pins WHERE project = ?");
  const insert = store.prepare<[PinColumns & { readonly project: number }]>(`
    INSERT INTO pins (project, repository, kind, name, id, now)
    VALUES (@project, @repository, @kind, @name, @id, @now)`);
  return {
    *read(project) {
      return (yield* select.all(project)).map(toPin);
    },
    *replace(project, pins) {
      yield* remove.run(project);
      for (const { repositoryId, kind, name, id, now } of pins)
        yield* insert.run({ project, repository: repositoryId, kind, name, id, now: now ?? null });
    },
  };
}

function prepareSignals(store: Store) {
  return {
    select: store.prepare<[IssuePlace], { signals: string }>(
      "SELECT signals FROM signals WHERE repository = @repository AND number = @number",
    ),
    write: store.prepare<
      [IssuePlace & { signals: string; canonicalRepository: number | null; canonicalNumber: number | null }]
    >(`
      INSERT INTO signals (repository, number, signals, canonical_repository, canonical_number)
      VALUES (@repository, @number, @signals, @canonicalRepository, @canonicalNumber)
      ON CONFLICT (repository, number) DO UPDATE SET signals = excluded.signals,
        canonical_repository = excluded.canonical_repository, canonical_number = excluded.canonical_number`),
    selectKept: store.prepare<[IssuePlace]>(`
      SELECT 1 AS one FROM links JOIN issues ON issues.repository = links.repository AND issues.number = links.number
      WHERE links.repository = @repository AND links.number = @number AND facts IS NOT NULL LIMIT 1`),
  };
}

/** Issues of a repository that are read at once. */
const issuesAStep = 1_000;

/**
 * Every issue of a repository that is not absent, and whether it is linked; looked at only when labels or milestones of the
 * repository have changed.
 */
function prepareCatalogue(
  store: Store,
): (
  repository: RepositoryId,
  look: (issue: Issue, isLinked: boolean) => Asked<void> | undefined,
) => Asked<void> {
  const select = store.prepare<
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
  return function* (repository, look) {
    for (let after = 0; ; ) {
      const found = yield* select.all({ repository, after, limit: issuesAStep });
      for (const { facts, is_linked } of found) {
        const asked = look(decodeIssue(facts), is_linked === 1);
        if (asked !== undefined) yield* asked;
      }
      const last = found.at(-1);
      if (last === undefined || found.length < issuesAStep) return;
      after = last.number;
    }
  };
}

function toSignalledIssue({ facts, signals }: SignalledColumns): SignalledIssue {
  return { issue: decodeIssue(facts), signals: signals === null ? {} : decodeSignals(signals) };
}
