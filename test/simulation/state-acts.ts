import type { PersonRequest } from "../../src/ledger/orders.ts";
import type { PostId } from "../../src/model/post.ts";
import type { BoardPost } from "./board-server.ts";
import type { HubIssue, HubRepository } from "./github-server.ts";
import { isApart, repositoriesOf } from "./places.ts";
import { ourLogin, type Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import type { State } from "./state.ts";
import { isRecognisable } from "./tools.ts";

/** Somebody deletes the database. */
export function loseState(stage: Stage): string {
  const { state, watch, counts } = stage;
  if (isUnknowable(stage) || hasOtherNames(stage) || isApart(stage.scenario))
    return "nobody deletes the database now";
  stage.endProcess();
  state.clear();
  forgetNames(stage);
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
  const { state, watch, counts, backup } = stage;
  if (backup === undefined) return "nobody has a backup";
  if (isPastKnowing(stage)) return "nobody puts a backup back now";
  stage.endProcess();
  state.putBack(backup);
  forgetNames(stage);
  watch.events.stateIsLost();
  watch.events.copyReturns();
  for (const { request } of state.look<[], { request: string }>("SELECT request FROM requests ORDER BY id")())
    tellApproval(stage, JSON.parse(request));
  counts.note("state: backup put back");
  return "somebody puts the backup back";
}

/** Whether a state that is old, or taken for old, could not know again what it needs. */
export function isPastKnowing(stage: Stage): boolean {
  // Of issues where the config no longer looks an old copy may know nothing.
  const isUnnamedNow = stage.hub.repositories.some((repository) => isUnnamed(stage, repository));
  return isUnnamedNow || isUnrecognisable(stage) || hasOtherNames(stage) || isApart(stage.scenario);
}

/** What was approved before the copy was made, and not carried out, a copy knows of. */
function tellApproval({ watch }: Stage, request: PersonRequest): void {
  if (request.kind === "approve") watch.events.personOrders(request, []);
}

/** What a name meant before somebody gave it to another thing only the state knows. */
export function hasOtherNames({ hub }: Pick<Stage, "hub">): boolean {
  return hub.repositories.some(({ names }) => names.isTouched);
}

/** Nobody knows any more what the program was shown of names. */
export function forgetNames({ hub }: Pick<Stage, "hub">): void {
  for (const { names } of hub.repositories) names.forget();
}

/**
 * The protocol takes a repository without any marker of ours for one that never had one: where the first issue of all is
 * still on its way when the state is lost, it can't know. So that is not played.
 */
function isUnknowable(stage: Stage): boolean {
  const { hub } = stage;
  return (
    isUnrecognisable(stage) ||
    hub.repositories.some(
      (repository) =>
        isUnnamed(stage, repository) ||
        (isUsed(repository) && !hub.listed(repository).some(({ author }) => author === ourLogin)),
    )
  );
}

/** A post that an issue has become is found again by its text alone, where it is listed. */
function isUnrecognisable({ board, time, tools, scenario }: Stage): boolean {
  if (scenario.tools === undefined) return false;
  const isGone = (post: BoardPost): boolean =>
    !isRecognisable(post, time.now()) ||
    (post.madeFrom !== undefined && !isNamed(post.madeFrom.repository, scenario));
  return time.pending > 0 || !tools.isSettled() || board.posts.some(isGone);
}

/** Whether issues of ours are, or may come to be, where the config no longer looks: a state that lost them never hears of them. */
function isUnnamed({ scenario }: Stage, repository: HubRepository): boolean {
  return isUsed(repository) && !isNamed(repository, scenario);
}

/** Whether a config names a repository, by the name that it has or one that it had. */
export function isNamed(
  { name, formerNames }: HubRepository,
  scenario: Pick<Scenario, "settings" | "quirks">,
): boolean {
  const named = repositoriesOf(scenario);
  return [name, ...formerNames].some((known) => named.includes(known));
}

/** Whether it holds issues of ours, or will. */
function isUsed({ issues, arriving }: HubRepository): boolean {
  return arriving > 0 || issues.some(({ openedFor }) => openedFor.length > 0);
}

/** Whether the state has a link to every issue of ours that a repository holds or will hold, or its opening under way. */
export function knowsIssues(state: State, { id, issues, arriving }: HubRepository): boolean {
  const linked = state.look<[number], { number: number }>("SELECT number FROM links WHERE repository = ?");
  const opening = state.look<[number], { post: PostId }>(
    `SELECT posts.id AS post FROM intents JOIN posts ON posts.number = intents.post
     WHERE kind = 'create-issue' AND ended_at IS NULL AND intents.repository = ?`,
  );
  const numbers = new Set(linked(id).map(({ number }) => number));
  const posts = new Set(opening(id).map(({ post }) => post));
  const isKnown = ({ isDeleted, number, openedFor }: HubIssue): boolean =>
    isDeleted || numbers.has(number) || openedFor.every((post) => posts.has(post));
  return arriving === 0 && issues.every(isKnown);
}
