import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { Milestone, Named, Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { Account, Catalogue, Listed } from "../../tracker.ts";
import { refuseAnswer } from "../wire/answers.ts";
import { at, call, type Endpoint } from "../wire/endpoints.ts";
import { resolveOnOrigin } from "../wire/links.ts";
import { isTooLarge, type ListRequest, type PageReader, type Pages, requireOk } from "../wire/pages.ts";
import type { Read, ReadRequest } from "../wire/reader.ts";
import {
  account,
  isRepositoryName,
  labelShape,
  milestoneShape,
  readEach,
  readShape,
  repositoryShape,
  splitName,
  typeShape,
} from "../wire/shapes.ts";
import type { Quote } from "../wire/words.ts";

/** The path parameters of a repository. @throws RemoteError `refused` for what is no repository's name. */
export function addressRepository(name: RepositoryName, quote: Quote): { owner: string; repo: string } {
  if (isRepositoryName(name)) return splitName(name);
  throw new RemoteError("tracker", "refused", `"${quote(name)}" is not the name of a repository.`);
}

/** Who the token belongs to. */
export async function readAccount(read: Read, bounds: ReadBounds, quote: Quote): Promise<Account> {
  const request: ReadRequest = {
    ...call(({ rest }) => rest.users.getAuthenticated, {}),
    subject: "our account",
  };
  const answer = await read(request, bounds);
  // Whoever has a token is somebody: where nobody is known, the address is not the API's root.
  if (answer.status === 404) {
    const message = `The server answered 404 for ${request.subject}, which GitHub's API always has.`;
    throw new RemoteError("tracker", "unreadable", message, { detail: "page" });
  }
  return readShape(account, requireOk(answer, request.subject, quote).data, "login");
}

const serverShape = z.object({ installed_version: z.string() });

/** What answers at the address, with its version where it tells one: only an Enterprise Server does. */
export async function describeServer(
  read: Read,
  url: string,
  bounds: ReadBounds,
  quote: Quote,
): Promise<string> {
  const { host } = new URL(url);
  const answer = await read({ ...call(({ rest }) => rest.meta.get, {}), subject: "the server" }, bounds);
  const version = serverShape.safeParse(answer.data).data?.installed_version;
  return version !== undefined
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
          endpoint: at("GET /repositories/{repository_id}"),
          parameters: { repository_id: wanted },
          subject: `the repository with the id ${wanted}`,
        }
      : { ...call(({ rest }) => rest.repos.get, addressRepository(wanted, quote)), subject: wanted };
  const answer = requireOk(await read(request, bounds), request.subject, quote);
  const repository = readShape(repositoryShape, answer.data, "repository");
  if (typeof wanted === "number" && repository.id !== wanted)
    throw refuseAnswer(answer, request.subject, quote);
  return repository;
}

const pageSize = 100;

/** A list of a repository that can be asked for conditionally. */
export interface ConditionalList<T> {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  /** Set where it comes whole, without pages. */
  readonly isWhole?: true;
  /** @throws RemoteError `unreadable` */
  readonly readRows: (data: unknown) => readonly T[];
}

/** All labels. */
export const labelList: ConditionalList<Named> = {
  name: "labels",
  endpoint: ({ rest }) => rest.issues.listLabelsForRepo,
  parameters: {},
  readRows: (data) => readEach(data, "labels", labelShape).flat(),
};

/** The milestones of all states. */
export const milestoneList: ConditionalList<Milestone> = {
  name: "milestones",
  endpoint: ({ rest }) => rest.issues.listMilestones,
  parameters: { state: "all" },
  readRows: (data) => readEach(data, "milestones", milestoneShape),
};

/** Issue types, which have no pages. */
const typeList: ConditionalList<Named> = {
  name: "issue types",
  isWhole: true,
  endpoint: at("GET /repos/{owner}/{repo}/issue-types"),
  parameters: {},
  readRows: (data) => readEach(data, "issue types", typeShape),
};

/** What a conditional request for a list is about. */
export interface ConditionalRequest<T> {
  readonly repository: Repository;
  readonly list: ConditionalList<T>;
  /** As an earlier answer gave it. */
  readonly etag: string | undefined;
}

export interface ListTools {
  readonly pages: Pages;
  readonly reader: PageReader;
  /** Base URL of the API. */
  readonly url: string;
  readonly quote: Quote;
}

/**
 * All rows of a list, or that it has not changed. An ETag belongs to one page only, so each page is asked for with its
 * own. If a later page than the first has changed, the list is read anew.
 */
export async function readWholeList<T>(
  tools: ListTools,
  request: ConditionalRequest<T>,
  bounds: ReadBounds,
): Promise<Listed<T>> {
  const [first, ...others] = readValidator(request.etag);
  const { pages, quote } = tools;
  const begun = await readRows(pages, { ...request, etag: first?.etag }, bounds, quote);
  if (!begun.isUnchanged) return { kind: "listed", rows: begun.rows, etag: begun.etag };
  for (const page of others) {
    if (await isUnchanged(tools, request, page, bounds)) continue;
    const { rows, etag } = await readRows(pages, { ...request, etag: undefined }, bounds, quote);
    return { kind: "listed", rows, etag };
  }
  return { kind: "unchanged" };
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

/** Issue types; an Enterprise Server of today, and a repository of a person, answer 404. */
export async function readTypes(
  tools: ListTools,
  request: Omit<ConditionalRequest<Named>, "list">,
  bounds: ReadBounds,
): Promise<Listed<Named>> {
  try {
    return await readWholeList(tools, { ...request, list: typeList }, bounds);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    return { kind: "listed", rows: [], etag: undefined };
  }
}

/** Whether an account can be assigned: 204, or 404. */
export async function readAssignable(
  read: Read,
  { name }: Repository,
  { login, quote }: { readonly login: string; readonly quote: Quote },
  bounds: ReadBounds,
): Promise<boolean> {
  const request: ReadRequest = {
    ...call(({ rest }) => rest.issues.checkUserCanBeAssigned, {
      ...addressRepository(name, quote),
      assignee: login,
    }),
    subject: `the assignees of ${name}`,
  };
  const answer = await read(request, bounds);
  if (answer.status === 204) return true;
  if (answer.status === 404) return false;
  throw refuseAnswer(answer, request.subject, quote);
}

/** One page of a list that was read; the address of the first is always the same, and left out. */
interface KnownPage {
  /** Path and query on the API's host, as the page before named it. */
  readonly address: string;
  readonly etag: string;
}

/**
 * What makes the next request for a list conditional: a line for each page. undefined where a page came without an ETag,
 * or where the last page is full: a row that is added behind it would change none of the known pages.
 */
function writeValidator(pages: readonly Partial<KnownPage>[], isLastFull: boolean): string | undefined {
  if (isLastFull || pages.some(({ etag }) => etag === undefined)) return undefined;
  return pages.map(({ address = "", etag }) => `${address} ${etag}`.trimStart()).join("\n");
}

function readValidator(validator: string | undefined): readonly KnownPage[] {
  const [first, ...others] = validator?.split("\n") ?? [];
  if (first === undefined) return [];
  const further = others.map((line) => {
    const end = line.indexOf(" ");
    return { address: line.slice(0, end), etag: line.slice(end + 1) };
  });
  return [{ address: "", etag: first }, ...further];
}

async function isUnchanged(
  { reader, url, quote }: ListTools,
  asked: ConditionalRequest<unknown>,
  { address, etag }: KnownPage,
  bounds: ReadBounds,
): Promise<boolean> {
  const request = { ...describeList(asked, quote), headers: { "if-none-match": etag } };
  const at = resolveOnOrigin(address, url, quote);
  try {
    return (await reader.at(at, request, asked.repository, bounds)).isUnchanged;
  } catch (error) {
    if (!isTooLarge(error, pageSize)) throw error;
    // Smaller pages are read anew.
    return false;
  }
}

function describeList(
  { repository, list }: Omit<ConditionalRequest<unknown>, "etag">,
  quote: Quote,
): ListRequest {
  return {
    list: list.name,
    ...(list.isWhole && { isWhole: true }),
    endpoint: list.endpoint,
    parameters: { ...addressRepository(repository.name, quote), ...list.parameters },
    subject: repository.name,
  };
}

async function readRows<T>(
  pages: Pages,
  { repository, list, etag }: ConditionalRequest<T>,
  bounds: ReadBounds,
  quote: Quote,
): Promise<{ isUnchanged: boolean; rows: readonly T[]; etag: string | undefined }> {
  const request: ListRequest = {
    ...describeList({ repository, list }, quote),
    ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }),
  };
  let rows: T[] = [];
  let known: Partial<KnownPage>[] = [];
  let address: string | undefined;
  let isLastFull = false;
  for await (const page of pages(request, repository, bounds)) {
    if (page.isUnchanged) return { isUnchanged: true, rows: [], etag };
    if (page.isFirst) [rows, known, address] = [[], [], undefined];
    const shown = list.readRows(page.data);
    rows.push(...shown);
    isLastFull = shown.length >= page.size;
    known.push({
      ...(address !== undefined && { address }),
      ...(page.etag !== undefined && { etag: page.etag }),
    });
    const next = page.next === undefined ? undefined : new URL(page.next);
    address = next && `${next.pathname}${next.search}`;
  }
  return { isUnchanged: false, rows, etag: writeValidator(known, isLastFull) };
}
