import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { Milestone, Named, Repository } from "../../../model/issue.ts";
import type { Release } from "../../../model/release.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { Catalogue, Listed } from "../../tracker.ts";
import { type Access, addressRepository } from "../wire/access.ts";
import { at, type Endpoint } from "../wire/client.ts";
import { resolveOnOrigin } from "../wire/links.ts";
import type { ListRequest } from "../wire/pages.ts";
import { TooHeavyError } from "../wire/reader.ts";
import { labelShape, milestoneShape, positiveInteger, readEach, time, typeShape } from "../wire/shapes.ts";

/** A list of a repository that can be asked for conditionally. */
export interface ConditionalList<T> {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Set where it comes whole, without pages. */
  readonly isWhole?: true;
  /** @throws RemoteError `unreadable` */
  readonly readRows: (data: unknown) => readonly T[];
}

/** All labels. */
export const labelList: ConditionalList<Named> = {
  name: "labels",
  endpoint: ({ rest }) => rest.issues.listLabelsForRepo,
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
  readRows: (data) => readEach(data, "issue types", typeShape),
};

/** A draft is not published, and whoever may push is shown some; one without a tag can't be named. */
const releaseShape = z
  .object({
    id: positiveInteger,
    tag_name: z.string(),
    name: z.string().nullish(),
    body: z.string().nullish(),
    html_url: z.string(),
    draft: z.boolean(),
    prerelease: z.boolean(),
    published_at: time.nullish(),
  })
  .transform((row): readonly Release[] => {
    const {
      id,
      tag_name: tag,
      name,
      body,
      html_url: url,
      draft,
      prerelease,
      published_at: publishedAt,
    } = row;
    if (draft || tag === "" || typeof publishedAt !== "string") return [];
    return [{ id, tag, name: name || tag, body: body ?? "", url, isPrerelease: prerelease, publishedAt }];
  });

/** The releases that were published, newest first. */
export const releaseList: ConditionalList<Release> = {
  name: "releases",
  endpoint: ({ rest }) => rest.repos.listReleases,
  readRows: (data) => readEach(data, "releases", releaseShape).flat(),
};

/**
 * All rows of a list, or that it has not changed. An ETag belongs to one page only, so each page is asked for with its
 * own. If a later page than the first has changed, the list is read anew.
 *
 * @param etag - as an earlier answer gave it.
 */
export async function readWholeList<T>(
  access: Access,
  repository: Repository,
  list: ConditionalList<T>,
  etag: string | undefined,
  bounds: ReadBounds,
): Promise<Listed<T>> {
  const [first, ...others] = readValidator(etag);
  const begun = await readRows(access, repository, list, first?.etag, bounds);
  if (begun.kind === "listed") return begun;
  for (const page of others) {
    if (!(await isUnchanged(access, repository, list, page, bounds)))
      return readRows(access, repository, list, undefined, bounds);
  }
  return { kind: "unchanged" };
}

/** All labels and milestones of a repository. */
export async function readCatalogue(
  access: Access,
  repository: Repository,
  bounds: ReadBounds,
): Promise<Catalogue> {
  const read = async <T>(list: ConditionalList<T>): Promise<readonly T[]> => {
    const listed = await readRows(access, repository, list, undefined, bounds);
    // Without a condition it comes with its rows.
    return listed.kind === "listed" ? listed.rows : [];
  };
  return { labels: await read(labelList), milestones: await read(milestoneList) };
}

/** Issue types; an Enterprise Server of today, and a repository of a person, answer 404. */
export async function readTypes(
  access: Access,
  repository: Repository,
  etag: string | undefined,
  bounds: ReadBounds,
): Promise<Listed<Named>> {
  try {
    return await readWholeList(access, repository, typeList, etag, bounds);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    return { kind: "listed", rows: [], etag: undefined };
  }
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
  repository: Repository,
  list: ConditionalList<unknown>,
  { address, etag }: KnownPage,
  bounds: ReadBounds,
): Promise<boolean> {
  const request = { ...describeList(repository, list, quote), etag };
  try {
    return (await pages.at(resolveOnOrigin(address, url, quote), request, bounds)).isUnchanged;
  } catch (error) {
    // Smaller pages are read anew.
    if (error instanceof TooHeavyError) return false;
    throw error;
  }
}

function describeList(
  repository: Repository,
  { name, isWhole, endpoint, parameters }: ConditionalList<unknown>,
  quote: Access["quote"],
): ListRequest {
  return {
    list: name,
    ...(isWhole && { isWhole }),
    repository,
    endpoint,
    parameters: { ...addressRepository(repository.name, quote), ...parameters },
    subject: repository.name,
  };
}

async function readRows<T>(
  { pages, quote }: Access,
  repository: Repository,
  list: ConditionalList<T>,
  etag: string | undefined,
  bounds: ReadBounds,
): Promise<Listed<T>> {
  let rows: T[] = [];
  let known: Partial<KnownPage>[] = [];
  let address: string | undefined;
  let isLastFull = false;
  for await (const page of pages.all({ ...describeList(repository, list, quote), etag }, bounds)) {
    if (page.isUnchanged) return { kind: "unchanged" };
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
  return { kind: "listed", rows, etag: writeValidator(known, isLastFull) };
}
