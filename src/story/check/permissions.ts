import { neededSignals } from "../../plan/rules/signals.ts";
import type { SyncProject } from "../../sync/ground/world.ts";

/** What a GitHub App needs, by GitHub's names: no more than what the rules look at. */
export function neededPermissions(
  projects: readonly Pick<SyncProject, "settings">[],
): Readonly<Record<string, "read" | "write">> {
  const signals = projects.map(({ settings }) => neededSignals(settings));
  return {
    issues: "write",
    metadata: "read",
    ...(signals.some(({ pullRequests, released }) => pullRequests || released) && { pull_requests: "read" }),
    ...(signals.some(({ released }) => released) && { contents: "read" }),
    ...(signals.some(({ projects: fields }) => fields.length > 0) && { organization_projects: "read" }),
  };
}
