import { z } from "zod";
import type { RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { PagingWay } from "../../../model/page.ts";
import type { ProjectId } from "../../../model/post.ts";
import { namesOf, type OfMemory, type Remembering, rebaseRepository } from "../../held-memory.ts";
import type {
  AccountMemory,
  CategoriesMemory,
  Memory,
  PagingMemory,
  ProjectFieldMemory,
  ProjectMemory,
  RepositoryMemory,
  SizeMemory,
  ToolMemory,
} from "../../memory.ts";
import { check, later, parse } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import {
  milestoneShape,
  namedShape,
  projectFieldShape,
  refusedShape,
  seenShape,
  wayShape,
} from "../columns/shapes.ts";
import { upsert } from "../schema.ts";
import type { Asked, Store } from "../store.ts";

const time = z.number().optional();
const text = z.string().optional();

/** Each thing that is remembered is one JSON text; what is missing in it is undefined. */
function memory<T>(place: string, make: () => Record<keyof T, z.ZodType>) {
  const shape = later(() => z.object(make()) as z.ZodType<unknown> as z.ZodType<T>);
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

const accounts = memory<AccountMemory>("memory.value", () => ({
  login: z.string(),
  former: z.array(z.string()).exactOptional(),
  since: z.number().exactOptional(),
  checkedAt: z.number(),
}));
const pagings = memory<PagingMemory>("memory.value", () => ({
  way: wayShape().optional() as z.ZodType<PagingWay | undefined>,
  posts: z.string().nullable(),
  askedAt: z.number(),
}));
const fields = memory<ProjectFieldMemory>(
  "memory.value",
  () =>
    ({
      ...(projectFieldShape() as unknown as z.ZodObject).shape,
      lost: z.array(z.string()).exactOptional(),
      checkedAt: z.number(),
    }) as never,
);
const sizes = memory<SizeMemory>("memory.value", () => ({
  name: z.string(),
  size: z.number(),
  until: z.number(),
}));
const tools = memory<ToolMemory>("memory.value", () => ({ name: z.string(), print: z.string() }));
const categories = memory<CategoriesMemory>("memory.value", () => ({
  project: z.string(),
  categories: z.array(z.object({ id: z.string(), name: z.string() })),
  pins: z.array(z.object({ word: z.string(), id: z.string() })),
  listedAt: time,
  isUnlisted: z.literal(true).exactOptional(),
}));
const projects = memory<ProjectMemory>("projects.memory", () => ({
  key: z.string(),
  id: z.string(),
  name: z.string(),
  checkedAt: z.number(),
  settingsPrint: text,
  rules: z.string().refine(areRules).optional(),
  meanings: z.string().refine(areMeanings).optional(),
  seen: seenShape(),
  fullAt: time,
  lastSuccessAt: time,
  rebuildStamp: time,
  recoveredFrom: time,
  settledAt: time,
  doneAt: time,
  signalsFrom: z.object({ repositoryId: z.number(), number: z.number() }).optional(),
  turnAt: time,
  acceptedPublic: z.array(z.object({ repositoryId: z.number(), since: z.number() })).optional(),
  changelog: z
    .object({
      repository: z.number(),
      copiedAt: time,
      etag: text,
      etagBy: text,
      publishing: text,
      noted: z.array(z.string()),
      notedIds: z.array(z.number()).optional(),
      unripe: z.array(z.number()).optional(),
      entries: z.array(
        z.object({
          ...{ tag: z.string(), print: z.string(), title: z.string(), shown: text, posts: z.number() },
          release: z.number().optional(),
          there: z.array(z.string()).optional(),
          held: text,
          isGone: z.boolean().optional(),
        }),
      ),
    })
    .optional(),
}));
const repositories = memory<RepositoryMemory>("repositories.memory", () => ({
  name: z.string(),
  otherNames: z.array(z.string()).optional(),
  server: text,
  repository: z.object({
    id: z.number(),
    name: z.string(),
    hasIssues: z.boolean(),
    isArchived: z.boolean(),
    isPrivate: z.boolean(),
    canPush: z.boolean(),
  }),
  checkedAt: z.number(),
  labels: z.array(namedShape()),
  milestones: z.array(milestoneShape()),
  labelsEtag: text,
  milestonesEtag: text,
  types: z.array(namedShape()),
  typesEtag: text,
  refused: refusedShape(),
  etag: text,
  cursor: text,
  scannedAt: time,
  scannedFor: z.array(z.string()),
  namedAt: time,
  recoveredAt: time,
  fullAt: time,
  publicSince: time,
  pausedAt: time,
}));

/** The plan reads them, as the version that has written them did; before there was a text there was a hash. */
function areRules(rules: string): boolean {
  return !rules.startsWith("{") || ruleShape().safeParse(parse("projects.memory", rules)).success;
}

const ruleShape = later(() =>
  z.looseObject({ rules: z.array(z.looseObject({})), several: z.string(), whenNoRule: z.string() }),
);

function areMeanings(meanings: string): boolean {
  return meaningsShape().safeParse(parse("projects.memory", meanings)).success;
}

const meaningsShape = later(() =>
  z.object({
    fields: z.record(z.string(), z.string()),
    words: z.record(z.string(), z.string().nullable()),
  }),
);

type MemoryKind = "account" | "paging" | "open-list" | "project-field" | "size" | "tool" | "categories";

interface RepositoryColumns {
  id: RepositoryId;
  name: string | null;
  current_name: RepositoryName;
  paused_at: number | null;
  memory: string;
}

/** Accounts, projects and repositories: what is asked for once; and when to ask again. `held` is what the process knows of them. */
export function createMemory(
  store: Store,
  numbers: Numbers,
  held: Pick<Memory, "repositoryById">,
): { read(): Asked<Remembering> } & Carrying<OfMemory["kind"]> {
  const select = store.prepare<[], { kind: MemoryKind; key: string; value: string }>(
    "SELECT kind, key, value FROM memory ORDER BY kind, key",
  );
  const write = store.prepare<[MemoryKind, string, string]>(`
    INSERT INTO memory (kind, key, value) VALUES (?, ?, ?)
    ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`);
  const remove = store.prepare<[MemoryKind, string]>("DELETE FROM memory WHERE kind = ? AND key = ?");
  const removeAll = store.prepare<[MemoryKind]>("DELETE FROM memory WHERE kind = ?");
  const forgetNames = store.prepare<[number, string]>("DELETE FROM projects WHERE project = ? AND key <> ?");
  const selectProjects = store.prepare<[], { memory: string }>("SELECT memory FROM projects ORDER BY key");
  const writeProject = store.prepare<
    [{ key: string; project: number; name: string; last_success_at: number | undefined; memory: string }]
  >(upsert("projects", ["key"]));
  const selectRepositories = store.prepare<[], RepositoryColumns>(
    "SELECT id, name, current_name, paused_at, memory FROM repositories ORDER BY id",
  );
  const selectRepository = store.prepare<[number], { memory: string }>(
    "SELECT memory FROM repositories WHERE id = ?",
  );
  // Another repository that goes by that name goes by it no more.
  const takeName = store.prepare<[string, number]>(
    "UPDATE repositories SET name = NULL WHERE name = ? AND id <> ?",
  );
  const writeRepository = store.prepare<[RepositoryColumns]>(upsert("repositories", ["id"]));
  return {
    *read() {
      const [few, known, kept] = yield* store.together([
        select.all(),
        selectRepositories.all(),
        selectProjects.all(),
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
      "remember-account": ({ account }) => write.run("account", "tracker", accounts.write(account)),
      *"remember-project"({ memory: one }) {
        const project = yield* numbers.project(one.id);
        yield* forgetNames.run(project, one.key);
        yield* writeProject.run({
          key: one.key,
          project,
          name: one.name,
          last_success_at: one.lastSuccessAt,
          memory: projects.write(one),
        });
      },
      "remember-paging": ({ project, paging }) => write.run("paging", project, pagings.write(paging)),
      "remember-open-list": ({ project, place }) =>
        place === undefined ? remove.run("open-list", project) : write.run("open-list", project, place),
      *"remember-repository"({ memory: given, from }) {
        const { id } = given.repository;
        const stored = (yield* selectRepository.get(id))?.memory;
        const base = from ?? held.repositoryById(id);
        const isKnown = stored !== undefined && base !== undefined;
        const one = isKnown ? rebaseRepository(given, base, repositories.read(stored)) : given;
        for (const name of namesOf(one)) yield* takeName.run(name, id);
        yield* writeRepository.run({
          id,
          name: one.name.toLowerCase(),
          current_name: one.repository.name,
          paused_at: one.pausedAt ?? null,
          memory: repositories.write(one),
        });
      },
      "remember-project-field": ({ field }) => write.run("project-field", field.key, fields.write(field)),
      *"remember-sizes"({ sizes: all }) {
        yield* removeAll.run("size");
        for (const one of all) yield* write.run("size", one.name, sizes.write(one));
      },
      "remember-categories": ({ memory: one }) => write.run("categories", one.project, categories.write(one)),
      "remember-tool": ({ tool }) => write.run("tool", tool.name, tools.write(tool)),
    },
  };
}

/** A repository whose name in the config means another one by now is known by the tracker's name. */
function toRepository({ name, current_name, memory: json }: RepositoryColumns): RepositoryMemory {
  const found = repositories.read(json);
  return name === null ? { ...found, name: current_name } : found;
}

/** Which repository each name of the config, in lower case, means. */
function readNames(known: readonly RepositoryColumns[]): Remembering["names"] {
  const others = known.flatMap((one) =>
    namesOf(toRepository(one))
      .slice(1)
      .map((name) => [name, one.id] as const),
  );
  const main = known.flatMap(({ name, id }) => (name === null ? [] : [[name, id] as const]));
  return new Map([...others, ...main]);
}
