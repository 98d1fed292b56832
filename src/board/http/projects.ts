import { z } from "zod";
import { RemoteError } from "../../errors.ts";
import type { BoardProject, ProjectId } from "../../model/post.ts";
import { keysOf, readId } from "./answer/shape.ts";
import { type Excerpt, listNames } from "./answer/wording.ts";

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
    const message = `The board's answer to GET /projects has no list "projects". It has the keys ${keys}.`;
    throw new RemoteError("board", "unreadable", message);
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
