import { byVotes } from "../../src/plan/ground/settings.ts";
import type { Step } from "./history.ts";
import type { Odds } from "./odds.ts";
import { pickWeighted, type Random } from "./random.ts";
import { columns, type Scenario } from "./scenario.ts";
import { isSignalled } from "./signals.ts";
import type { Stage } from "./stage.ts";

/** The labels by votes of every history that has some. */
export const voteLabels = { 2: "votes: 2+", 5: "votes: 5+" } as const;
const labels = Object.values(voteLabels);

/**
 * Some histories have settings that few projects have: a conflict that pauses the post, labels and an order by votes, content
 * by parts, a select of several conditions. That is drawn apart, so that all other histories stay what they were.
 */
export function addWishes(scenario: Scenario, random: Random, odds: Odds): Scenario {
  if (!random.chance(odds.wishes)) return scenario;
  const { settings } = scenario;
  const isLabelling = random.chance(0.6);
  const isOrdering = random.chance(0.4) && !isSignalled(settings);
  const conflict = random.pick(["pause", { status: "pause", default: "hold" }, settings.conflict] as const);
  const content = random.pick([{ title: "once" }, { description: "once" }, settings.content] as const);
  return {
    ...scenario,
    isWishing: true,
    settings: {
      ...settings,
      conflict,
      content,
      ...(random.chance(0.3) && { select: { ...settings.select, ...random.pick(selects) } }),
      ...(isLabelling && { issue: { ...settings.issue, voteLabels } }),
      ...(isOrdering && {
        rules: settings.rules.map((rule) => ({ ...rule, set: { ...rule.set, roadmapOrder: byVotes } })),
      }),
    },
  };
}

const hourMs = 3_600_000;

const selects: readonly Scenario["settings"]["select"][] = [
  { isArchivedDefault: true, any: [{ minVotes: 4 }, { roadmapColumn: ["PLANNED"] }] },
  { isArchivedDefault: true, not: { statuses: ["closed"], maxVotes: 3 } },
  { isArchivedDefault: true, olderThan: hourMs },
  {
    isArchivedDefault: true,
    any: [{ title: ["edited"] }, { olderThan: 2 * hourMs, not: { reviewed: false } }],
  },
];

/** Puts a few of these steps between the others, after the first run. */
export function addWishSteps(
  steps: readonly Step[],
  { isWishing }: Scenario,
  random: Random,
): readonly Step[] {
  if (isWishing !== true) return steps;
  const all = [...steps];
  for (let count = random.between(2, 6); count > 0; count -= 1) {
    const step: Step = { kind: "wish", seed: random.seed() };
    all.splice(random.between(1, all.length), 0, step);
  }
  return all;
}

const acts = { vote: 6, order: 1, label: 2, unlabel: 2, status: 3 } as const;

/** People vote, sort the roadmap by hand, put labels by votes on issues and take them away, and set a status. */
export function actWish({ board, hub, watch, counts }: Stage, random: Random): string {
  const act = pickWeighted<keyof typeof acts>(random, acts);
  counts.note(`wishes: ${act}`);
  if (act === "label" || act === "unlabel") {
    const issues = hub.repositories.flatMap(({ issues }) => issues.filter(({ isDeleted }) => !isDeleted));
    if (issues.length === 0) return "nobody finds an issue";
    const issue = random.pick(issues);
    const label = random.pick(labels);
    hub.act(0, (people) => people[act](issue.repository.name, issue.number, label));
    watch.events.issueMoves(issue);
    return `somebody ${act}s ${issue.repository.name}#${issue.number}: ${label}`;
  }
  const posts = board.posts.filter(({ isDeleted }) => !isDeleted);
  if (posts.length === 0) return "nobody finds a post";
  const post = random.pick(posts);
  const change = {
    vote: { votes: random.below(9) },
    order: { roadmapOrder: random.below(5), roadmapColumn: random.pick(columns) },
    status: { status: random.pick(["open", "planned", "completed"]) },
  }[act];
  board.edit(post, change);
  return `somebody makes ${post.id} ${JSON.stringify(change)}`;
}
