import { policyOf } from "../../app.ts";
import type { Config } from "../../config/schema.ts";
import type { PageView } from "../../daemon/page/view.ts";
import type { Late } from "../../daemon/readiness.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { nextTimeOf } from "./next-run.ts";

/**
 * What the status page shows beside the state.
 *
 * @param late - undefined where no daemon runs the projects: none of them has a next run.
 * @param broken - see `PageView`.
 */
export function viewConfig(
  config: Config,
  projects: readonly SyncProject[],
  tracker: Pick<PageView, "budgetOf">,
  late: readonly Late[] | undefined,
  broken: PageView["broken"] = new Map(),
): PageView {
  return {
    projects: projects.map((project) => ({ project, nextRunAt: late && nextTimeOf(config, project.key) })),
    policy: policyOf(config),
    timezone: config.timezone,
    trackerUrl: config.tracker.url,
    late: late ?? [],
    broken,
    budgetOf: (repository, use) => tracker.budgetOf(repository, use),
  };
}
