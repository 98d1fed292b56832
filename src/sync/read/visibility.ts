import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { PostId } from "../../model/post.ts";
import { type Cycle, projectNow, rememberOfProject, repositoryById } from "../ground/cycle-state.ts";
import type { Hold, HoldOf, Wanted } from "../ground/verdict.ts";

/**
 * Why no issue may be opened in a repository: it turned public, so titles and descriptions of posts would, too, and no
 * person has accepted that. undefined where one may; a post that a person let go goes.
 */
export function publicHold(
  cycle: Cycle,
  repository: RepositoryMemory | undefined,
  post: PostId,
): Hold | undefined {
  if (repository?.publicSince === undefined || isAccepted(cycle, repository)) return undefined;
  const { name, publicSince } = repository;
  if ((cycle.course.letGoPublic.get(post) ?? 0) >= publicSince) return undefined;
  const since = new Date(publicSince).toISOString();
  const why = `${name} is public since ${since} or shortly before, and so would be the post's title and description; \`boardsync approve ${cycle.project.key}\` accepts that for good`;
  return { kind: "hold", cause: "public", why, since: publicSince };
}

/** The same of new issues. */
export function holdsOfPublic(cycle: Cycle): HoldOf {
  return ({ post, lanes }) => publicHold(cycle, repositoryById(cycle, lanes[0]?.repository), post);
}

/** Says in every run which repositories of a project hold their new issues because they turned public. */
export function warnOfPublic(
  cycle: Pick<Cycle, "world" | "memory" | "project">,
  repository: RepositoryMemory,
): void {
  const { publicSince, name } = repository;
  if (publicSince === undefined || isAccepted(cycle, repository)) return;
  cycle.world.log.warn(
    { project: cycle.project.key, repo: name, since: new Date(publicSince).toISOString() },
    "The repository has turned public: new issues wait there until `boardsync approve` of the project accepts that",
  );
}

/** A person who approves a whole project, and was shown that new issues are held because a repository is public, accepts that of it for good. */
export async function acceptPublic(cycle: Cycle, approved: readonly Wanted[]): Promise<void> {
  const shown = approved.filter(({ hold }) => hold?.cause === "public");
  for (const id of new Set(shown.flatMap(({ lanes: [lane] }) => lane?.repository ?? []))) {
    const repository = repositoryById(cycle, id);
    if (repository?.publicSince === undefined || isAccepted(cycle, repository)) continue;
    const others = (projectNow(cycle).acceptedPublic ?? []).filter((one) => one.repositoryId !== id);
    const acceptedPublic = [...others, { repositoryId: id, since: repository.publicSince }];
    await rememberOfProject(cycle, { acceptedPublic });
    cycle.world.log.info(
      { project: cycle.project.key, repo: repository.name },
      "That the repository is public is accepted, as a person asked",
    );
  }
}

function isAccepted(
  cycle: Pick<Cycle, "world" | "memory" | "project">,
  { repository: { id }, publicSince }: RepositoryMemory,
): boolean {
  const accepted = projectNow(cycle).acceptedPublic ?? [];
  return accepted.some(({ repositoryId, since }) => repositoryId === id && since === publicSince);
}
