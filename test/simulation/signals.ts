import type { LinkedPullRequest, Readable, Signals } from "../../src/model/issue.ts";
import { neededSignals, projectFieldKey } from "../../src/plan/rules/signals.ts";
import { isDuplicate } from "../../src/plan/rules/standing.ts";
import type { Rule, Settings } from "../../src/plan/settings.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import type { Odds } from "./odds.ts";
import { pickWeighted, type Random } from "./random.ts";
import { elsewhere, type Scenario } from "./scenario.ts";

/** What GitHub knows of an issue, and no list shows. */
interface HubSignals {
  pullRequests: readonly LinkedPullRequest[];
  subIssues: { readonly total: number; readonly closed: number };
  option: string | null;
  isReleased: boolean;
  duplicateOf: HubIssue | undefined;
}

export const projectField = { owner: "acme", project: 7, field: "Status" } as const;
export const fieldKey = projectFieldKey(projectField.owner, projectField.project, projectField.field);
const options = ["Todo", "In progress"] as const;
/** What GitHub calls them, whatever their names. */
export const fieldOptions = options.map((name) => ({ id: `option ${name}`, name }));

const longestChain = 5;
const signals = new WeakMap<HubIssue, HubSignals>();

/** Nothing at first. */
export function signalsOf(issue: HubIssue): HubSignals {
  const known = signals.get(issue);
  if (known !== undefined) return known;
  const none: HubSignals = {
    pullRequests: [],
    subIssues: { total: 0, closed: 0 },
    option: null,
    isReleased: false,
    duplicateOf: undefined,
  };
  signals.set(issue, none);
  return none;
}

/** As the program would know them if it had read them now. */
export function trueSignals(issue: HubIssue): Signals {
  const { pullRequests, subIssues, option, isReleased } = signalsOf(issue);
  return {
    pullRequests: known(pullRequests),
    subIssues: known(subIssues),
    projectStatus: { [fieldKey]: known(option) },
    isReleased: known(isReleased),
  };
}

/** The issue at the end of a chain of duplicates; undefined where there is none to follow. */
export function trueCanonical(hub: Pick<HubServer, "traits">, issue: HubIssue): HubIssue | undefined {
  let at = issue;
  const seen = new Set([issue]);
  for (let step = 0; step < longestChain; step += 1) {
    const next = signalsOf(at).duplicateOf;
    if (next === undefined) return at === issue ? undefined : at;
    if (seen.has(next) || isHidden(hub, next)) return undefined;
    if (!isDuplicate(next.record.issue)) return next;
    seen.add(next);
    at = next;
  }
  return signalsOf(at).duplicateOf === undefined ? at : undefined;
}

/** Whether an issue is shown to nobody, or not to us. */
export function isHidden(
  { traits }: Pick<HubServer, "traits">,
  { isDeleted, repository }: HubIssue,
): boolean {
  return isDeleted || (repository.name === elsewhere && !traits.showsElsewhere);
}

export function isSignalled(settings: Pick<Settings, "rules" | "followDuplicates">): boolean {
  const { pullRequests, subIssues, released, duplicates, projects } = neededSignals(settings);
  return pullRequests || subIssues || released || duplicates || projects.length > 0;
}

/** A quarter of the histories look beside the records of issues; the others are what their seeds drew before there was that. */
export function addSignals(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.signals)) return scenario;
  const followDuplicates = random.chance(0.7);
  return {
    ...scenario,
    settings: { ...scenario.settings, rules: drawSignalRules(random), followDuplicates },
  };
}

const done: Rule = { when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } };
const dropped: Rule = {
  when: { state: "closed", reason: ["not_planned", "duplicate"] },
  set: { status: "closed", onRoadmap: false },
};

/** What our own change of an issue does to the posts of its duplicates takes both directions, and people who close duplicates. */
export function isAboutDuplicates({
  followDuplicates,
  boardRules,
}: Pick<Settings, "followDuplicates" | "boardRules">): boolean {
  return followDuplicates && boardRules.length > 0;
}

export function drawSignalRules(random: Random): readonly Rule[] {
  return random.pick<readonly Rule[]>([
    [
      done,
      { when: { released: true }, set: { status: "completed" } },
      { when: { pullRequest: "ready" }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
      { when: { pullRequest: "merged" }, set: { status: "planned" } },
    ],
    [
      { when: { subIssues: "all-closed" }, set: { status: "completed" } },
      dropped,
      { when: { subIssues: "some-closed" }, set: { status: "in_progress", onRoadmap: true } },
    ],
    [
      done,
      dropped,
      inField("In progress", { status: "in_progress", roadmapColumn: "IN_PROGRESS" }),
      inField("Todo", { status: "planned" }),
    ],
    [
      { when: { state: "closed" }, set: { status: "completed" } },
      { when: { state: "open", assigned: true, pullRequest: "open" }, set: { status: "in_progress" } },
      { when: { pullRequest: "none" }, set: { status: "planned" } },
    ],
  ]);
}

function inField(option: (typeof options)[number], set: Rule["set"]): Rule {
  return { when: { projectStatus: { ...projectField, is: [option] } }, set };
}

const signalActs = {
  openPullRequest: 4,
  mergePullRequest: 4,
  closePullRequest: 2,
  status: 6,
  release: 2,
  addSubIssue: 3,
  closeSubIssue: 4,
  reopenSubIssue: 1,
  duplicate: 4,
} as const;

/** What people do that moves no list, but for a duplicate, which is closed. */
export function actOnSignals(
  hub: HubServer,
  settings: Pick<Settings, "followDuplicates" | "boardRules">,
  issue: HubIssue,
  random: Random,
  lagMs: number,
): string {
  const name = `${issue.repository.name}#${issue.number}`;
  const held = signalsOf(issue);
  const isAbout = isAboutDuplicates(settings);
  const act = pickWeighted(random, isAbout ? { ...signalActs, duplicate: 20 } : signalActs);
  switch (act) {
    case "openPullRequest": {
      const number = 1_000 + held.pullRequests.length;
      const isDraft = random.chance(0.3);
      held.pullRequests = [
        ...held.pullRequests,
        { repository: issue.repository.name, number, state: "open", isDraft },
      ];
      return `somebody opens a ${isDraft ? "draft" : "pull request"} for ${name}`;
    }
    case "mergePullRequest":
    case "closePullRequest": {
      const state = act === "mergePullRequest" ? "merged" : "closed";
      held.pullRequests = held.pullRequests.map((one) => (one.state === "open" ? { ...one, state } : one));
      return `the pull requests for ${name} are ${state}`;
    }
    case "status":
      held.option = random.pick([null, ...options]);
      return `somebody sets the project's status of ${name} to ${held.option ?? "none"}`;
    case "release":
      held.isReleased ||= held.pullRequests.some(({ state }) => state === "merged");
      return `a release is published after ${name}`;
    case "addSubIssue":
      held.subIssues = { ...held.subIssues, total: held.subIssues.total + 1 };
      return `${name} gets a sub-issue`;
    case "closeSubIssue": {
      const { total, closed } = held.subIssues;
      held.subIssues = { total, closed: Math.min(total, closed + 1) };
      return `a sub-issue of ${name} is closed`;
    }
    case "reopenSubIssue": {
      const { total, closed } = held.subIssues;
      held.subIssues = { total, closed: Math.max(0, closed - 1) };
      return `a sub-issue of ${name} is reopened`;
    }
    case "duplicate": {
      const others = hub.repositories.flatMap(({ issues }) => issues.filter((one) => one !== issue));
      if (others.length === 0) return "nobody finds another issue";
      const ours = isAbout ? others.filter(({ openedFor }) => openedFor.length > 0) : [];
      const other = random.pick(ours.length > 0 ? ours : others);
      held.duplicateOf = other;
      closeIssue(hub, issue, "duplicate", lagMs);
      return `somebody closes ${name} as a duplicate of ${other.repository.name}#${other.number}`;
    }
  }
}

/** Somebody closes an issue, or closes it for another reason. */
export function closeIssue(hub: HubServer, issue: HubIssue, reason: CloseReason, lagMs: number): void {
  const { repository, number } = issue;
  hub.act(lagMs, (people) => {
    if (issue.record.issue.stateReason !== reason) people.reopen(repository.name, number);
    people.close(repository.name, number, reason);
  });
}

type CloseReason = "completed" | "not_planned" | "duplicate";

/** A fact that was read. */
export function known<T>(value: T): Readable<T> {
  return { kind: "known", value };
}
