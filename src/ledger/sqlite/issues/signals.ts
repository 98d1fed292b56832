import type { Pin, Signals } from "../../../model/issue.ts";
import type { SignalledIssue, SignalMemory } from "../../signals.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import { decodeIssue, decodeSignals, encodeSignals, mergeSignals } from "../columns/facts.ts";
import type { Numbers } from "../columns/numbers.ts";
import { milestoneShape } from "../columns/shapes.ts";
import type { Plain } from "../file/plain.ts";
import type { Store } from "../file/store.ts";
import type { IssueStore } from "./issue-store.ts";
import { type IssuePlace, placeOfIssue } from "./place.ts";

const readMilestone = stored("issues.facts", milestoneShape);

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
  const selectLinked = store.prepare<[IssuePlace & { project: number; limit: number }], SignalledColumns>(`
    SELECT facts, signals FROM links INDEXED BY links_by_project
    CROSS JOIN issues ON issues.repository = links.repository AND issues.number = links.number ${joined}
      AND links.project = @project AND (links.repository, links.number) > (@repository, @number)
    GROUP BY links.repository, links.number ORDER BY links.repository, links.number LIMIT @limit`);
  const select = store.prepare<[IssuePlace], SignalledColumns>(`
    SELECT facts, signals FROM issues ${joined} AND issues.repository = @repository AND issues.number = @number`);
  const signals = prepareSignals(store);
  const catalogue = prepareCatalogue(store);
  const pins = createPins(store);
  return {
    linked(project, after, limit) {
      const number = numbers.findProject(project);
      if (number === undefined) return [];
      const place = placeOfIssue(after ?? { repositoryId: 0, number: 0 });
      return selectLinked.all({ ...place, project: number, limit }).map(toSignalledIssue);
    },
    of(issue) {
      const found = select.get(placeOfIssue(issue));
      return found && toSignalledIssue(found);
    },
    pins(project) {
      const number = numbers.findProject(project);
      return number === undefined ? [] : pins.read(number);
    },
    catalogue: (repository) => ({
      labels: catalogue.selectLabels.all(repository).map(({ label }) => label),
      milestones: catalogue.selectMilestones.all(repository).map(({ milestone }) => readMilestone(milestone)),
      ids: catalogue.selectIds.all({ repository }).map(({ id }) => id),
    }),
    changes: {
      "store-signals": ({ issue, signals: read, isFill }) => {
        const place = placeOfIssue(issue);
        const encoded = signals.select.get(place)?.signals;
        const known: Signals = encoded === undefined ? {} : decodeSignals(encoded);
        const changed = isFill ? mergeSignals(read, known) : mergeSignals(known, read);
        if (encodeSignals(changed) === encoded) return;
        const canonical = changed.canonical?.kind === "known" ? changed.canonical.value : null;
        signals.write.run({
          ...place,
          signals: encodeSignals(changed),
          canonicalRepository: canonical?.repositoryId ?? null,
          canonicalNumber: canonical?.number ?? null,
        });
        issues.markRows(issue);
      },
      "store-facts": ({ issue }) => {
        const isLinked = signals.selectKept.get(placeOfIssue(issue)) !== undefined;
        if (!isLinked || issues.isNews(issue)) issues.store(issue);
      },
      "set-pins": ({ project, pins: known }) => pins.replace(numbers.project(project), known),
      "replace-milestone": ({ repository, known: { number, title, state }, now }) => {
        const milestone = JSON.stringify({ number, title, state });
        for (const { facts } of catalogue.selectPlanned.all({ repository, milestone })) {
          issues.store({ ...decodeIssue(facts), milestone: now });
        }
      },
    },
  };
}

interface PinColumns extends Omit<Pin, "repositoryId" | "now"> {
  readonly repository: number;
  readonly now: string | null;
}

/** What names in the rules of projects mean, by the projects' numbers. */
export function createPins(store: Store): {
  read(project: number): readonly Pin[];
  replace(project: number, pins: readonly Pin[]): void;
} {
  const select = store.prepare<[number], PinColumns>(
    "SELECT repository, kind, name, id, now FROM pins WHERE project = ? ORDER BY repository, kind, name",
  );
  const remove = store.prepare<[number]>("DELETE FROM pins WHERE project = ?");
  const insert = store.prepare<[PinColumns & { readonly project: number }]>(`
    INSERT INTO pins (project, repository, kind, name, id, now)
    VALUES (@project, @repository, @kind, @name, @id, @now)`);
  return {
    read: (project) =>
      select
        .all(project)
        .map(({ repository, now, ...pin }) => ({ repositoryId: repository, ...pin, now: now ?? undefined })),
    replace(project, pins) {
      remove.run(project);
      for (const { repositoryId, kind, name, id, now } of pins)
        insert.run({ project, repository: repositoryId, kind, name, id, now: now ?? null });
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
      INSERT OR REPLACE INTO signals (repository, number, signals, canonical_repository, canonical_number)
      VALUES (@repository, @number, @signals, @canonicalRepository, @canonicalNumber)`),
    selectKept: store.prepare<[IssuePlace]>(`
      SELECT 1 FROM links JOIN issues ON issues.repository = links.repository AND issues.number = links.number
      WHERE links.repository = @repository AND links.number = @number AND facts IS NOT NULL LIMIT 1`),
  };
}

/** One look at each linked issue of a repository; made only when labels or milestones of it have changed. */
function prepareCatalogue(store: Store) {
  const linked = `
    EXISTS (SELECT 1 FROM links WHERE links.repository = issues.repository AND links.number = issues.number)
    AND NOT EXISTS (SELECT 1 FROM absences
      WHERE absences.repository = issues.repository AND absences.number = issues.number)`;
  return {
    selectLabels: store.prepare<[number], { label: string }>(`
      SELECT DISTINCT label.value AS label FROM issues JOIN json_each(facts, '$.labels') AS label
      WHERE repository = ? AND ${linked}`),
    selectIds: store.prepare<[{ repository: number }], { id: string }>(`
      SELECT DISTINCT label.value AS id FROM issues JOIN json_each(facts, '$.labelIds') AS label
      WHERE repository = @repository AND ${linked}
      UNION SELECT CAST(facts ->> '$.milestone.number' AS TEXT) FROM issues
      WHERE repository = @repository AND facts ->> '$.milestone' IS NOT NULL AND ${linked}
      UNION SELECT facts ->> '$.typeId' FROM issues
      WHERE repository = @repository AND facts ->> '$.typeId' IS NOT NULL AND ${linked}`),
    selectMilestones: store.prepare<[number], { milestone: string }>(`
      SELECT DISTINCT facts -> '$.milestone' AS milestone FROM issues
      WHERE repository = ? AND facts ->> '$.milestone' IS NOT NULL AND ${linked}`),
    selectPlanned: store.prepare<[{ repository: number; milestone: string }], { facts: string }>(`
      SELECT facts FROM issues WHERE repository = @repository AND facts -> '$.milestone' = @milestone
        AND NOT EXISTS (SELECT 1 FROM absences
          WHERE absences.repository = issues.repository AND absences.number = issues.number)`),
  };
}

function toSignalledIssue({ facts, signals }: SignalledColumns): SignalledIssue {
  return { issue: decodeIssue(facts), signals: signals === null ? {} : decodeSignals(signals) };
}
