import { RemoteError } from "../../errors.ts";
import type { Milestone, Repository, RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import type { Account, Catalogue, Listed } from "../tracker.ts";
import { refuseAnswer } from "./answers.ts";
import { isRepositoryName, splitName } from "./names.ts";
import { type Pages, requireOk } from "./pages.ts";
import type { Read, ReadRequest } from "./reader.ts";
import {
  asList,
  isObject,
  readLabels,
  readLogin,
  readMilestone,
  readRepository,
  readType,
} from "./shapes.ts";
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

/** What answers at the address, with its version where it tells one: only an Enterprise Server does. */
export async function describeServer(
  read: Read,
  url: string,
  bounds: ReadBounds,
  quote: Quote,
): Promise<string> {
  const { host } = new URL(url);
  const answer = await read({ route: "GET /meta", parameters: {}, subject: "the server" }, bounds);
  const version = isObject(answer.data) ? answer.data["installed_version"] : undefined;
  return typeof version === "string"
    ? `GitHub Enterprise Server ${quote(version)} at ${host}`
    : `GitHub at ${host}`;
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

/** A list of a repository that can be asked for conditionally. */
export interface ConditionalList<T> {
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** @throws RemoteError `unreadable` */
  readonly readRows: (data: unknown) => readonly T[];
}

/** The names of all labels. */
export const labelList: ConditionalList<string> = {
  route: "GET /repos/{owner}/{repo}/labels",
  parameters: {},
  readRows: readLabels,
};

/** The milestones of all states. */
export const milestoneList: ConditionalList<Milestone> = {
  route: "GET /repos/{owner}/{repo}/milestones",
  parameters: { state: "all" },
  readRows: (data) => asList(data, "milestones").map((milestone) => readMilestone(milestone)),
};

/** What a conditional request for a list is about. */
export interface ListRequest<T> {
  readonly repository: Repository;
  readonly list: ConditionalList<T>;
  readonly etag: string | undefined;
}

/** All rows of a list, or that it is as it was. */
export async function readList<T>(
  pages: Pages,
  request: ListRequest<T>,
  bounds: ReadBounds,
  quote: Quote,
): Promise<Listed<T>> {
  const { isUnchanged, rows, etag } = await readRows(pages, request, bounds, quote);
  return isUnchanged ? { kind: "unchanged" } : { kind: "listed", rows, etag };
}

/** All labels and milestones of a repository. */
export async function readCatalogue(
  pages: Pages,
  repository: Repository,
  bounds: ReadBounds,
  quote: Quote,
): Promise<Catalogue> {
  const whole = { repository, etag: undefined };
  const labels = await readRows(pages, { ...whole, list: labelList }, bounds, quote);
  const milestones = await readRows(pages, { ...whole, list: milestoneList }, bounds, quote);
  return {
    labels: labels.rows,
    milestones: milestones.rows,
    labelsEtag: labels.etag,
    milestonesEtag: milestones.etag,
  };
}

/** Names of issue types; an Enterprise Server of today, and a repository of a person, answer 404. */
export async function readTypes(
  read: Read,
  { name }: Repository,
  bounds: ReadBounds,
  quote: Quote,
): Promise<readonly string[] | undefined> {
  const request: ReadRequest = {
    route: "GET /repos/{owner}/{repo}/issue-types",
    parameters: addressRepository(name, quote),
    subject: `the issue types of ${name}`,
  };
  const answer = await read(request, bounds);
  if (answer.status === 404) return undefined;
  return asList(requireOk(answer, request.subject, quote).data, "issue types").map(readType);
}

/** An ETag speaks of one page only, so a list of several pages is never asked for conditionally. */
async function readRows<T>(
  pages: Pages,
  { repository, list, etag }: ListRequest<T>,
  bounds: ReadBounds,
  quote: Quote,
): Promise<{ isUnchanged: boolean; rows: readonly T[]; etag: string | undefined }> {
  const request: ReadRequest = {
    route: list.route,
    parameters: { ...addressRepository(repository.name, quote), ...list.parameters, per_page: 100 },
    subject: repository.name,
    ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }),
  };
  const rows: T[] = [];
  const etags: (string | undefined)[] = [];
  for await (const page of pages(request, repository, bounds)) {
    if (page.isUnchanged) return { isUnchanged: true, rows: [], etag };
    rows.push(...list.readRows(page.data));
    etags.push(page.etag);
  }
  return { isUnchanged: false, rows, etag: etags.length === 1 ? etags[0] : undefined };
}
