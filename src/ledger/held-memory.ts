import type { ProjectFieldKey, RepositoryId } from "../model/issue.ts";
import type { ProjectId } from "../model/post.ts";
import type { Change } from "./change.ts";
import type {
  CategoriesMemory,
  Memory,
  PagingMemory,
  ProjectFieldMemory,
  ProjectMemory,
  Remembering,
  RepositoryMemory,
  ToolMemory,
} from "./memory.ts";

/** A memory that is held in the process, the same for every kind of state. */
export interface HeldMemory extends Memory {
  /** What is read replaces all that is held. */
  hold(read: Remembering): void;
  /** This has been committed. What is none of the memory is passed over. */
  learn(change: Change): void;
  /** The memory as these changes would leave it. */
  after(changes: readonly Change[]): Memory;
}

/** Holds nothing yet. */
export function createHeldMemory(): HeldMemory {
  let account: Remembering["account"];
  const projects = new Map<string, ProjectMemory>();
  const pagings = new Map<ProjectId, PagingMemory>();
  const openLists = new Map<ProjectId, string>();
  const repositories = new Map<RepositoryId, RepositoryMemory>();
  const names = new Map<string, RepositoryId>();
  const fields = new Map<ProjectFieldKey, ProjectFieldMemory>();
  let sizes: Remembering["sizes"] = [];
  const tools = new Map<string, ToolMemory>();
  const categories = new Map<ProjectId, CategoriesMemory>();
  return {
    account: () => account,
    project: (key) => projects.get(key),
    paging: (project) => pagings.get(project),
    openList: (project) => openLists.get(project),
    repository(name) {
      const id = names.get(name.toLowerCase());
      return id === undefined ? undefined : repositories.get(id);
    },
    repositoryById: (id) => repositories.get(id),
    projectField: (key) => fields.get(key),
    sizes: () => sizes,
    tool: (name) => tools.get(name),
    categories: (project) => categories.get(project),
    hold(read) {
      for (const known of [projects, pagings, openLists, repositories, names, fields, tools, categories])
        known.clear();
      account = read.account;
      for (const one of read.projects) projects.set(one.key, one);
      for (const { project, paging } of read.pagings) pagings.set(project, paging);
      for (const { project, place } of read.openLists) openLists.set(project, place);
      for (const one of read.repositories) repositories.set(one.repository.id, one);
      for (const [name, id] of read.names) names.set(name.toLowerCase(), id);
      for (const one of read.projectFields) fields.set(one.key, one);
      for (const one of read.tools) tools.set(one.name, one);
      for (const one of read.categories) categories.set(one.project, one);
      ({ sizes } = read);
    },
    learn(change) {
      if (!isOfMemory(change)) return;
      switch (change.kind) {
        case "remember-account":
          account = change.account;
          return;
        case "remember-project":
          projects.set(change.memory.key, change.memory);
          return;
        case "remember-paging":
          pagings.set(change.project, change.paging);
          return;
        case "remember-open-list":
          if (change.place === undefined) openLists.delete(change.project);
          else openLists.set(change.project, change.place);
          return;
        case "remember-repository":
          learnRepository(change.memory);
          return;
        case "remember-project-field":
          fields.set(change.field.key, change.field);
          return;
        case "remember-sizes":
          ({ sizes } = change);
          return;
        case "remember-categories":
          categories.set(change.memory.project, change.memory);
          return;
        case "remember-tool":
          tools.set(change.tool.name, change.tool);
          return;
      }
    },
    after(changes) {
      const ahead = createHeldMemory();
      ahead.hold({
        account,
        projects: [...projects.values()],
        pagings: [...pagings].map(([project, paging]) => ({ project, paging })),
        openLists: [...openLists].map(([project, place]) => ({ project, place })),
        repositories: [...repositories.values()],
        names: [...names],
        projectFields: [...fields.values()],
        sizes,
        tools: [...tools.values()],
        categories: [...categories.values()],
      });
      for (const one of changes) ahead.learn(one);
      return ahead;
    },
  };

  function learnRepository(memory: RepositoryMemory): void {
    const { id } = memory.repository;
    for (const [name, known] of names) if (known === id) names.delete(name);
    const robbed = repositories.get(names.get(memory.name.toLowerCase()) ?? id);
    if (robbed !== undefined)
      repositories.set(robbed.repository.id, { ...robbed, name: robbed.repository.name });
    names.set(memory.name.toLowerCase(), id);
    repositories.set(id, memory);
  }
}

type OfMemory = Extract<Change, { readonly kind: `remember-${string}` }>;

/** Whether it changes what is remembered. */
export function isOfMemory(change: Change): change is OfMemory {
  return change.kind.startsWith("remember-");
}
