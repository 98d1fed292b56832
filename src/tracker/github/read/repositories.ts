import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { Milestone, Named, Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { Account, Catalogue, Listed } from "../../tracker.ts";
import { type Access, addressRepository } from "../wire/access.ts";
import { refuseAnswer } from "../wire/answers.ts";
import { at, call, type Endpoint } from "../wire/endpoints.ts";
import { resolveOnOrigin } from "../wire/links.ts";
import { isTooLarge, type ListRequest } from "../wire/pages.ts";
import { type ReadRequest, requireOk } from "../wire/reader.ts";
import {
  account,
  labelShape,
  milestoneShape,
  readEach,
  readShape,
  repositoryShape,
  typeShape,
} from "../wire/shapes.ts";
import type { Quote } from "../wire/words.ts";

/** Who the token belongs to. */
export async function readAccount({ read, quote }: Access, bounds: ReadBounds): Promise<Account> {
  const request = { ...call(({ rest }) => rest.users.getAuthenticated, {}), subject: "our account" };
  const answer = await read(request, bounds);
  // Whoever has a token is somebody: where nobody is known, the address is not the API's root.
  if (answer.status === 404) {
    const message = `The server answered 404 for ${request.subject}, which GitHub's API always has.`;
    throw new RemoteError("tracker", "unreadable", message, { detail: "page" });
  }
  return readShape(account, requireOk(answer, request, quote).data, "login");
}

const serverShape = z.object({ installed_version: z.string() });

/** What answers at the address, with its version where it tells one: only an Enterprise Server does. */
export async function describeServer({ read, url, quote }: Access, bounds: ReadBounds): Promise<string> {
  const { host } = new URL(url);
  const answer = await read({ ...call(({ rest }) => rest.meta.get, {}), subject: "the server" }, bounds);
  const version = serverShape.safeParse(answer.data).data?.installed_version;
  return version !== undefined
    ? `GitHub Enterprise Server ${quote(version)} at ${host}`
    : `GitHub at ${host}`;
}

/** One repository by name or id; a renamed one comes with its new name. */
export async function findRepository(
  { read, quote }: Pick<Access, "read" | "quote">,
  wanted: RepositoryName | RepositoryId,
  bounds: ReadBounds,
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
  const answer = requireOk(await read(request, bounds), request, quote);
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

/**
 * All rows of a list, or that it has not changed. An ETag belongs to one page only, so each page is asked for with its
 * own. If a later page than the first has changed, the list is read anew.
 */
export async function readWholeList<T>(
  access: Access,
  request: ConditionalRequest<T>,
  bounds: ReadBounds,
): Promise<Listed<T>> {
  const [first, ...others] = readValidator(request.etag);
  const begun = await readRows(access, { ...request, etag: first?.etag }, bounds);
  if (!begun.isUnchanged) return { kind: "listed", rows: begun.rows, etag: begun.etag };
  for (const page of others) {
    if (await isUnchanged(access, request, page, bounds)) continue;
    const { rows, etag } = await readRows(access, { ...request, etag: undefined }, bounds);
    return { kind: "listed", rows, etag };
  }
  return { kind: "unchanged" };
}

/** All labels and milestones of a repository. */
export async function readCatalogue(
  access: Access,
  repository: Repository,
  bounds: ReadBounds,
): Promise<Catalogue> {
  const whole = { repository, etag: undefined };
  const labels = await readRows(access, { ...whole, list: labelList }, bounds);
  const milestones = await readRows(access, { ...whole, list: milestoneList }, bounds);
  return {
    labels: labels.rows,
    milestones: milestones.rows,
    labelsEtag: labels.etag,
    milestonesEtag: milestones.etag,
  };
}

/** Issue types; an Enterprise Server of today, and a repository of a person, answer 404. */
export async function readTypes(
  access: Access,
  request: Omit<ConditionalRequest<Named>, "list">,
  bounds: ReadBounds,
): Promise<Listed<Named>> {
  try {
    return await readWholeList(access, { ...request, list: typeList }, bounds);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    return { kind: "listed", rows: [], etag: undefined };
  }
}

/** Whether an account can be assigned: 204, or 404. */
export async function readAssignable(
  { read, quote }: Access,
  { name }: Repository,
  login: string,
  bounds: ReadBounds,
): Promise<boolean> {
  const request = {
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
  { pages, url, quote }: Access,
  asked: ConditionalRequest<unknown>,
  { address, etag }: KnownPage,
  bounds: ReadBounds,
): Promise<boolean> {
  const request = { ...describeList(asked, quote), headers: { "if-none-match": etag } };
  const at = resolveOnOrigin(address, url, quote);
  try {
    return (await pages.at(at, request, asked.repository, bounds)).isUnchanged;
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
  { pages, quote }: Access,
  { repository, list, etag }: ConditionalRequest<T>,
  bounds: ReadBounds,
): Promise<{ isUnchanged: boolean; rows: readonly T[]; etag: string | undefined }> {
  const request: ListRequest = {
    ...describeList({ repository, list }, quote),
    ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }),
  };
  let rows: T[] = [];
  let known: Partial<KnownPage>[] = [];
  let address: string | undefined;
  let isLastFull = false;
  for await (const page of pages.all(request, repository, bounds)) {
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
