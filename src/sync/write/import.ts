import type { Backlog } from "../../ledger/backlogs.ts";
import type { ProjectId } from "../../model/post.ts";
import { estimateEnd } from "../../plan/pace.ts";
import type { World } from "../ground/world.ts";

const hourMs = 3_600_000;

/** How far the opening of issues is. */
export interface Import {
  /** Issues opened since there was more to open than one run could. */
  readonly done: number;
  readonly total: number;
  /** When the last one will be opened by the pace that holds, epoch ms. */
  readonly doneAt: number;
}

/** What is asked for an estimate. */
type Sources = { readonly ledger: World["ledger"]; readonly policy: Pick<World["policy"], "pace"> };

/**
 * How far the import of a project is; undefined where no issues are left to be opened. It is as old as the last run, and so is
 * what it knows of others that share the pace.
 */
export function readImport(sources: Sources, project: ProjectId, now: number): Import | undefined {
  const mine = sources.ledger.backlogs.ofProject(project).filter(({ creates }) => creates > 0);
  if (mine.length === 0) return undefined;
  const done = sum(mine.map(({ created }) => created));
  return {
    done,
    total: done + sum(mine.map(({ creates }) => creates)),
    doneAt: Math.max(...mine.map((backlog) => estimate(sources, backlog, now))),
  };
}

/** Others that share the pace have their turn in between: each as often as the project itself, as long as it has something left. */
export function estimate(
  { ledger, policy }: Sources,
  { project, budget, creates }: Pick<Backlog, "project" | "budget" | "creates">,
  now: number,
): number {
  const others = ledger.backlogs
    .ofBudget(budget)
    .filter((other) => other.project !== project && now - other.at < hourMs)
    .map((other) => Math.min(other.creates, creates));
  const recent = ledger.journal.trackerWrites(now - hourMs, budget);
  return estimateEnd(recent, creates + sum(others), policy.pace, now);
}

/** Of none it is 0. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
