import type { Rule } from "../../src/plan/ground/settings.ts";
import { forgetRecords, type HubRepository } from "./github-server.ts";
import type { Step } from "./history.ts";
import type { Odds } from "./odds.ts";
import { drawMoves, movePost } from "./places.ts";
import { pickWeighted, type Random } from "./random.ts";
import { refuseSomething } from "./refusals.ts";
import { boardProjects, type Quirks, type Scenario } from "./scenario.ts";
import { closeIssue, isSignalled } from "./signals.ts";
import type { Stage } from "./stage.ts";

/**
 * Some histories have rules that lean on one another, a board whose lists are late or tie, and people who rename what rules
 * name, close for reasons that no rule names, or take single permissions away. That is drawn apart, and what is put between
 * the other steps changes nothing of what those draw: the other histories are what their seeds drew before.
 */
export function addQuirks(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.quirks)) return scenario;
  const quirks: Quirks = {
    hasLateLists: random.chance(0.4),
    hasTies: random.chance(0.3),
    acts: random.pick(["names", "names", "reasons", "refusals", "refusals"]),
  };
  const rules = random.pick(leaning);
  const several = random.pick(["all", "all", "any", "primary"] as const);
  const { settings } = scenario;
  const isAnyMilestone = quirks.acts === "names" && random.chance(0.5);
  const own = isAnyMilestone ? rules.map(withAnyMilestone) : rules;
  return {
    ...scenario,
    quirks,
    settings: {
      ...settings,
      ...(!isSignalled(settings) && { rules }),
      // Board rules name labels and milestones, too, and make anew what people have renamed.
      ...(quirks.acts === "names" && { rules: own, several, boardRules: [], followDuplicates: false }),
    },
  };
}

/** A rule that asks for any milestone where it asked for one by its title, and mails voters. */
function withAnyMilestone({ when, set }: Rule): Rule {
  if (when.milestone === undefined) return { when, set };
  return { when: { ...when, milestone: "any" }, set: { status: "planned", ...set } };
}

/** A few have two projects of the board, and people who move posts from one to the other; they draw that apart, and have no other quirks. */
export function addMoves(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.moves)) return scenario;
  const quirks = drawMoves(random);
  const projectKeys = boardProjects.map(({ slug }) => slug);
  return { ...scenario, quirks, policy: { ...scenario.policy, projectKeys } };
}

/** Rules of which more than one gives an issue's post its fields. */
const leaning: readonly (readonly Rule[])[] = [
  [
    {
      when: { state: "closed", reason: ["completed"] },
      set: { status: "completed", roadmapColumn: "COMPLETED" },
    },
    { when: { milestone: "Backlog" }, set: { roadmapColumn: "PLANNED", onRoadmap: true } },
    { when: { state: "open", labels: ["in progress"] }, set: { status: "in_progress" } },
    { when: { assigned: true }, set: { status: "planned", onRoadmap: false } },
  ],
  [
    { when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } },
    { when: { state: "closed", reason: ["not_planned", "duplicate"] }, set: { onRoadmap: false } },
    { when: { labels: ["in progress"] }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
    { when: { milestone: "Backlog" }, set: { status: "planned", onRoadmap: true } },
  ],
  [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { anyLabel: ["in progress"], milestone: "Backlog" }, set: { roadmapColumn: "IN_PROGRESS" } },
    { when: { anyLabel: ["in progress"] }, set: { status: "in_progress" } },
    { when: { state: "open", noLabel: ["in progress"] }, set: { status: "planned" } },
  ],
];

/** Puts a few of these steps between the others, after the first run. */
export function addQuirkSteps(steps: readonly Step[], { quirks }: Scenario, random: Random): readonly Step[] {
  if (quirks === undefined) return steps;
  const all = [...steps];
  for (let count = random.between(1, 5); count > 0; count -= 1) {
    const step: Step = { kind: "quirk", seed: random.seed() };
    all.splice(random.between(1, all.length), 0, step);
  }
  return all;
}

const nameActs = {
  renameLabel: 4,
  renameMilestone: 4,
  deleteLabel: 2,
  deleteMilestone: 1,
  newLabel: 2,
  newMilestone: 2,
  labelAnew: 3,
} as const;

/** The same where rules look at any milestone. */
const milestoneActs = { deleteMilestone: 12, newMilestone: 12 } as const;

/** One of the things that only these histories have. */
export function actQuirk(stage: Stage, random: Random): string {
  switch (stage.scenario.quirks?.acts) {
    case "names":
      return changeName(stage, random);
    case "reasons":
      return closeOddly(stage, random);
    case "refusals":
      return refuseSomething(stage, random);
    case "moves":
      return movePost(stage, random);
    case undefined:
      return "nothing";
  }
}

/** Somebody closes an issue for a reason that no rule names, or an old issue has none. */
function closeOddly({ hub, watch, counts }: Stage, random: Random): string {
  const issues = hub.repositories.flatMap((repository) => repository.issues.filter((one) => !one.isDeleted));
  if (issues.length === 0) return "nobody finds an issue";
  const issue = random.pick(issues);
  const reason = random.pick([null, null, "outdated"] as const);
  closeIssue(hub, issue, reason, 0);
  watch.events.issueMoves(issue);
  counts.note(`reasons: ${reason ?? "none"}`);
  return `somebody closes with the reason ${reason} ${issue.repository.name}#${issue.number}`;
}

/**
 * Somebody renames or deletes a label or a milestone that rules name, or makes a new one under its old name. Only where the
 * program has been shown them: of what it has never seen nobody can know what it was.
 */
function changeName(stage: Stage, random: Random): string {
  const { hub, watch, counts } = stage;
  const isAny = stage.scenario.settings.rules.some(({ when }) => when.milestone === "any");
  const act = pickWeighted(random, isAny ? { ...nameActs, ...milestoneActs } : nameActs);
  const repositories = hub.repositories.filter(({ names }) => names.isShown);
  if (repositories.length === 0) return "nobody renames what was never shown";
  const repository = random.pick(repositories);
  const issues = repository.issues.filter(({ isDeleted }) => !isDeleted);
  const carried = new Map(issues.map((issue) => [issue, issue.record.issue.milestone]));
  const words =
    act === "labelAnew" ? labelAnew(stage, repository, random) : changeOne(stage, repository, act);
  if (words === undefined) return "nobody finds a name to change";
  forgetRecords();
  for (const issue of issues) {
    const isRobbed = carried.get(issue) !== null && issue.record.issue.milestone === null;
    if (isRobbed) counts.note("names: an issue is robbed of its milestone");
    watch.events[isRobbed ? "issueIsRobbed" : "issueMoves"](issue);
  }
  counts.note(`names: ${act}`);
  return `somebody ${words} of ${repository.name}`;
}

function changeOne(
  { hub: { owners } }: Stage,
  { name, names, labels, milestones }: HubRepository,
  act: Exclude<keyof typeof nameActs, "labelAnew">,
): string | undefined {
  const label = names.nowOf("in progress");
  const milestone = names.nowOf("Backlog");
  switch (act) {
    case "renameLabel": {
      if (label === undefined || names.isMadeAnew("in progress")) return undefined;
      const to = `${label}!`;
      owners.renameLabel(name, label, to);
      names.rename(label, to);
      return `renames the label ${label}`;
    }
    case "renameMilestone": {
      if (milestone === undefined || names.isMadeAnew("Backlog")) return undefined;
      const to = `${milestone}!`;
      owners.renameMilestone(name, milestone, to);
      names.rename(milestone, to);
      return `renames the milestone ${milestone}`;
    }
    case "deleteLabel":
      if (label === undefined) return undefined;
      owners.deleteLabel(name, label);
      names.remove(label);
      return `deletes the label ${label}`;
    case "deleteMilestone":
      if (milestone === undefined) return undefined;
      owners.deleteMilestone(name, milestone);
      names.remove(milestone);
      return `deletes the milestone ${milestone}`;
    case "newLabel":
      if (label === "in progress" || labels.some(({ name: its }) => its === "in progress")) return undefined;
      owners.addLabel(name, "in progress");
      names.add("in progress");
      return "makes a new label in progress";
    case "newMilestone":
      if (milestone === "Backlog" || milestones.some(({ title }) => title === "Backlog")) return undefined;
      owners.addMilestone(name, "Backlog");
      names.add("Backlog");
      return "makes a new milestone Backlog";
  }
}

/** Somebody puts the new label on an issue that goes by the old one's name. */
function labelAnew({ hub }: Stage, repository: HubRepository, random: Random): string | undefined {
  const { name, names, labels } = repository;
  const issues = repository.issues.filter(({ isDeleted }) => !isDeleted);
  const isNew = names.isTouched && labels.some(({ name: its }) => its === "in progress");
  if (!isNew || issues.length === 0) return undefined;
  const { number } = random.pick(issues);
  hub.act(0, (people) => people.label(name, number, "in progress"));
  return `puts the new label on #${number}`;
}
