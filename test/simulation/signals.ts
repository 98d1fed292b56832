import type { Rule, Settings } from "../../src/plan/ground/settings.ts";
import { isDuplicate } from "../../src/plan/rules/place.ts";
import { neededSignals } from "../../src/plan/rules/signals.ts";
import { type LinkedWork, options, projectField, pullRequestsOf, subIssuesOf } from "./github-facts.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import type { Odds } from "./odds.ts";
import { pickWeighted, type Random } from "./random.ts";
import { elsewhere, type Scenario, workRepo } from "./scenario.ts";

const longestChain = 5;

/** The issue at the end of a chain of duplicates; undefined where there is none to follow. */
export function trueCanonical(hub: Pick<HubServer, "traits">, issue: HubIssue): HubIssue | undefined {
  let at = issue;
  const seen = new Set([issue]);
  for (let step = 0; step < longestChain; step += 1) {
    const next = at.duplicateOf;
    if (next === undefined) return at === issue ? undefined : at;
    if (seen.has(next) || isHidden(hub, next)) return undefined;
    if (!isDuplicate(next.record.issue)) return next;
    seen.add(next);
    at = next;
  }
  return at.duplicateOf === undefined ? at : undefined;
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
  const place = { repository: issue.repository.name, number: issue.number };
  const name = `${place.repository}#${place.number}`;
  const isAbout = isAboutDuplicates(settings);
  const act = pickWeighted(random, isAbout ? { ...signalActs, duplicate: 20 } : signalActs);
  switch (act) {
    case "openPullRequest": {
      const isDraft = random.chance(0.3);
      hub.act(0, (people) => {
        const { number } = people.openPullRequest(workRepo, { title: `For ${name}` });
        people.setDraft(workRepo, number, isDraft);
        people.linkPullRequest(place, { repository: workRepo, number });
      });
      return `somebody opens a ${isDraft ? "draft" : "pull request"} for ${name}`;
    }
    case "mergePullRequest":
    case "closePullRequest": {
      const isMerged = act === "mergePullRequest";
      // Once it is released an issue stays that: the program need not ask again.
      const { isReleased } = issue.signals;
      hub.act(0, (people) => {
        for (const { shown } of pullRequestsOf(hub, issue).filter(isOpen)) {
          if (isMerged) people.mergePullRequest(workRepo, shown.number);
          else people.close(workRepo, shown.number);
        }
      });
      if (isReleased?.kind === "known" && isReleased.value) release(hub, issue);
      return `the pull requests for ${name} are ${isMerged ? "merged" : "closed"}`;
    }
    case "status": {
      const option = random.pick([null, ...options]);
      const project = { owner: projectField.owner, number: projectField.project };
      hub.act(0, (people) => {
        people.addToProject(project, place);
        people.setProjectStatus(project, place, option);
      });
      return `somebody sets the project's status of ${name} to ${option ?? "none"}`;
    }
    case "release":
      release(hub, issue);
      return `a release is published after ${name}`;
    case "addSubIssue":
      hub.act(0, (people) => {
        const { number } = people.openIssue(workRepo, { title: `Part of ${name}` });
        people.addSubIssue(place, { repository: workRepo, number });
      });
      return `${name} gets a sub-issue`;
    case "closeSubIssue":
    case "reopenSubIssue": {
      const isClosing = act === "closeSubIssue";
      const child = subIssuesOf(hub, issue).find(({ state }) => (state === "open") === isClosing);
      if (child === undefined) return `nobody finds a sub-issue of ${name}`;
      hub.act(0, (people) =>
        isClosing ? people.close(workRepo, child.number) : people.reopen(workRepo, child.number),
      );
      return `a sub-issue of ${name} is ${isClosing ? "closed" : "reopened"}`;
    }
    case "duplicate": {
      const others = hub.repositories.flatMap(({ issues }) =>
        issues.filter((one) => one !== issue && !one.isDeleted),
      );
      if (others.length === 0) return "nobody finds another issue";
      const ours = isAbout ? others.filter(({ openedFor }) => openedFor.length > 0) : [];
      const { repository, number } = random.pick(ours.length > 0 ? ours : others);
      hub.act(lagMs, (people) => {
        if (issue.record.issue.stateReason !== "duplicate") people.reopen(place.repository, place.number);
        people.closeAsDuplicate(place, { repository: repository.name, number });
      });
      return `somebody closes ${name} as a duplicate of ${repository.name}#${number}`;
    }
  }
}

function isOpen({ shown }: LinkedWork): boolean {
  return shown.state === "open";
}

/** Publishes what was merged for an issue, if anything was. */
function release(hub: HubServer, issue: HubIssue): void {
  const merged = pullRequestsOf(hub, issue).filter(({ commit }) => commit !== null);
  const contains = merged.map(({ shown }) => shown.number);
  const tag = `v${(hub.state.signals.releases.get(hub.work.id) ?? []).length + 1}`;
  if (contains.length > 0) hub.act(0, (people) => people.publishRelease(workRepo, { tag, contains }));
}

/** Somebody closes an issue, or closes it for another reason. */
export function closeIssue(hub: HubServer, issue: HubIssue, reason: CloseReason, lagMs: number): void {
  const { repository, number } = issue;
  hub.act(lagMs, (people) => {
    if (issue.record.issue.stateReason !== reason) people.reopen(repository.name, number);
    people.close(repository.name, number, reason);
  });
}

type CloseReason = "completed" | "not_planned" | "duplicate" | "outdated" | null;
