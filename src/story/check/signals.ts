import { RemoteError } from "../../errors.ts";
import type { Readable, Repository } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { includesName } from "../../plan/rules/condition.ts";
import { neededSignals, type ProjectFieldName, projectFieldKey } from "../../plan/rules/signals.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { hasOption, isFieldFault, namedOptions } from "../../sync/read/signals/project-fields.ts";
import type { Catalogue, SignalAnswer, Tracker } from "../../tracker/tracker.ts";
import { type Finding, say } from "./findings.ts";

/** Whether the fields of projects that the rules name are there, can be read, and have the options that the rules name. */
export async function checkFields(
  findings: Finding[],
  project: SyncProject,
  tracker: Tracker,
  bounds: ReadBounds,
): Promise<void> {
  for (const wanted of neededSignals(project.settings).projects) {
    await checkField(findings, project, wanted, tracker, bounds);
  }
}

async function checkField(
  findings: Finding[],
  { key, settings }: SyncProject,
  wanted: ProjectFieldName,
  tracker: Tracker,
  bounds: ReadBounds,
): Promise<void> {
  const { owner, project, field } = wanted;
  try {
    const found = await tracker.projectField(wanted, bounds);
    const where = `Project ${owner}/${project}`;
    const options = found.options.map(({ name }) => `"${name}"`).join(", ") || "none";
    say(findings, "ok", key, `${where} can be read; its field ${found.name} has the options ${options}.`);
    if (found.isClosed) say(findings, "warning", key, `${where} is closed.`, "tracker.project");
    const named = namedOptions(settings, projectFieldKey(owner, project, field));
    for (const name of named.filter((option) => !hasOption(found, option))) {
      const message = `${where} has no option "${name}" in the field ${found.name}, which a rule looks at. What the field shows is then taken as unknown, and posts whose decision hangs on it stay as they are. Correct the rule, or make the option.`;
      say(findings, "error", key, message, "tracker.project-option");
    }
  } catch (error) {
    if (!(error instanceof RemoteError) || !isFieldFault(error)) throw error;
    say(findings, "error", key, error.message, "tracker.project");
  }
}

/** Tries what the rules look at beside an issue's record, on the issue of a repository that changed last. */
export async function checkSignals(
  findings: Finding[],
  { key, settings }: SyncProject,
  repository: Repository,
  tracker: Tracker,
  bounds: ReadBounds,
): Promise<void> {
  const { pullRequests, subIssues, released, duplicates } = neededSignals(settings);
  if (!(pullRequests || subIssues || released || duplicates)) return;
  const nodeId = await lastIssue(repository, tracker, bounds);
  if (nodeId === undefined) {
    const message = `${repository.name} has no issue yet on which to try whether pull requests, releases, sub-issues and duplicates can be read.`;
    say(findings, "ok", key, message);
    return;
  }
  const wish = { pullRequests, subIssues, released, duplicates, projects: [], facts: false };
  const answers: SignalAnswer[] = [];
  for await (const page of tracker.readSignals([nodeId], wish, bounds)) answers.push(...page);
  const [answer] = answers;
  const parts: readonly (readonly [string, Readable<unknown> | undefined])[] = [
    ["linked pull requests", answer?.signals.pullRequests],
    ["sub-issues", answer?.signals.subIssues],
    ["releases", answer?.signals.isReleased],
    ["duplicates", answer?.duplicateOf],
  ];
  sayParts(findings, key, repository, answer?.fault, parts);
}

function sayParts(
  findings: Finding[],
  key: string,
  { name: repository }: Repository,
  fault: SignalAnswer["fault"],
  parts: readonly (readonly [string, Readable<unknown> | undefined])[],
): void {
  if (fault !== undefined) {
    const message = `An issue of ${repository} that the list shows is not found by its id (GraphQL), so nothing beside its record can be read.`;
    say(findings, "error", key, message, "tracker.signals");
  }
  const names: string[] = [];
  for (const [part, found] of parts) {
    if (found?.kind === "known") names.push(part);
    if (found?.kind !== "unknown") continue;
    const message = `In ${repository} the rules look at ${part}, and they can't be read: ${found.message}`;
    say(findings, "error", key, message, "tracker.signals");
  }
  if (names.length > 0)
    say(findings, "ok", key, `Of issues of ${repository} can be read: ${names.join(", ")}.`);
}

async function lastIssue(
  repository: Repository,
  tracker: Tracker,
  bounds: ReadBounds,
): Promise<string | undefined> {
  const query = { kind: "latest", etag: undefined } as const;
  for await (const { issues } of tracker.listIssues(repository, query, bounds))
    return issues[0]?.issue.nodeId;
  return undefined;
}

/** Labels and milestones that the rules look at and no issue of a repository can have. */
export function checkNames(
  findings: Finding[],
  { key, settings }: SyncProject,
  name: string,
  { labels, milestones }: Catalogue,
): void {
  const conditions = settings.rules.map(({ when }) => when);
  const looked = conditions.flatMap((when) =>
    [when.labels, when.anyLabel, when.noLabel].flatMap((one) => one ?? []),
  );
  const unknown = [...new Set(looked)].filter((label) => !includesName(labels, label));
  if (unknown.length > 0) {
    const message = `${name} has no label ${unknown.join(", ")}, which the rules look at: no issue can have it yet.`;
    say(findings, "warning", key, message, "tracker.label");
  }
  const titles = conditions.flatMap(({ milestone }) => milestone ?? []);
  const missing = [...new Set(titles)].filter(
    (title) =>
      title !== "any" && title !== "none" && !milestones.some((milestone) => milestone.title === title),
  );
  if (missing.length > 0) {
    const message = `${name} has no milestone ${missing.map((title) => `"${title}"`).join(", ")}, which the rules look at: no issue can have it yet.`;
    say(findings, "warning", key, message, "tracker.milestone");
  }
}

/** Issue types that the config names, for new issues or in a rule. */
export async function checkTypes(
  findings: Finding[],
  { key, settings }: SyncProject,
  repository: Repository,
  tracker: Pick<Tracker, "issueTypes">,
  bounds: ReadBounds,
): Promise<void> {
  const wanted = [settings.issue.type, ...settings.rules.map(({ when }) => when.type)].flatMap(
    (type) => type ?? [],
  );
  if (wanted.length === 0) return;
  const types = await tracker.issueTypes(repository, bounds);
  const unknown = [...new Set(wanted)].filter((type) => !includesName(types ?? [], type));
  if (unknown.length === 0) return;
  const has = types === undefined ? "no issue types (only organisations do)" : `only ${types.join(", ")}`;
  const message = `${repository.name} has no issue type ${unknown.join(", ")}, it has ${has}: such issues are opened without one, and such a rule never matches.`;
  say(findings, "error", key, message, "tracker.type");
}
