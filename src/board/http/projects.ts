import { RemoteError } from "../../errors.ts";
import type { BoardProject, ProjectId } from "../../model/post.ts";
import { readKey, readPath } from "./answer/access.ts";
import { keysOf, readId } from "./answer/shape.ts";
import { type Excerpt, listNames } from "./answer/wording.ts";

/**
 * Reads the answer of `GET /projects`: `{ projects: [ … ] }`, or a bare array. An element without an id is left out: it
 * can't be named in a request.
 *
 * @throws RemoteError `unreadable` for any other shape.
 */
export function readProjects(value: unknown, excerpt: Excerpt): readonly BoardProject[] {
  const list = [value, readKey(value, "projects"), readPath(value, "data.projects"), readKey(value, "data")];
  const records = list.find(Array.isArray);
  if (records === undefined) {
    const keys = listNames(keysOf([value]), excerpt);
    const message = `The board's answer to GET /projects has no list "projects". It has the keys ${keys}.`;
    throw new RemoteError("board", "unreadable", message);
  }
  return records.map(readProject).filter((project) => project !== undefined);
}

function readProject(record: unknown): BoardProject | undefined {
  const id = readId(readKey(record, "id"));
  if (id === undefined) return undefined;
  const slug = readId(readKey(record, "slug"));
  const name = readKey(record, "name");
  // The id has just been checked; this is where a board's identifier becomes a ProjectId.
  return { id: id as ProjectId, slug, name: typeof name === "string" ? name : (slug ?? id) };
}
