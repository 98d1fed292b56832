import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRecord, Milestone, RepositoryName } from "../../model/issue.ts";
import type { CreateIssue } from "../../plan/ground/action.ts";
import { includesName, isSameName } from "../../plan/ground/issue-fields.ts";
import { byState } from "../../plan/rules/pins.ts";
import {
  type IssueWrite,
  type OptionalValue,
  optionalValues,
  type WriteOutcome,
} from "../../tracker/tracker.ts";
import { type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { laneOf } from "../ground/lane.ts";
import { isLookedAt, noteLooks } from "../ground/looks.ts";
import { noteError } from "../ground/report.ts";
import { pullMilestones } from "../read/pull-names.ts";
import { repositoryNow } from "./issue.ts";
import { send } from "./send.ts";

/** The request that opens an issue. */
export type CreateWrite = Extract<IssueWrite, { kind: "create-issue" }>;

/** An issue that is to be opened, and where. */
export interface Opening {
  readonly cycle: PulledCycle;
  readonly repository: RepositoryMemory;
  readonly action: CreateIssue;
}

/** Names become what the tracker wants: labels exist, the milestone is a number. */
export async function prepareIssue(opening: Opening): Promise<CreateWrite> {
  const { cycle, repository, action } = opening;
  const { tally } = cycle;
  const issue = repository.repository.name;
  const { body, labels, assignees, milestone: title, type } = action;
  const found = title === undefined ? undefined : await findMilestone(cycle, repository, title);
  if (title !== undefined && found?.state !== "open") {
    const message =
      found === undefined
        ? `${repository.name} has no milestone "${title}", so issues are opened without one. Create it, or correct issue.milestone.`
        : closedMilestone(repository.name, title);
    noteError(tally, { issue, code: "tracker.milestone", message });
  }
  const milestone = found?.state === "open" ? found : undefined;
  await ensureLabels(cycle, repository, action);
  const values = { labels, assignees, milestone: milestone?.number, type };
  const wanted: CreateWrite = { kind: "create-issue", title: action.title, body, ...values };
  const left = optionalValues(wanted).filter((one) => isRefused(opening, one));
  if (left.length > 0) {
    const message = `${repository.name} has refused ${nameValues(left, action)}, so issues are opened without. That is tried again with the next full look (\`fullEvery\`), or when the config has changed.`;
    noteError(tally, { issue, code: "tracker.field-refused", message });
  }
  return without(wanted, left);
}

/** By a closed one the rules may say at once that a post is done. */
export function closedMilestone(name: RepositoryName, title: string): string {
  return `The milestone "${title}" of ${name} is closed, so issues are opened without it. Open it, or correct issue.milestone.`;
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
    if (!lacksLabel(cycle, repository, name) || isLookedAt(cycle, attempt)) continue;
    const lane = laneOf(cycle.world, repository.repository.name);
    const { answer } = await send<WriteOutcome>(cycle, { lane, pace: "other", action: undefined }, () => ({
      post,
      reason: `${repository.name} lacks the label`,
      line: undefined,
      call: () => tracker.write(repository.repository, { kind: "create-label", name }),
      tell: () => ({ kind: "create-label", issue: undefined, fields: [{ field: "label", value: name }] }),
      record: async (own) => {
        const memory = { ...current, labels: [...current.labels, { name }] };
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

/** Whether a repository has not this label, as far as the state knows. */
export function lacksLabel(cycle: PulledCycle, repository: RepositoryMemory, name: string): boolean {
  return !repositoryNow(cycle, repository).labels.some((label) => isSameName(label.name, name));
}

/**
 * The milestone of a title, an open one before a closed one. People rename and close milestones, and then make a new one of the
 * same title: so the list is asked for anew, conditionally, once a run.
 *
 * @param isSure asks once more: what was sent was refused.
 */
export async function findMilestone(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  wanted: string,
  isSure = false,
): Promise<Milestone | undefined> {
  const { milestones } = await pullMilestones(cycle, repositoryNow(cycle, repository), isSure);
  return byState(milestones).find(({ title }) => title === wanted);
}

/**
 * What a refusal of a new issue names; all of a field where it names nothing of it. Values that it names one after the other are
 * left out one by one, but not for ever.
 *
 * @param isLast whether a field that is refused is to be left out as a whole.
 */
export function refusedIn(
  write: CreateWrite,
  { status, fields, named = [] }: Extract<WriteOutcome, { kind: "rejected" }>,
  isLast: boolean,
): readonly OptionalValue[] {
  if (status !== 422) return [];
  return optionalValues(write).filter(({ field, value }) => {
    const isNamed = (one: OptionalValue): boolean => one.field === field && one.value === value;
    const isField = fields.some((name) => name === field || `${name}s` === field);
    return isLast || !named.some((one) => one.field === field) ? isField : named.some(isNamed);
  });
}

/** A new issue without some of what it was to get. */
export function without(write: CreateWrite, left: readonly OptionalValue[]): CreateWrite {
  const isLeft = (field: OptionalValue["field"], value: string): boolean =>
    left.some((one) => one.field === field && one.value === value);
  const { assignees, labels, milestone, type } = write;
  return {
    ...write,
    assignees: assignees.filter((login) => !isLeft("assignees", login)),
    labels: labels.filter((label) => !isLeft("labels", label)),
    milestone: milestone !== undefined && isLeft("milestone", String(milestone)) ? undefined : milestone,
    type: type !== undefined && isLeft("type", type) ? undefined : type,
  };
}

/** Remembers what new issues are refused with, so that the next one is asked for without it. */
export async function rememberRefused(
  { cycle, repository }: Opening,
  left: readonly OptionalValue[],
): Promise<void> {
  const current = repositoryNow(cycle, repository);
  const { settingsPrint: print } = projectNow(cycle);
  const news = left.map(({ field, value }) => ({ field, value, print }));
  const memory = { ...current, refused: [...current.refused, ...news] };
  await cycle.world.ledger.commit([{ kind: "remember-repository", memory }]);
}

function isRefused({ cycle, repository }: Opening, { field, value }: OptionalValue): boolean {
  const { settingsPrint } = projectNow(cycle);
  return repositoryNow(cycle, repository).refused.some(
    (one) => one.field === field && one.value === value && one.print === settingsPrint,
  );
}

/** Values in words. */
export function nameValues(left: readonly OptionalValue[], { milestone }: CreateIssue): string {
  const byField = Map.groupBy(left, ({ field }) => field);
  return [...byField]
    .map(([field, values]) => {
      const names = values.map(({ value }) => (field === "milestone" ? (milestone ?? value) : value));
      return `${field} ${names.join(", ")}`;
    })
    .join(" and ");
}

/** What the tracker left out of a new issue without a word (no push access), by name. */
export function droppedFrom(
  write: CreateWrite,
  action: CreateIssue,
  { issue }: IssueRecord,
): readonly string[] {
  const { labels, assignees } = issue;
  return [
    ...write.labels.filter((label) => !includesName(labels, label)).map((label) => `label ${label}`),
    ...write.assignees.filter((login) => !includesName(assignees, login)).map((login) => `assignee ${login}`),
    ...(write.milestone !== undefined && issue.milestone === null ? [`milestone ${action.milestone}`] : []),
    ...(write.type !== undefined && issue.type === null ? [`type ${write.type}`] : []),
  ];
}
