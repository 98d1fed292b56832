import type { Settings } from "../../src/plan/ground/settings.ts";
import { drawBoardRules, drawSeveral, isBothWays } from "./both-ways.ts";
import { pickWeighted, type Random } from "./random.ts";
import {
  drawGuard,
  drawIssueSettings,
  drawRoute,
  drawRules,
  drawSelect,
  drawSettle,
  type Scenario,
} from "./scenario.ts";
import { drawSignalRules, isSignalled } from "./signals.ts";
import type { Stage } from "./stage.ts";
import { forgetNames, hasOtherNames, isNamed, knowsIssues } from "./state-acts.ts";

type Config = Omit<Settings, "project">;

const changes = {
  rules: 4,
  whenNoRule: 1,
  select: 2,
  route: 2,
  guard: 1,
  settle: 1,
  conflict: 1,
  issue: 1,
  content: 1,
  writes: 1,
} as const;

/** Where they matter. */
const bothWaysChanges = { ...changes, boardRules: 2, several: 1, backlink: 1 } as const;
type Key = keyof typeof bothWaysChanges;

/** Somebody edits the config; the process begins anew with it. */
export function changeConfig(stage: Stage, random: Random): string {
  const { scenario, state, watch, hub, counts } = stage;
  const weights = isBothWays(scenario.settings)
    ? bothWaysChanges
    : { ...changes, boardRules: 0, several: 0, backlink: 0 };
  const key = pickWeighted<Key>(random, weights);
  if (key === "rules" && hasOtherNames(stage)) return "nobody writes other rules after names have changed";
  const change = drawChange(scenario, key, random);
  const settings = { ...scenario.settings, ...change };
  const isLeft = hub.repositories.some(
    (repository) =>
      isNamed(repository, scenario) &&
      !isNamed(repository, { ...scenario, settings }) &&
      !knowsIssues(state, repository),
  );
  // What the state knows it goes on reading; issues that it has yet to find are found only where the config looks.
  if (isLeft) return "nobody takes a repository out of the config whose issues the state does not know";
  stage.endProcess();
  scenario.settings = settings;
  forgetNames(stage);
  watch.events.settingsChange(hub.repositories.flatMap(({ issues }) => issues));
  counts.note(`config: ${key}`);
  return `the config changes: ${JSON.stringify(change)}`;
}

function drawChange({ settings, github }: Scenario, key: Key, random: Random): Partial<Config> {
  switch (key) {
    case "rules":
      return { rules: isSignalled(settings) ? drawSignalRules(random) : drawRules(random, github) };
    case "boardRules":
      return { boardRules: random.chance(0.3) ? [] : drawBoardRules(random) };
    case "several":
      return { several: drawSeveral(random) };
    case "backlink":
      return { backlink: !settings.backlink };
    case "whenNoRule":
      return { whenNoRule: settings.whenNoRule === "keep" ? "restore" : "keep" };
    case "select":
      return { select: drawSelect(random) };
    case "route":
      return { route: drawRoute(random) };
    case "guard":
      return { guard: drawGuard(random) };
    case "settle":
      return { settleMs: drawSettle(random) };
    case "conflict":
      return { conflict: random.pick(["tracker", "board", "hold"]) };
    case "issue":
      return { issue: drawIssueSettings(random) };
    case "content":
      return { content: settings.content === "once" ? "follow" : "once" };
    case "writes":
      return { writes: settings.writes === "all" ? random.pick(["issues", "none"]) : "all" };
  }
}
