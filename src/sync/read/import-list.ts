import { RemoteError } from "../../errors.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRef, LabelledIssue } from "../../model/issue.ts";
import type { Listed } from "../../tracker/tracker.ts";
import { type Cycle, issueKey, readBy } from "../ground/cycle-state.ts";
import { noteLimitOf } from "../ground/lane.ts";
import { isPutOff, noteError } from "../ground/report.ts";

/**
 * Open issues with these labels, by a request of its own: the list of changes does not show what was labelled long ago. It is
 * unchanged where nothing has changed since nothing of it waited.
 *
 * @returns undefined where it could not be read, and that is said.
 */
export async function readLabelled(
  cycle: Cycle,
  { repository, name }: RepositoryMemory,
  labels: readonly string[],
): Promise<Listed<LabelledIssue> | undefined> {
  const { ledger, tracker } = cycle.world;
  const etag = await ledger.imports.validator(cycle.memory.id, repository.id, readBy(cycle));
  try {
    return await tracker.labelled(repository, { labels, etag }, cycle.run.bounds);
  } catch (error) {
    if (!(error instanceof RemoteError) || isPutOff(error)) throw error;
    await noteLimitOf(cycle.world, error);
    noteError(cycle.tally, error, { issue: name });
    return undefined;
  }
}

/** Remembers what makes the next look conditional; undefined while something waits. */
export async function keepValidator(
  cycle: Cycle,
  { repository }: RepositoryMemory,
  etag: string | undefined,
): Promise<void> {
  const { ledger } = cycle.world;
  const by = readBy(cycle);
  if ((await ledger.imports.validator(cycle.memory.id, repository.id, by)) === etag) return;
  await ledger.commit([
    { kind: "note-import-list", project: cycle.memory.id, repository: repository.id, by, etag },
  ]);
}

/** The page of an issue, by the name that its repository has, and by the one that the config uses. */
export function addressesOf(
  { world, project }: Cycle,
  { repositoryId, number }: IssueRef,
): readonly string[] {
  const { name, repository } = world.ledger.memory.repositoryById(repositoryId) ?? {};
  const names = new Set([repository?.name, name].filter((one) => one !== undefined));
  return [...names].map((one) => project.renderer.dialect.issueAddress(one, number));
}

/** The page of an issue. */
export function addressOf({ world, project }: Cycle, { repositoryId, number }: IssueRef): string {
  const name = world.ledger.memory.repositoryById(repositoryId)?.repository.name ?? "";
  return project.renderer.dialect.issueAddress(name, number);
}

/** Another project makes, or has made, a post of it, whether the config names that project or not. */
export async function isElsewhere(
  { world: { ledger }, memory: { id: project } }: Cycle,
  issue: IssueRef,
): Promise<boolean> {
  return ledger.toolCalls.isMadeElsewhere({ project, purpose: "feedbackCreate", subject: issueKey(issue) });
}
