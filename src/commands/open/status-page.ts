import { policyOf } from "../../app.ts";
import type { Config } from "../../config/schema.ts";
import type { PageView } from "../../daemon/page/view.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import type { Moment } from "../../sync/tell/project-state.ts";

/** What the status page shows beside the state. @param told - what a daemon that runs a project knows of it beside the state. */
export function viewConfig(
  config: Config,
  projects: readonly SyncProject[],
  tracker: Pick<PageView, "budgetOf">,
  told: (key: string) => Omit<Moment, "now"> = () => ({}),
): PageView {
  return {
    projects: projects.map((project) => ({ project, ...told(project.key) })),
    policy: policyOf(config),
    timezone: config.timezone,
    trackerUrl: config.tracker.url,
    budgetOf: (repository, use) => tracker.budgetOf(repository, use),
  };
}
