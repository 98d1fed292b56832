import type { HubIssue, HubRepository, HubServer } from "./github-server.ts";
import { pickWeighted, type Random } from "./random.ts";
import { elsewhere } from "./scenario.ts";

/** What becomes of repositories, and of issues that are moved between them. */
export const repositoryActs = {
  transfer: 2,
  transferAway: 0.7,
  rename: 1,
  archive: 0.7,
  unarchive: 2,
  issuesOff: 0.5,
  issuesOn: 2,
  push: 0.5,
} as const;

export interface RepositoryAct {
  readonly name: keyof typeof repositoryActs;
  readonly words: string;
  /** The issue that is another one now. */
  readonly issue: HubIssue | undefined;
}

/**
 * Somebody with rights over a repository uses them. Only an issue that the state knows is transferred: of another one, which
 * is looked for by its mark, no list promises that it shows it within the wait.
 */
export function actOnRepository(
  hub: HubServer,
  random: Random,
  lagMs: number,
  isKnown: (issue: HubIssue) => boolean,
): RepositoryAct {
  const name = pickWeighted(random, repositoryActs);
  const repository = random.pick(hub.repositories.filter(({ name: its }) => its !== elsewhere));
  if (name !== "transfer" && name !== "transferAway") {
    return { name, words: changeRepository(hub, repository, name), issue: undefined };
  }
  const issues = repository.issues.filter((issue) => !issue.isDeleted && isKnown(issue));
  if (issues.length === 0) return { name, words: "nobody finds an issue to transfer", issue: undefined };
  const issue = random.pick(issues);
  const isAway = ({ name: its }: HubRepository): boolean => (its === elsewhere) === (name === "transferAway");
  const to = random.pick(hub.repositories.filter((other) => other !== repository && isAway(other)));
  const before = `${repository.name}#${issue.number}`;
  hub.transfer(issue, to, lagMs);
  return { name, words: `somebody transfers ${before} to ${to.name}#${issue.number}`, issue };
}

function changeRepository(
  hub: HubServer,
  repository: HubRepository,
  act: Exclude<keyof typeof repositoryActs, "transfer" | "transferAway">,
): string {
  switch (act) {
    case "rename": {
      const before = repository.name;
      repository.formerNames.push(before);
      hub.owners.renameRepository(
        before,
        `${repository.formerNames[0]}-${repository.formerNames.length + 1}`,
      );
      return `somebody renames ${before} to ${repository.name}`;
    }
    case "archive":
    case "unarchive":
      hub.owners.archive(repository.name, act === "archive");
      return `somebody ${act}s ${repository.name}`;
    case "issuesOff":
      hub.owners.disableIssues(repository.name);
      return `somebody switches the issues of ${repository.name} off`;
    case "issuesOn":
      hub.owners.enableIssues(repository.name);
      return `somebody switches the issues of ${repository.name} on`;
    case "push":
      hub.canPush = !hub.canPush;
      return `the token ${hub.canPush ? "gets" : "loses"} push access`;
  }
}
