import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { PostId } from "../../model/post.ts";
import { type Cycle, isApproved } from "../ground/cycle-state.ts";
import type { Hold } from "../ground/verdict.ts";

/**
 * Why no issue may be opened in a repository: it turned public, so titles and descriptions of posts would, too, and no
 * person has accepted that. undefined where one may; a post that a person let go goes.
 */
export function publicHold(
  cycle: Cycle,
  repository: RepositoryMemory | undefined,
  post: PostId,
): Hold | undefined {
  if (repository?.publicSince === undefined) return undefined;
  const { name, publicSince } = repository;
  if (isApproved(cycle, post, "create-issue", publicSince)) return undefined;
  const since = new Date(publicSince).toISOString();
  const why = `${name} is public since ${since} or shortly before, and so would be the post's title and description; \`boardsync approve ${cycle.project.key}\` accepts that for good`;
  return { kind: "hold", cause: "public", why, since: publicSince };
}

/**
 * Says in every run which repositories of a project hold their new issues because they turned public; and ends that where a
 * person has approved the whole project after seeing issues held.
 *
 * @returns the repository as it is known now.
 */
export async function watchVisibility(
  { world, memory, project }: Pick<Cycle, "world" | "memory" | "project">,
  repository: RepositoryMemory,
): Promise<RepositoryMemory> {
  const { ledger, log } = world;
  const { publicSince, name } = repository;
  if (publicSince === undefined) return repository;
  const isAccepted = (await ledger.requests.pending(memory.id)).some(
    (request) =>
      request.kind === "approve" &&
      request.isWhole &&
      request.at >= publicSince &&
      request.actions.some(({ kind }) => kind === "create-issue"),
  );
  if (!isAccepted) {
    log.warn(
      { project: project.key, repo: name, since: new Date(publicSince).toISOString() },
      "The repository has turned public: new issues wait there until `boardsync approve` of the project accepts that",
    );
    return repository;
  }
  const accepted = { ...repository, publicSince: undefined };
  await ledger.commit([{ kind: "remember-repository", memory: accepted, from: repository }]);
  log.info(
    { project: project.key, repo: name },
    "That the repository is public is accepted, as a person asked",
  );
  return accepted;
}
