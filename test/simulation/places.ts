import type { Ledger } from "../../src/ledger/ledger.ts";
import type { IssueRef } from "../../src/model/issue.ts";
import type { Row } from "../../src/model/link.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { repositoryNames } from "../../src/sync/ground/world.ts";
import type { BoardPost, BoardServer } from "./board-server.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import type { Random } from "./random.ts";
import { boardProjects, otherRepo, ownRepo, type Quirks, type Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import type { State } from "./state.ts";

/** One project of the board, as the config has it. */
export interface Place {
  readonly id: ProjectId;
  readonly key: string;
  readonly settings: Scenario["settings"];
}

/** The projects of the config: one, or two of one board. They differ in nothing but where their issues go. */
export function placesOf({ settings, quirks }: Pick<Scenario, "settings" | "quirks">): readonly Place[] {
  const [first, second] = boardProjects;
  const own = { id: first.id, key: first.slug, settings };
  const repo = quirks?.secondRepo;
  return repo === undefined
    ? [own]
    : [own, { id: second.id, key: second.slug, settings: { ...settings, repo } }];
}

/** All repositories that the config names. */
export function repositoriesOf(scenario: Pick<Scenario, "settings" | "quirks">): readonly string[] {
  return [...new Set(placesOf(scenario).flatMap(({ settings }) => repositoryNames(settings)))];
}

/**
 * Two projects whose issues are in different places: once the state is lost or an old copy put back, a second issue may be opened for a
 * post that was moved, where the new project runs first. That is known; so it is not played.
 */
export function isApart({ quirks }: Pick<Scenario, "quirks">): boolean {
  return quirks?.secondRepo !== undefined && quirks.secondRepo !== ownRepo;
}

/** Two projects, of which people move posts from one to the other. */
export function drawMoves(random: Random): Quirks {
  return {
    hasLateLists: random.chance(0.3),
    hasTies: false,
    acts: "moves",
    secondRepo: random.pick([ownRepo, otherRepo]),
  };
}

/** Which projects a run comes to, and in which order: a daemon's run has only those that are due. */
export function drawOrder({ quirks }: Scenario, random: Random): readonly number[] {
  return quirks?.secondRepo === undefined ? [0] : random.pick([[0, 1], [0, 1], [1, 0], [1, 0], [0], [1]]);
}

/** Somebody moves a post to the other project. */
export function movePost(
  { board, watch, counts }: Pick<Stage, "board" | "watch" | "counts">,
  random: Random,
) {
  const posts = board.posts.filter(({ isDeleted }) => !isDeleted);
  if (posts.length === 0) return "nobody finds a post to move";
  counts.note("board: move");
  return moveTo(board, random.pick(posts), watch.events.postMoves);
}

/** @returns in words */
export function moveTo(board: BoardServer, post: BoardPost, tell: (post: PostId) => void): string {
  const to = boardProjects.find(({ id }) => id !== post.project) ?? boardProjects[0];
  board.move(post, to.id);
  tell(post.id);
  return `somebody moves ${post.id} to ${to.slug}`;
}

/** Where the state has the issues of a post; else where the board has it. */
export async function homeOf(
  ledger: Ledger,
  { scenario, time }: Pick<Stage, "scenario" | "time">,
  { id, project }: BoardPost,
): Promise<{ readonly project: ProjectId; readonly row: Row | undefined }> {
  // Where somebody has linked it elsewhere while it was opened here, it is here.
  const places = placesOf(scenario).toSorted((a, b) => Number(a.id !== project) - Number(b.id !== project));
  for (const place of places) {
    const row = await ledger.rows.row(place.id, id, time.now());
    // One that may have been opened is its own, too.
    const hasIssue = row !== undefined && (row.links.length > 0 || row.openIntents.includes("create-issue"));
    if (hasIssue) return { project: place.id, row };
  }
  return { project, row: await ledger.rows.row(project, id, time.now()) };
}

/** The issues that the state has of a post; of two projects those of the one that listed it last. */
export function lookAtLinks(state: State, hub: HubServer): (post: PostId) => readonly HubIssue[] {
  const links = state.look<[PostId], IssueRef>(`
    SELECT repository AS repositoryId, links.number AS number FROM links WHERE post = (
      SELECT posts.number FROM posts JOIN links ON post = posts.number WHERE posts.id = ?
      ORDER BY missing, seen_at DESC LIMIT 1) ORDER BY position`);
  return (post) => links(post).flatMap(({ repositoryId, number }) => hub.follow(repositoryId, number) ?? []);
}
