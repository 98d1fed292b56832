import { repositoryNames } from "../../src/sync/identify.ts";
import type { HubRepository } from "./github-server.ts";
import { ourLogin } from "./scenario.ts";
import type { Stage } from "./stage.ts";

/**
 * Somebody deletes the database.
 *
 * The protocol takes a repository without any marker of ours for one that never had one: where the first issue of all is
 * still on its way when the state is lost, it can't know. So that is not played.
 */
export function loseState(stage: Stage): string {
  const { hub, state, watch, counts } = stage;
  const isUnknowable = hub.repositories.some(
    (repository) =>
      isUnnamed(stage, repository) ||
      (isUsed(repository) && !hub.listed(repository).some(({ author }) => author === ourLogin)),
  );
  if (isUnknowable) return "nobody deletes the database now";
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
  if (backup === undefined || hub.repositories.some((repository) => isUnnamed(stage, repository)))
    return "nobody puts a backup back now";
  stage.endProcess();
  state.putBack(backup);
  watch.events.stateIsLost();
  watch.events.copyReturns();
  counts.note("state: backup put back");
  return "somebody puts the backup back";
}

/** Whether issues of ours are, or may come to be, where the config no longer looks: a state that lost them never hears of them. */
function isUnnamed({ scenario }: Stage, repository: HubRepository): boolean {
  return isUsed(repository) && !repositoryNames(scenario.settings).includes(repository.name);
}

function isUsed({ issues, arriving }: HubRepository): boolean {
  return arriving > 0 || issues.some(({ openedFor }) => openedFor.length > 0);
}

/** Whether the state knows every issue of ours in a repository: from then on nothing of it hangs on the config. */
export function knowsAll({ state }: Stage, repository: HubRepository): boolean {
  const links = state.look<[number], { number: number }>("SELECT number FROM links WHERE repository = ?");
  const linked = new Set(links(repository.id).map(({ number }) => number));
  return (
    repository.arriving === 0 &&
    repository.issues.every(
      ({ openedFor, isDeleted, number }) => openedFor.length === 0 || isDeleted || linked.has(number),
    )
  );
}
