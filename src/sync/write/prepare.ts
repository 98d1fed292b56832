import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRecord, Milestone } from "../../model/issue.ts";
import type { CreateIssue } from "../../plan/ground/action.ts";
import type { IssueWrite, WriteOutcome } from "../../tracker/tracker.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { laneOf } from "../ground/lane.ts";
import { isLookedAt, lookOnce, noteLooks } from "../ground/looks.ts";
import { noteError } from "../ground/report.ts";
import { repositoryNow } from "./issue.ts";
import { send } from "./send.ts";

/** The request that opens an issue. */
export type CreateWrite = Extract<IssueWrite, { kind: "create-issue" }>;

/** Fields that an issue can do without: one that the tracker refuses is left out, once, and said. */
const optionalFields = ["assignees", "labels", "milestone", "type"] as const;
type OptionalField = (typeof optionalFields)[number];

/** Names become what the tracker wants: labels exist, the milestone is a number. */
export async function prepareIssue(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: CreateIssue,
): Promise<CreateWrite> {
  const { milestone: title } = action;
  const milestone = title === undefined ? undefined : await findMilestone(cycle, repository, title);
  if (title !== undefined && milestone === undefined) sayLacking(cycle, repository, title);
  await ensureLabels(cycle, repository, action);
  return {
    kind: "create-issue",
    title: action.title,
    body: action.body,
    labels: action.labels,
    assignees: action.assignees,
    milestone: milestone?.number,
    type: action.type,
  };
}

/**
 * Creates the labels that the repository lacks, where our account may; each is tried once a run. One that could not be made is
 * left to the write that names it: the tracker may make it then. Returns whether a request for one was sent.
 */
export async function ensureLabels(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  { post, labels }: Pick<CreateIssue, "post" | "labels">,
): Promise<boolean> {
  // Without push access the tracker drops labels silently; that is said when the answer shows it.
  if (!repository.repository.canPush) return false;
  const { log, tracker, clock } = cycle.world;
  let isSent = false;
  for (const name of labels) {
    const current = repositoryNow(cycle, repository);
    const attempt = `label ${name.toLowerCase()} of ${repository.repository.id}`;
    if (!lacksLabel(cycle, repository, [name]) || isLookedAt(cycle, attempt)) continue;
    const lane = laneOf(cycle.world, repository.repository.name);
    const { answer } = await send<WriteOutcome>(cycle, { lane, pace: "other", action: undefined }, () => ({
      post,
      reason: `${repository.name} lacks the label`,
      intent: undefined,
      call: () => tracker.write(repository.repository, { kind: "create-label", name }),
      tell: () => ({ kind: "create-label", issue: undefined, fields: [{ field: "label", value: name }] }),
      record: async (own) => {
        const memory = { ...current, labels: [...current.labels, name] };
        await own.world.ledger.commit([{ kind: "remember-repository", memory }]);
      },
      fail: async (_, { kind, message: reason }) => {
        const fields = { repo: repository.name, label: name, outcome: kind, reason };
        log.warn(fields, "The label could not be created");
        return { kind: "failed", why: reason };
      },
    }));
    if (answer === undefined) return isSent;
    if (answer.kind !== "applied") noteLooks(cycle, [attempt], clock.now());
    isSent = true;
  }
  return isSent;
}

/** Whether a repository has not all of these labels, as far as the state knows. */
export function lacksLabel(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  labels: readonly string[],
): boolean {
  const known = repositoryNow(cycle, repository).labels.map((label) => label.toLowerCase());
  return labels.some((name) => !known.includes(name.toLowerCase()));
}

/** A milestone that is not known may be new: it is looked for once a run. */
export async function findMilestone(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  wanted: string,
): Promise<Milestone | undefined> {
  const { ledger, tracker } = cycle.world;
  const byTitle = ({ milestones }: Pick<RepositoryMemory, "milestones">): Milestone | undefined =>
    milestones.find(({ title }) => title === wanted);
  const current = repositoryNow(cycle, repository);
  const known = byTitle(current);
  if (known !== undefined) return known;
  await lookOnce(cycle, `catalogue of ${repository.repository.id}`, async () => {
    const catalogue = await tracker.catalogue(repository.repository, cycle.run.bounds);
    await ledger.commit([{ kind: "remember-repository", memory: { ...current, ...catalogue } }]);
  });
  return byTitle(repositoryNow(cycle, repository));
}

function sayLacking({ tally }: PulledCycle, { name, repository }: RepositoryMemory, milestone: string): void {
  const message = `${name} has no milestone "${milestone}", so issues are opened without one. Create it, or correct issue.milestone.`;
  noteError(tally, { issue: repository.name, code: "tracker.milestone", message });
}

/** The optional fields that a refusal names; the tracker says `assignee` as well as `assignees`. */
export function optionalOf(refused: readonly string[]): readonly OptionalField[] {
  return optionalFields.filter((field) => refused.some((name) => name === field || `${name}s` === field));
}

export function without(write: CreateWrite, fields: readonly OptionalField[]): CreateWrite {
  return {
    ...write,
    ...(fields.includes("assignees") && { assignees: [] }),
    ...(fields.includes("labels") && { labels: [] }),
    ...(fields.includes("milestone") && { milestone: undefined }),
    ...(fields.includes("type") && { type: undefined }),
  };
}

/** What the tracker left out of a new issue without a word (no push access), by name. */
export function droppedFrom(
  write: CreateWrite,
  action: CreateIssue,
  { issue }: IssueRecord,
): readonly string[] {
  const isIn = (names: readonly string[], name: string): boolean =>
    names.some((one) => one.toLowerCase() === name.toLowerCase());
  return [
    ...write.labels.filter((label) => !isIn(issue.labels, label)).map((label) => `label ${label}`),
    ...write.assignees.filter((login) => !isIn(issue.assignees, login)).map((login) => `assignee ${login}`),
    ...(write.milestone !== undefined && issue.milestone === null ? [`milestone ${action.milestone}`] : []),
    ...(write.type !== undefined && issue.type === null ? [`type ${write.type}`] : []),
  ];
}
