import type { z } from "zod";
import type { RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { ProjectId } from "../../../model/post.ts";
import { namesOf, type Remembering, rebaseRepository } from "../../held-memory.ts";
import {
  type AccountMemory,
  accountShape,
  type CategoriesMemory,
  categoriesShape,
  type Memory,
  type PagingMemory,
  type ProjectFieldMemory,
  type ProjectMemory,
  pagingShape,
  projectFieldShape,
  projectShape,
  type RepositoryMemory,
  repositoryShape,
  type SizeMemory,
  sizeShape,
  type ToolMemory,
  toolShape,
} from "../../memory.ts";
import { check, parse } from "../../stored.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import type { Asked } from "../store.ts";

/** Each thing that is remembered is one JSON text; what is missing in it is undefined. */
function memory<T>(place: string, shape: () => z.ZodType<T>) {
  let known: ReadonlyMap<string, T> = new Map();
  const read = (json: string): T => known.get(json) ?? check(place, shape(), parse(place, json));
  return {
    read,
    /** All that there is of it: what is as it was the last time is not decoded again. */
    readAll(texts: readonly string[]): readonly T[] {
      known = new Map(texts.map((json) => [json, read(json)]));
      return texts.map(read);
    },
    /** Nothing but what is known of it, always in one order. */
    write: (value: T): string => JSON.stringify(shape().parse(value)),
  };
}

const accounts = memory<AccountMemory>("memory.value", accountShape);
const pagings = memory<PagingMemory>("memory.value", pagingShape);
const fields = memory<ProjectFieldMemory>("memory.value", projectFieldShape);
const sizes = memory<SizeMemory>("memory.value", sizeShape);
const tools = memory<ToolMemory>("memory.value", toolShape);
const categories = memory<CategoriesMemory>("memory.value", categoriesShape);
const projects = memory<ProjectMemory>("projects.memory", projectShape);
const repositories = memory<RepositoryMemory>("repositories.memory", repositoryShape);

type MemoryKind = "account" | "paging" | "open-list" | "project-field" | "size" | "tool" | "categories";

interface RepositoryColumns {
  id: RepositoryId;
  name?: string;
  currentName: RepositoryName;
  memory: string;
}

/** Accounts, projects and repositories: what is asked for once; and when to ask again. `held` is what the process knows of them. */
export function createMemory(on: Queries, held: Pick<Memory, "repositoryById">) {
  const { run, get, all, upsert, numbers } = on;
  const write = (kind: MemoryKind, key: string, value: string): Asked<void> =>
    upsert("memory", ["kind", "key"], { kind, key, value });
  return {
    *read() {
      const [few, known, kept] = yield* on.together([
        all<{
          kind: MemoryKind;
          key: string;
          value: string;
        }>`SELECT kind, key, value FROM memory ORDER BY kind, key`,
        all<RepositoryColumns>`SELECT id, name, current_name, memory FROM repositories ORDER BY id`,
        all<{ memory: string }>`SELECT memory FROM projects ORDER BY key`,
      ]);
      const of = (kind: MemoryKind) => few.filter((one) => one.kind === kind);
      const textsOf = (kind: MemoryKind) => of(kind).map(({ value }) => value);
      // Of these two more is known than the text: each is read below, and is decoded here.
      pagings.readAll(textsOf("paging"));
      repositories.readAll(known.map((one) => one.memory));
      return {
        account: accounts.readAll(textsOf("account"))[0],
        projects: new Map(projects.readAll(kept.map((one) => one.memory)).map((one) => [one.key, one])),
        pagings: new Map(of("paging").map(({ key, value }) => [key as ProjectId, pagings.read(value)])),
        openLists: new Map(of("open-list").map(({ key, value }) => [key as ProjectId, value])),
        repositories: new Map(known.map((one) => [one.id, toRepository(one)])),
        names: readNames(known),
        projectFields: new Map(fields.readAll(textsOf("project-field")).map((one) => [one.key, one])),
        sizes: sizes.readAll(textsOf("size")),
        categories: new Map(categories.readAll(textsOf("categories")).map((one) => [one.project, one])),
        tools: new Map(tools.readAll(textsOf("tool")).map((one) => [one.name, one])),
      };
    },
    changes: {
      "remember-account": ({ account }) => write("account", "tracker", accounts.write(account)),
      *"remember-project"({ memory: one }) {
        const project = yield* numbers.project(one.id);
        const { key, name, lastSuccessAt } = one;
        yield* run`DELETE FROM projects WHERE project = ${project} AND key <> ${key}`;
        const line = { key, project, name, lastSuccessAt, memory: projects.write(one) };
        yield* upsert("projects", ["key"], line);
      },
      "remember-paging": ({ project, paging }) => write("paging", project, pagings.write(paging)),
      "remember-open-list": ({ project, place }) =>
        place === undefined
          ? run`DELETE FROM memory WHERE kind = 'open-list' AND key = ${project}`
          : write("open-list", project, place),
      *"remember-repository"({ memory: given, from }) {
        const { id } = given.repository;
        const stored = (yield* get<{ memory: string }>`SELECT memory FROM repositories WHERE id = ${id}`)
          ?.memory;
        const base = from ?? held.repositoryById(id);
        const isKnown = stored !== undefined && base !== undefined;
        const one = isKnown ? rebaseRepository(given, base, repositories.read(stored)) : given;
        // Another repository that goes by that name goes by it no more.
        for (const name of namesOf(one))
          yield* run`UPDATE repositories SET name = NULL WHERE name = ${name} AND id <> ${id}`;
        yield* upsert("repositories", ["id"], {
          id,
          name: one.name.toLowerCase(),
          currentName: one.repository.name,
          pausedAt: one.pausedAt,
          memory: repositories.write(one),
        });
      },
      "remember-project-field": ({ field }) => write("project-field", field.key, fields.write(field)),
      *"remember-sizes"({ sizes: all }) {
        yield* run`DELETE FROM memory WHERE kind = 'size'`;
        for (const one of all) yield* write("size", one.name, sizes.write(one));
      },
      "remember-categories": ({ memory: one }) => write("categories", one.project, categories.write(one)),
      "remember-tool": ({ tool }) => write("tool", tool.name, tools.write(tool)),
    },
  } satisfies { read(): Asked<Remembering> } & Carrying;
}

/** A repository whose name in the config means another one by now is known by the tracker's name. */
function toRepository({ name, currentName, memory: json }: RepositoryColumns): RepositoryMemory {
  const found = repositories.read(json);
  return name === undefined ? { ...found, name: currentName } : found;
}

/** Which repository each name of the config, in lower case, means. */
function readNames(known: readonly RepositoryColumns[]): Remembering["names"] {
  const others = known.flatMap((one) =>
    namesOf(toRepository(one))
      .slice(1)
      .map((name) => [name, one.id] as const),
  );
  const main = known.flatMap(({ name, id }) => (name === undefined ? [] : [[name, id] as const]));
  return new Map([...others, ...main]);
}
