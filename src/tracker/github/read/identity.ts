import { RemoteError } from "../../../errors.ts";
import { type IssueRecord, isSameRepository, type Repository } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { Access } from "../wire/access.ts";
import { completeRecord, type IssueContent, type RepositoryMark } from "../wire/shapes.ts";

/** Whether an answer's repository is the one that was asked for, without asking further. Names ignore case. */
export function isMarkOf(mark: RepositoryMark, repository: Pick<Repository, "id" | "name">): boolean {
  return mark.kind === "id" ? mark.id === repository.id : isSameRepository(mark.name, repository.name);
}

/**
 * Makes records out of a repository's issues. An issue says the name of its repository only, and a list that was
 * redirected shows the new one: each name that is not the expected one is looked up once.
 */
export function createRecorder({ find }: Access, repository: Repository) {
  const accepted = new Set<string>();
  return async (content: IssueContent, bounds: ReadBounds): Promise<IssueRecord> => {
    const { mark } = content;
    if (!isMarkOf(mark, repository) && !(mark.kind === "name" && accepted.has(mark.name))) {
      const shown = await find(mark.kind === "name" ? mark.name : mark.id, bounds);
      if (shown.id !== repository.id) throw stranger(repository, shown);
      accepted.add(shown.name).add(mark.kind === "name" ? mark.name : shown.name);
    }
    return completeRecord(content, repository.id);
  };
}

function stranger(repository: Repository, shown: Repository): RemoteError {
  return new RemoteError(
    "tracker",
    "unreadable",
    `GitHub's list of ${repository.name} holds an issue of ${shown.name}.`,
  );
}
