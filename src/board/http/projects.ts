import { z } from "zod";
import { RemoteError, type RemoteFault } from "../../errors.ts";
import type { BoardProject, ProjectId } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { keysOf, readId } from "./answer/shape.ts";
import { type Excerpt, listNames } from "./answer/wording.ts";
import type { ListOptions } from "./list/page.ts";
import { readSigns } from "./list/page-signs.ts";
import { createPaging } from "./list/paging.ts";

/** All projects. A sign of more is followed; one that leads nowhere, or to what was shown before, ends the list. */
export async function listProjects(
  first: URL,
  bounds: ReadBounds,
  { reader, limits, excerpt }: Pick<ListOptions, "reader" | "limits" | "excerpt">,
): Promise<readonly BoardProject[]> {
  const paging = createPaging({ first, project: undefined, overrides: {}, excerpt, limits });
  const found = new Map<ProjectId, BoardProject>();
  for (let url = first; ; ) {
    try {
      const { value, headers } = await reader.askJson(url, bounds, "projects");
      const projects = readProjects(value, excerpt);
      const fresh = projects.filter(({ id }) => !found.has(id));
      for (const project of fresh) found.set(project.id, project);
      const records = projects.length;
      const signs = readSigns(value, headers, { list: "projects" }, records);
      const counts = { bytes: 0, records, fresh: fresh.length, unusable: 0, lastId: undefined };
      const step = paging.follow({ signs, url, ...counts, hasRepeated: fresh.length < records });
      if (step.kind === "end" || fresh.length === 0) return [...found.values()];
      url = step.url;
    } catch (error) {
      const isNoWay = error instanceof RemoteError && noWay.has(error.fault);
      if (found.size === 0 || !isNoWay) throw error;
      return [...found.values()];
    }
  }
}

const noWay: ReadonlySet<RemoteFault> = new Set<RemoteFault>(["missing", "refused", "unreadable"]);

/**
 * Reads the answer of `GET /projects`: `{ projects: [ … ] }`, or a bare array. An element without an id is left out: it
 * can't be named in a request.
 *
 * @throws RemoteError `unreadable` for any other shape.
 */
export function readProjects(value: unknown, excerpt: Excerpt): readonly BoardProject[] {
  const records = listShape.safeParse(value).data;
  if (records === undefined) {
    const keys = listNames(keysOf([value]), excerpt);
    const message = `The board's answer to GET /projects has no list "projects". It has the keys ${keys}. No setting says where that list is: is board.url the address of the board's API?`;
    throw new RemoteError("board", "unreadable", message, { detail: "told" });
  }
  return records.flatMap((record) => projectShape.safeParse(record).data ?? []);
}

const list = z.array(z.unknown());
/** Where the list may be; of an answer that has several the first counts. */
const listShape = z.union([
  list,
  z.object({ projects: list }).transform(({ projects }) => projects),
  z.object({ data: z.object({ projects: list }) }).transform(({ data }) => data.projects),
  z.object({ data: list }).transform(({ data }) => data),
]);

const projectShape = z
  .object({
    id: z.unknown().transform(readId),
    slug: z.unknown().optional().transform(readId),
    name: z.unknown().optional(),
  })
  .transform(({ id, slug, name }): BoardProject | undefined =>
    // The id has just been checked; this is where a board's identifier becomes a ProjectId.
    id === undefined
      ? undefined
      : { id: id as ProjectId, slug, name: typeof name === "string" ? name : (slug ?? id) },
  );
