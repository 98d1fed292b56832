import { createLabel, createMilestone, findLabel, findType } from "./changes.ts";
import {
  findRepository,
  type GitHubState,
  nextId,
  person,
  type StoredLabel,
  type StoredMilestone,
  type StoredRepository,
  type StoredType,
} from "./state.ts";

/** `owner/name`; a former name finds the repository too. */
export type RepositoryName = string;

/** A repository as a test or the demo wants it. */
export interface RepositorySetup {
  readonly name: RepositoryName;
  /** False without it. */
  readonly private?: boolean;
  /** True without it. */
  readonly hasIssues?: boolean;
  /** False without it. */
  readonly archived?: boolean;
  /** Whether the sandbox's own account may push; true without it. */
  readonly canPush?: boolean;
  /** False hides it from every token: 404. True without it. */
  readonly visible?: boolean;
  readonly labels?: readonly string[];
  readonly milestones?: readonly (string | MilestoneSetup)[];
  /** Logins that may push and be assigned, besides the sandbox's account; `octocat` without it. */
  readonly collaborators?: readonly string[];
  /** Names of issue types; without it the repository belongs to no organisation. */
  readonly types?: readonly string[];
}

/** A milestone; `dueOn` is epoch ms. */
interface MilestoneSetup {
  readonly title: string;
  readonly state?: "open" | "closed";
  readonly dueOn?: number;
}

/** What owners do with repositories. A thing that isn't there throws. */
export interface SandboxOwners {
  /** Answers the new repository's numeric id. */
  addRepository(setup: RepositorySetup): number;
  /** The old name redirects until another repository takes it. */
  renameRepository(name: RepositoryName, to: RepositoryName): void;
  /** Every repository of the owner gets a new name with the same rest; the old ones redirect. */
  renameOwner(owner: string, to: string): void;
  /** The repository is gone, and with it every path of it: 404. */
  deleteRepository(name: RepositoryName): void;
  archive(name: RepositoryName, isArchived?: boolean): void;
  setPrivate(name: RepositoryName, isPrivate?: boolean): void;
  /** Hides the repository from every token, or shows it. */
  setVisible(name: RepositoryName, isVisible: boolean): void;
  disableIssues(name: RepositoryName): void;
  enableIssues(name: RepositoryName): void;
  /** Gives push access, which is also what makes a login assignable, or takes it. */
  setPush(name: RepositoryName, canPush: boolean, login?: string): void;
  addLabel(name: RepositoryName, label: string): void;
  renameLabel(name: RepositoryName, label: string, to: string): void;
  /** Takes a label off every issue, which moves no time of theirs. */
  deleteLabel(name: RepositoryName, label: string): void;
  addMilestone(name: RepositoryName, setup: string | MilestoneSetup): number;
  closeMilestone(name: RepositoryName, title: string): void;
  reopenMilestone(name: RepositoryName, title: string): void;
  renameMilestone(name: RepositoryName, title: string, to: string): void;
  /** Takes a milestone off every issue, which moves no time of theirs. */
  deleteMilestone(name: RepositoryName, title: string): void;
  /** Types are their organisation's: what happens to one happens in every repository of the owner that has types. */
  addType(name: RepositoryName, type: string): void;
  renameType(name: RepositoryName, type: string, to: string): void;
  /** Takes a type off every issue, which moves no time of theirs. */
  deleteType(name: RepositoryName, type: string): void;
  /** Names of the repository's labels. */
  labels(name: RepositoryName): readonly string[];
}

/** The hands of owners on a state. */
export function createOwners(state: GitHubState, account: string): SandboxOwners {
  const named = (name: RepositoryName): StoredRepository => repositoryNamed(state, name);

  function rename(repository: StoredRepository, to: RepositoryName): void {
    repository.name = to;
    state.names.set(to.toLowerCase(), repository.id);
  }

  function addMilestone(repository: StoredRepository, setup: string | MilestoneSetup): number {
    const milestone = typeof setup === "string" ? { title: setup } : setup;
    return createMilestone(state, repository, { ...milestone, creator: account }).number;
  }

  function labelOf(name: RepositoryName, label: string): StoredLabel {
    const found = findLabel(named(name), label);
    if (found === undefined) throw new Error(`The sandbox has no label "${label}" in ${name}.`);
    return found;
  }

  function changeMilestone(name: RepositoryName, title: string, change: Partial<StoredMilestone>): void {
    const repository = named(name);
    const milestone = findMilestone(repository, title);
    const updatedAt = state.clock.now();
    repository.milestones.set(milestone.number, { ...milestone, ...change, updatedAt });
  }

  function changeTypes(
    name: RepositoryName,
    change: (types: readonly StoredType[]) => readonly StoredType[],
  ): void {
    const [owner] = named(name).name.split("/");
    for (const repository of state.repositories.values()) {
      const isOfOwner = repository.name.split("/")[0] === owner;
      if (isOfOwner && repository.types !== undefined) repository.types = change(repository.types);
    }
  }

  return {
    addRepository(setup) {
      const repository = createRepository(state, setup, account);
      for (const label of setup.labels ?? []) createLabel(state, repository, { name: label });
      for (const milestone of setup.milestones ?? []) addMilestone(repository, milestone);
      return repository.id;
    },
    renameRepository: (name, to) => rename(named(name), to),
    renameOwner(owner, to) {
      for (const repository of state.repositories.values()) {
        const [first, rest] = repository.name.split("/");
        if (first?.toLowerCase() === owner.toLowerCase()) rename(repository, `${to}/${rest}`);
      }
    },
    deleteRepository(name) {
      const { id } = named(name);
      state.repositories.delete(id);
    },
    archive(name, isArchived = true) {
      named(name).isArchived = isArchived;
    },
    setPrivate(name, isPrivate = true) {
      named(name).isPrivate = isPrivate;
    },
    setVisible(name, isVisible) {
      named(name).isVisible = isVisible;
    },
    disableIssues(name) {
      named(name).hasIssues = false;
    },
    enableIssues(name) {
      named(name).hasIssues = true;
    },
    setPush(name, canPush, login = account) {
      const { collaborators } = named(name);
      if (canPush) collaborators.add(login);
      else collaborators.delete(login);
    },
    addLabel(name, label) {
      createLabel(state, named(name), { name: label });
    },
    renameLabel(name, label, to) {
      const found = labelOf(name, label);
      named(name).labels.set(found.id, { ...found, name: to });
    },
    deleteLabel(name, label) {
      named(name).labels.delete(labelOf(name, label).id);
    },
    addMilestone: (name, setup) => addMilestone(named(name), setup),
    closeMilestone(name, title) {
      changeMilestone(name, title, { state: "closed", closedAt: state.clock.now() });
    },
    reopenMilestone(name, title) {
      changeMilestone(name, title, { state: "open", closedAt: null });
    },
    renameMilestone(name, title, to) {
      changeMilestone(name, title, { title: to });
    },
    deleteMilestone(name, title) {
      const repository = named(name);
      repository.milestones.delete(findMilestone(repository, title).number);
    },
    addType(name, type) {
      const used = [...state.repositories.values()].flatMap(({ types = [] }) => types.map(({ id }) => id));
      changeTypes(name, (types) => [...types, { id: Math.max(0, ...used) + 1, name: type }]);
    },
    renameType(name, type, to) {
      const { id } = typeNamed(named(name), type);
      changeTypes(name, (types) => types.map((one) => (one.id === id ? { id, name: to } : one)));
    },
    deleteType(name, type) {
      const { id } = typeNamed(named(name), type);
      changeTypes(name, (types) => types.filter((one) => one.id !== id));
    },
    labels: (name) => [...named(name).labels.values()].map((label) => label.name),
  };
}

function createRepository(state: GitHubState, setup: RepositorySetup, account: string): StoredRepository {
  const id = nextId(state);
  const repository: StoredRepository = {
    id,
    createdAt: state.clock.now(),
    name: setup.name,
    isPrivate: setup.private ?? false,
    hasIssues: setup.hasIssues ?? true,
    isArchived: setup.archived ?? false,
    isVisible: setup.visible ?? true,
    collaborators: new Set(setup.collaborators ?? [person]),
    types: setup.types?.map((type, index) => ({ id: index + 1, name: type })),
    labels: new Map(),
    milestones: new Map(),
    lastMilestone: 0,
    issues: new Map(),
    versions: 0,
    listedAt: 0,
    lastList: undefined,
  };
  if (setup.canPush ?? true) repository.collaborators.add(account);
  state.repositories.set(id, repository);
  state.names.set(setup.name.toLowerCase(), id);
  return repository;
}

/** The repository of that name, former names included; it throws for an unknown one. */
export function repositoryNamed(state: GitHubState, name: RepositoryName): StoredRepository {
  const repository = findRepository(state, name);
  if (repository === undefined) throw new Error(`The sandbox has no repository ${name}.`);
  return repository;
}

/** The milestone of that title; it throws for an unknown one. */
export function findMilestone(repository: StoredRepository, title: string): StoredMilestone {
  const milestone = [...repository.milestones.values()].find((one) => one.title === title);
  if (milestone === undefined) {
    throw new Error(`The sandbox has no milestone "${title}" in ${repository.name}.`);
  }
  return milestone;
}

/** The issue type of that name; it throws for an unknown one. */
export function typeNamed(repository: StoredRepository, name: string): StoredType {
  const type = findType(repository, name);
  if (type === undefined) throw new Error(`The sandbox has no type "${name}" in ${repository.name}.`);
  return type;
}
