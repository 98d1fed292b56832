import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { Milestone, Named, Repository } from "../../../model/issue.ts";
import type { Release } from "../../../model/release.ts";
import type { Catalogue, Listed } from "../../tracker.ts";
import { type Access, addressRepository } from "../wire/access.ts";
import { at } from "../wire/client.ts";
import type { ListRequest } from "../wire/pages.ts";
import { TooHeavyError } from "../wire/reader.ts";
import { labelShape, milestoneShape, positiveInteger, readEach, time, typeShape } from "../wire/shapes.ts";

/** A list of a repository that can be asked for conditionally. */
export interface ConditionalList<T> extends Pick<ListRequest, "list" | "endpoint" | "isWhole"> {
  readonly parameters?: Readonly<Record<string, string>>;
  /** @throws RemoteError `unreadable` */
  readonly readRows: (data: unknown) => readonly T[];
}

/** All labels. */
export const labelList: ConditionalList<Named> = {
  list: "labels",
  endpoint: ({ rest }) => rest.issues.listLabelsForRepo,
  readRows: (data) => readEach(data, "labels", labelShape).flat(),
};

/** The milestones of all states. */
export const milestoneList: ConditionalList<Milestone> = {
  list: "milestones",
  endpoint: ({ rest }) => rest.issues.listMilestones,
  parameters: { state: "all" },
  readRows: (data) => readEach(data, "milestones", milestoneShape),
};

/** Issue types, which have no pages. */
const typeList: ConditionalList<Named> = {
  list: "issue types",
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
  .transform(({ tag_name: tag, html_url: url, published_at: publishedAt, ...row }): readonly Release[] => {
    if (row.draft || tag === "" || typeof publishedAt !== "string") return [];
    const { id, name, body, prerelease: isPrerelease } = row;
    return [{ id, tag, name: name || tag, body: body ?? "", url, isPrerelease, publishedAt }];
  });

/** The releases that were published, newest first. */
export const releaseList: ConditionalList<Release> = {
  list: "releases",
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
  { readRows, ...list }: ConditionalList<T>,
  etag: string | undefined,
): Promise<Listed<T>> {
  const parameters = { ...addressRepository(repository.name, access.quote), ...list.parameters };
  const request: ListRequest = { ...list, parameters, repository, subject: repository.name };
  const [first, ...others] = etag?.split("\n") ?? [];
  const begun = await readPages(access, { ...request, etag: first }, readRows);
  if (begun.kind === "listed") return begun;
  for (const line of others)
    if (!(await isUnchanged(access, request, line))) return readPages(access, request, readRows);
  return { kind: "unchanged" };
}

/** All labels and milestones of a repository. */
export async function readCatalogue(access: Access, repository: Repository): Promise<Catalogue> {
  const read = async <T>(list: ConditionalList<T>): Promise<readonly T[]> => {
    const listed = await readWholeList(access, repository, list, undefined);
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
): Promise<Listed<Named>> {
  try {
    return await readWholeList(access, repository, typeList, etag);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    return { kind: "listed", rows: [], etag: undefined };
  }
}

/** @param line - of the page: its path and query on the API's host, as the page before named them, and its ETag. */
async function isUnchanged({ pages }: Access, request: ListRequest, line: string): Promise<boolean> {
  const end = line.indexOf(" ");
  try {
    return (await pages.at(line.slice(0, end), { ...request, etag: line.slice(end + 1) })).isUnchanged;
  } catch (error) {
    // Smaller pages are read anew.
    if (error instanceof TooHeavyError) return false;
    throw error;
  }
}

/**
 * What makes the next request for a list conditional is a line for each page; the address of the first is always the same, and left out.
 * There is nothing where a page came without an ETag, or where the last page is full: a row that is added behind it would change
 * none of the known pages.
 */
async function readPages<T>(
  { pages }: Access,
  request: ListRequest,
  readRows: ConditionalList<T>["readRows"],
): Promise<Listed<T>> {
  let rows: T[] = [];
  let lines: (string | undefined)[] = [];
  let path = "";
  let isLastFull = false;
  for await (const page of pages.all(request)) {
    if (page.isUnchanged) return { kind: "unchanged" };
    if (page.isFirst) [rows, lines, path] = [[], [], ""];
    const shown = readRows(page.data);
    rows.push(...shown);
    isLastFull = shown.length >= page.size;
    lines.push(page.etag === undefined ? undefined : `${path} ${page.etag}`.trimStart());
    const next = page.next === undefined ? undefined : new URL(page.next);
    path = next === undefined ? "" : `${next.pathname}${next.search}`;
  }
  const isOpen = isLastFull || lines.includes(undefined);
  return { kind: "listed", rows, etag: isOpen ? undefined : lines.join("\n") };
}
