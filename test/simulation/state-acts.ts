import { repositoryNames } from "../../src/sync/identify.ts";
import type { HubRepository } from "./github-server.ts";
import { ourLogin } from "./scenario.ts";
import type { Stage } from "./stage.ts";

/** Somebody deletes the database. */
export function loseState(stage: Stage): string {
  const { state, watch, counts } = stage;
  if (isUnknowable(stage)) return "nobody deletes the database now";
  stage.endProcess();
  state.clear();
  watch.events.stateIsLost();
  counts.note(stage.time.pending > 0 ? "state: deleted, with writes under way" : "state: deleted");
  return "somebody deletes the database";
}

/** `boardsync backup`, beside the runs. */
export function backUp(stage: Stage): string {
  const { state, time, scenario, counts } = stage;
  stage.backup = state.copy(time.now() + scenario.skewMs);
  counts.note("state: backed up");
  return "somebody makes a backup";
}

/** Somebody puts the last backup back. */
export function putBack(stage: Stage): string {
  const { hub, state, watch, counts, backup } = stage;
  if (backup === undefined) return "nobody has a backup";
  // A copy from before the first run knows as little as no state.
  const isEmpty = backup.tables.get("projects")?.length === 0;
  if (isEmpty ? isUnknowable(stage) : hub.repositories.some((repository) => isUnnamed(stage, repository)))
    return "nobody puts a backup back now";
  stage.endProcess();
  state.putBack(backup);
  watch.events.stateIsLost();
  watch.events.copyReturns();
  counts.note("state: backup put back");
  return "somebody puts the backup back";
}

/**
 * The protocol takes a repository without any marker of ours for one that never had one: where the first issue of all is
 * still on its way when the state is lost, it can't know. So that is not played.
 */
function isUnknowable(stage: Stage): boolean {
  const { hub } = stage;
  return hub.repositories.some(
    (repository) =>
      isUnnamed(stage, repository) ||
      (isUsed(repository) && !hub.listed(repository).some(({ author }) => author === ourLogin)),
  );
}

/** Whether issues of ours are, or may come to be, where the config no longer looks: a state that lost them never hears of them. */
function isUnnamed({ scenario }: Stage, repository: HubRepository): boolean {
  return isUsed(repository) && !isNamed(repository, scenario.settings);
}

/** Whether a config names a repository, by the name that it has or one that it had. */
export function isNamed(
  { name, formerNames }: HubRepository,
  settings: Parameters<typeof repositoryNames>[0],
): boolean {
  const named = repositoryNames(settings);
  return [name, ...formerNames].some((known) => named.includes(known));
}

/** Whether it holds issues of ours, or will. */
export function isUsed({ issues, arriving }: HubRepository): boolean {
  return arriving > 0 || issues.some(({ openedFor }) => openedFor.length > 0);
}
