import { RemoteError } from "../../errors.ts";
import type { Milestone, Repository, RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import type { Account, Catalogue } from "../tracker.ts";
import { refuseAnswer } from "./answers.ts";
import { isRepositoryName, splitName } from "./names.ts";
import { type Pages, requireOk } from "./pages.ts";
import type { Read, ReadRequest } from "./reader.ts";
import { asList, readLabels, readLogin, readMilestone, readRepository } from "./shapes.ts";
import type { Quote } from "./words.ts";

/** The path parameters of a repository. @throws RemoteError `refused` for what is no repository's name. */
export function addressRepository(name: RepositoryName, quote: Quote): { owner: string; repo: string } {
  if (isRepositoryName(name)) return splitName(name);
  throw new RemoteError("tracker", "refused", `"${quote(name)}" is not the name of a repository.`);
}

/** Who the token belongs to. */
export async function readAccount(read: Read, bounds: ReadBounds, quote: Quote): Promise<Account> {
  const request: ReadRequest = { route: "GET /user", parameters: {}, subject: "our account" };
  const answer = requireOk(await read(request, bounds), request.subject, quote);
  return { login: readLogin(answer.data) };
}

/** One repository by name or id; a renamed one comes with its new name. */
export async function findRepository(
  read: Read,
  wanted: RepositoryName | RepositoryId,
  bounds: ReadBounds,
  quote: Quote,
): Promise<Repository> {
  const request: ReadRequest =
    typeof wanted === "number"
      ? {
          // Not in GitHub's description, but it is where GitHub's own redirects and page links lead.
          route: "GET /repositories/{repository_id}",
          parameters: { repository_id: wanted },
          subject: `the repository with the id ${wanted}`,
        }
      : { route: "GET /repos/{owner}/{repo}", parameters: addressRepository(wanted, quote), subject: wanted };
  const answer = requireOk(await read(request, bounds), request.subject, quote);
  const repository = readRepository(answer.data);
  if (typeof wanted === "number" && repository.id !== wanted)
    throw refuseAnswer(answer, request.subject, quote);
  return repository;
}

/** All labels and milestones of a repository. */
export async function readCatalogue(
  pages: Pages,
  repository: Repository,
  bounds: ReadBounds,
  quote: Quote,
): Promise<Catalogue> {
  const parameters = { ...addressRepository(repository.name, quote), per_page: 100 };
  const labels: string[] = [];
  const labelRequest = { route: "GET /repos/{owner}/{repo}/labels", parameters, subject: repository.name };
  for await (const page of pages(labelRequest, repository, bounds)) {
    labels.push(...readLabels(page.data));
  }
  const milestones: Milestone[] = [];
  const milestoneRequest = {
    route: "GET /repos/{owner}/{repo}/milestones",
    parameters: { ...parameters, state: "all" },
    subject: repository.name,
  };
  for await (const page of pages(milestoneRequest, repository, bounds)) {
    milestones.push(...asList(page.data, "milestones").map((milestone) => readMilestone(milestone)));
  }
  return { labels, milestones };
}
