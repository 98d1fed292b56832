import type { ProjectFieldKey, RepositoryId } from "../model/issue.ts";
import type { ProjectId } from "../model/post.ts";
import type { Change } from "./change.ts";
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
} from "./memory.ts";

/** All that is remembered, by what it is asked for. */
export type Remembering = ReturnType<typeof nothing>;

function nothing() {
  return {
    account: undefined as AccountMemory | undefined,
    projects: new Map<string, ProjectMemory>(),
    pagings: new Map<ProjectId, PagingMemory>(),
    openLists: new Map<ProjectId, string>(),
    repositories: new Map<RepositoryId, RepositoryMemory>(),
    /** Which repository each name of the config, in lower case, means; one that has lost its name is known by its id alone. */
    names: new Map<string, RepositoryId>(),
    projectFields: new Map<ProjectFieldKey, ProjectFieldMemory>(),
    sizes: [] as readonly SizeMemory[],
    tools: new Map<string, ToolMemory>(),
    categories: new Map<ProjectId, CategoriesMemory>(),
  };
}

/** A memory that is held in the process, the same for every kind of state. */
export interface HeldMemory extends Memory {
  /** What is read replaces all that is held. */
  hold(read: Remembering): void;
  /** This has been committed. What is none of the memory is passed over. */
  learn(change: Change): void;
  /** The memory as these changes would leave it. */
  after(changes: readonly Change[]): Memory;
}

/** Holds nothing, until it is told what. */
export function createHeldMemory(known = nothing()): HeldMemory {
  return {
    account: () => known.account,
    project: (key) => known.projects.get(key),
    projectById: (id) => [...known.projects.values()].find((one) => one.id === id),
    paging: (project) => known.pagings.get(project),
    openList: (project) => known.openLists.get(project),
    repository(name) {
      const id = known.names.get(name.toLowerCase());
      return id === undefined ? undefined : known.repositories.get(id);
    },
    repositoryById: (id) => known.repositories.get(id),
    projectField: (key) => known.projectFields.get(key),
    sizes: () => known.sizes,
    tool: (name) => known.tools.get(name),
    categories: (project) => known.categories.get(project),
    hold(read) {
      known = read;
    },
    learn: (change) => learn(known, change),
    after(changes) {
      const copied = Object.entries(known).map(([name, of]) => [
        name,
        of instanceof Map ? new Map<unknown, unknown>([...of]) : of,
      ]);
      const ahead: Remembering = Object.fromEntries(copied);
      for (const one of changes) learn(ahead, one);
      return createHeldMemory(ahead);
    },
  };
}

function learn(known: Remembering, change: Change): void {
  if (isOfMemory(change)) (lessons[change.kind] as Lesson<OfMemory>)(known, change);
}

type Lesson<One extends OfMemory> = (known: Remembering, change: One) => void;

/** What each change makes of what is held. */
const lessons: { readonly [Kind in OfMemory["kind"]]: Lesson<Extract<OfMemory, { readonly kind: Kind }>> } = {
  "remember-account"(known, { account }) {
    known.account = account;
  },
  "remember-project"({ projects }, { memory }) {
    for (const [key, { id }] of projects) if (id === memory.id) projects.delete(key);
    projects.set(memory.key, memory);
  },
  "remember-paging": ({ pagings }, { project, paging }) => pagings.set(project, paging),
  "remember-open-list": ({ openLists }, { project, place }) =>
    place === undefined ? openLists.delete(project) : openLists.set(project, place),
  "remember-repository": (known, change) => learnRepository(known, toLearn(known, change)),
  "remember-project-field": ({ projectFields }, { field }) => projectFields.set(field.key, field),
  "remember-sizes"(known, { sizes }) {
    known.sizes = sizes;
  },
  "remember-categories": ({ categories }, { memory }) => categories.set(memory.project, memory),
  "remember-tool": ({ tools }, { tool }) => tools.set(tool.name, tool),
};

/** Of another process this one may have heard since. */
function toLearn(
  { repositories }: Remembering,
  { memory, from }: Extract<OfMemory, { kind: "remember-repository" }>,
): RepositoryMemory {
  const now = repositories.get(memory.repository.id);
  return from === undefined || now === undefined ? memory : rebaseRepository(memory, from, now);
}

/** What `memory` has changed of `from`, and all else as it is `now`. */
export function rebaseRepository(
  memory: RepositoryMemory,
  from: RepositoryMemory,
  now: RepositoryMemory,
): RepositoryMemory {
  if (now === from) return memory;
  const fields = Object.keys({ ...from, ...memory }) as (keyof RepositoryMemory)[];
  const changed = fields.filter((field) => JSON.stringify(memory[field]) !== JSON.stringify(from[field]));
  return { ...now, ...Object.fromEntries(changed.map((field) => [field, memory[field]])) };
}

function learnRepository({ names, repositories }: Remembering, memory: RepositoryMemory): void {
  const { id } = memory.repository;
  for (const [name, known] of names) if (known === id) names.delete(name);
  for (const name of namesOf(memory)) {
    const robbed = repositories.get(names.get(name) ?? id);
    if (robbed !== undefined) repositories.set(robbed.repository.id, withoutName(robbed, name));
    names.set(name, id);
  }
  repositories.set(id, memory);
}

/** Names of the config for a repository, in lower case. */
export function namesOf({ name, otherNames = [] }: RepositoryMemory): readonly string[] {
  return [name, ...otherNames].map((one) => one.toLowerCase());
}

/** A repository whose name in the config means another one by now is known by the tracker's name. */
function withoutName({ otherNames = [], ...memory }: RepositoryMemory, name: string): RepositoryMemory {
  const others = otherNames.filter((one) => one.toLowerCase() !== name);
  const isMain = memory.name.toLowerCase() === name;
  return {
    ...memory,
    ...(isMain && { name: memory.repository.name }),
    ...(others.length > 0 && { otherNames: others }),
  };
}

/** What changes what is remembered. */
export type OfMemory = Extract<Change, { readonly kind: `remember-${string}` }>;

/** Whether it changes what is remembered. */
export function isOfMemory(change: Change): change is OfMemory {
  return change.kind.startsWith("remember-");
}
