import type { Ledger } from "../../ledger/ledger.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { Policy, SyncProject } from "../../sync/ground/world.ts";
import type { Late } from "../readiness.ts";
import type { Times } from "./times.ts";

/** What the page shows beside the state; asked for anew with every request, because a config may be read again. */
export interface PageView {
  readonly projects: readonly PageProject[];
  readonly policy: Policy;
  /** Of the config's schedules, and of every time on the page. */
  readonly timezone: string;
  /** Of the tracker's API: where its own pages are follows from it. */
  readonly trackerUrl: string;
  readonly late: readonly Late[];
  /** Whose budget writes to a repository count against, as `Tracker.budgetOf` says. */
  budgetOf(repository: RepositoryName): string;
}

/** One project of the config. */
export interface PageProject {
  readonly project: SyncProject;
  /** Epoch ms; undefined where nothing runs it. */
  readonly nextRunAt: number | undefined;
}

/** What the parts of one answer share. */
export interface Looking {
  readonly view: PageView;
  readonly ledger: Ledger;
  readonly times: Times;
}
