import type { RepositoryMemory } from "../ledger/memory.ts";
import type { Issue, IssueField, IssueRecord, IssueRef } from "../model/issue.ts";
import type { ChangeIssue, FieldWrite } from "../plan/action.ts";
import { isSameName } from "../plan/condition.ts";
import { labelOf, splitState, withFields } from "../plan/issue-fields.ts";
import type { IssueWrite, WriteOutcome } from "../tracker/tracker.ts";
import { putOff } from "./backlog.ts";
import { isOpen, nameIssue, type PulledCycle } from "./cycle-state.ts";
import { laneOfIssue } from "./lane.ts";
import { isSameIssue, storeRecords } from "./markers.ts";
import { parkAction } from "./outcome.ts";
import { takeOwnChange } from "./own-change.ts";
import { ensureLabels, findMilestone } from "./prepare-issue.ts";
import { readWoken } from "./pull-signals.ts";
import { type FreshIssue, readFresh } from "./read-fresh.ts";
import { postpone, recordRow, replan } from "./record.ts";
import { isClosedNow } from "./writable.ts";
import { writeIssue } from "./write-issue.ts";

/** One request, with the fields that it writes. */
interface Step {
  readonly write: IssueWrite;
  readonly writes: readonly FieldWrite<IssueField>[];
}

/** Whether what comes next may be tried in this run. */
type Progress = "go on" | "stop";

/**
 * Brings a post's issues to what the board rules ask for, one request after the other, each journalled by itself. Every
 * issue is read right before: what people have changed meanwhile is decided with first. A refusal stops no other request;
 * what it leaves undone is parked.
 */
export async function changeIssue(cycle: PulledCycle, action: ChangeIssue): Promise<void> {
  const refusals: string[] = [];
  for (const { issue } of action.changes) {
    if ((await changeOne(cycle, action, issue, refusals)) === "stop") return;
  }
  if (refusals.length > 0) parkRest(cycle, action, refusals);
}

async function changeOne(
  cycle: PulledCycle,
  action: ChangeIssue,
  issue: IssueRef,
  refusals: string[],
): Promise<Progress> {
  const lane = laneOfIssue(cycle.world, issue);
  if (!isOpen(cycle, lane)) {
    putOff(cycle, action, lane);
    return "go on";
  }
  const fresh = await readFresh(cycle, action, issue);
  if (fresh === undefined) return "go on";
  storeRecords(cycle, [fresh.record]);
  const now = replan(cycle, action);
  if (now?.kind !== "change-issue") return "stop";
  if (now.hold !== undefined && action.hold === undefined) {
    postpone(cycle, action, "a person has to let it go, and nobody could see that yet");
    return "stop";
  }
  const change = now.changes.find((one) => isSameIssue(one.issue, issue));
  if (change === undefined) return "go on";
  return writeFields(cycle, now, fresh, change.writes, refusals);
}

/** Writes fields of an issue that was read this moment, one request after the other; adds what is refused, in words. */
export async function writeFields(
  cycle: PulledCycle,
  action: ChangeIssue,
  fresh: FreshIssue,
  writes: readonly FieldWrite<IssueField>[],
  refusals: string[],
): Promise<Progress> {
  const { issue } = fresh.record;
  await readWoken(cycle, issue, withFields(issue, writes, fresh.repository.milestones));
  const { steps, lacking } = await stepsOf(cycle, action, fresh, writes);
  refusals.push(...lacking);
  return takeSteps(cycle, action, fresh, steps, refusals);
}

/** State and milestone last: their answer shows the issue, and with it what the labels' answers leave out. */
async function takeSteps(
  cycle: PulledCycle,
  action: ChangeIssue,
  { repository, record }: FreshIssue,
  steps: readonly Step[],
  refusals: string[],
): Promise<Progress> {
  let { issue } = record;
  for (const step of steps) {
    const outcome = await take(cycle, repository, action, issue, step);
    if (outcome?.kind === "applied") issue = outcome.record?.issue ?? shownAfter(repository, issue, step);
    else if (outcome?.kind !== "rejected") return "stop";
    else if (await isClosedNow(cycle, repository, action, outcome)) return "stop";
    else refusals.push(outcome.message);
  }
  if (steps.length > 0 && steps.at(-1)?.write.kind !== "edit-issue") await lookAgain(cycle, issue);
  return "go on";
}

/** A list that lags must not pass for a change of people's: facts with the time of our own change are newer than its. */
async function lookAgain(cycle: PulledCycle, issue: IssueRef): Promise<void> {
  if (!isOpen(cycle, laneOfIssue(cycle.world, issue))) return;
  const answer = await cycle.world.tracker.readIssue(issue, cycle.run.bounds);
  if (answer.kind === "found") storeRecords(cycle, [answer.record]);
}

function take(
  cycle: PulledCycle,
  repository: RepositoryMemory,
  action: ChangeIssue,
  issue: Issue,
  { write, writes }: Step,
): Promise<WriteOutcome | undefined> {
  const place = nameIssue(cycle, issue);
  return writeIssue(cycle, repository, {
    action,
    write,
    place,
    number: issue.number,
    issueWrites: writes,
    fields: writes.map(({ field, before, value }) => ({
      field,
      value,
      ...(before !== undefined && { before }),
    })),
    claim: "the issue was changed",
    isShown: () => true,
    recordApplied: (record) => {
      const shown = record?.issue ?? shownAfter(repository, issue, { write, writes });
      takeOwnChange(cycle, { post: action.post, writes, issue: shown, repository });
      cycle.tally.issueWrites += 1;
      cycle.world.log.info(
        {
          run: cycle.run.number,
          project: cycle.project.key,
          post: action.post,
          issue: place,
          change: Object.fromEntries(writes.map(({ field, value }) => [field, value])),
          reason: action.reason,
        },
        "Issue changed",
      );
      recordRow(cycle, action.post);
    },
  });
}

function shownAfter({ milestones }: RepositoryMemory, issue: Issue, { writes }: Step): Issue {
  return withFields(issue, writes, milestones);
}

/** The requests for one issue, and in words what can't be asked for. */
async function stepsOf(
  cycle: PulledCycle,
  { post }: ChangeIssue,
  { repository, record }: FreshIssue,
  writes: readonly FieldWrite<IssueField>[],
): Promise<{ readonly steps: readonly Step[]; readonly lacking: readonly string[] }> {
  const labels = writes.flatMap((write): readonly Step[] => {
    const name = labelOf(write.field);
    if (name === undefined) return [];
    return [{ write: labelWrite(cycle, record, name, write.value === true), writes: [write] }];
  });
  const added = labels.flatMap(({ write }) => (write.kind === "add-labels" ? write.labels : []));
  await ensureLabels(cycle, repository, { post, labels: added });
  const others = writes.filter(({ field }) => labelOf(field) === undefined);
  const title = others.find(({ field }) => field === "milestone")?.value;
  const milestone = typeof title === "string" ? await findMilestone(cycle, repository, title) : undefined;
  const isLacking = typeof title === "string" && milestone === undefined;
  const possible = isLacking ? others.filter(({ field }) => field !== "milestone") : others;
  const edit: readonly Step[] =
    possible.length === 0
      ? []
      : [{ write: editWrite(record, possible, milestone?.number), writes: possible }];
  const lacking = isLacking
    ? [`${repository.name} has no milestone "${title}": create it, or correct the board rule`]
    : [];
  return { steps: [...labels, ...edit], lacking };
}

/** Label names have no case: the one that is there is removed, and a new one is spelt as the config does. */
function labelWrite(
  { settings }: PulledCycle,
  { issue: { number, labels } }: IssueRecord,
  name: string,
  isAdded: boolean,
): IssueWrite {
  const isIt = (label: string): boolean => isSameName(label, name);
  if (!isAdded) return { kind: "remove-label", number, label: labels.find(isIt) ?? name };
  const named = settings.boardRules.flatMap(({ set }) => [
    ...(set.addLabels ?? []),
    ...(set.removeLabels ?? []),
  ]);
  return { kind: "add-labels", number, labels: [named.find(isIt) ?? name] };
}

function editWrite(
  { issue: { number } }: IssueRecord,
  writes: readonly FieldWrite<IssueField>[],
  milestone: number | undefined,
): IssueWrite {
  const state = writes.find(({ field }) => field === "state");
  const isMilestone = writes.some(({ field }) => field === "milestone");
  return {
    kind: "edit-issue",
    number,
    ...(state !== undefined && stateOf(state.value)),
    ...(isMilestone && { milestone: milestone ?? null }),
  };
}

/** A reason that the API does not take is left out: the tracker then gives its own. */
function stateOf(value: FieldWrite["value"]) {
  const { state, stateReason } = splitState(value);
  const reason = (["completed", "not_planned", "duplicate"] as const).find((one) => one === stateReason);
  return { state, ...(reason !== undefined && { stateReason: reason }) };
}

/** What was refused is left alone until it changes, or a person says `retry`; what was done beside it is done. */
function parkRest(cycle: PulledCycle, action: ChangeIssue, refusals: readonly string[]): void {
  const rest = replan(cycle, action);
  if (rest?.kind !== "change-issue") return;
  const [first] = rest.changes;
  const place = first && nameIssue(cycle, first.issue);
  const message = `What a board rule asks of ${place ?? "the issue"} was refused: ${refusals.join("; ")}. What else it asks for is done; \`boardsync retry ${action.post}\` tries this again.`;
  parkAction(cycle, rest, { place, code: "tracker.rejected", message });
}
