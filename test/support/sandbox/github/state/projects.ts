import { type IssuePlace, issueAt } from "./signals.ts";
import {
  type GitHubState,
  nextId,
  type StoredField,
  type StoredItem,
  type StoredOption,
  type StoredProject,
} from "./state.ts";

/** A project by its owner's login and its number. */
export interface ProjectPlace {
  readonly owner: string;
  readonly number: number;
}

/** What people do with projects. A thing that isn't there throws, and no issue's `updated_at` moves. */
export interface SandboxProjects {
  /** Makes a project with single-select fields, options by field, and a text field `Title`. */
  addProject(place: ProjectPlace, fields: Readonly<Record<string, readonly string[]>>): void;
  addToProject(place: ProjectPlace, issue: IssuePlace): void;
  removeFromProject(place: ProjectPlace, issue: IssuePlace): void;
  archiveItem(place: ProjectPlace, issue: IssuePlace): void;
  /** Chooses an option by its name, in `Status` unless another field is named; null takes it off. */
  setProjectStatus(place: ProjectPlace, issue: IssuePlace, option: string | null, field?: string): void;
  /** The option keeps its id. */
  renameOption(place: ProjectPlace, field: string, option: string, to: string): void;
  /** Issues that show it show nothing then. */
  deleteOption(place: ProjectPlace, field: string, option: string): void;
  /** The field keeps its id. */
  renameField(place: ProjectPlace, field: string, to: string): void;
  /** Adds a single-select field. */
  addField(place: ProjectPlace, field: string, options: readonly string[]): void;
  deleteField(place: ProjectPlace, field: string): void;
  closeProject(place: ProjectPlace): void;
  /** What tokens see of a project: all, nothing at all without a word, or its items as redacted ones. */
  setProjectSight(place: ProjectPlace, sight: StoredProject["sight"]): void;
}

/** The hands of people on projects. */
export function createProjects(state: GitHubState): SandboxProjects {
  const { projects } = state.signals;
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

  function find({ owner, number }: ProjectPlace): StoredProject {
    const found = projects.find((project) => project.number === number && isSame(project.owner, owner));
    if (found === undefined) throw new Error(`The sandbox has no project ${owner}/${number}.`);
    return found;
  }

  function fieldOf(place: ProjectPlace, name: string): StoredField {
    const found = find(place).fields.find((field) => isSame(field.name, name));
    if (found === undefined) throw new Error(`The sandbox's project has no field "${name}".`);
    return found;
  }

  function optionOf({ options = [] }: StoredField, name: string): StoredOption {
    const found = options.find((option) => option.name === name);
    if (found === undefined) throw new Error(`The sandbox's project has no option "${name}".`);
    return found;
  }

  function itemOf(place: ProjectPlace, issue: IssuePlace): StoredItem {
    const [, { id }] = issueAt(state, issue);
    const found = find(place).items.find(({ issueId }) => issueId === id);
    if (found === undefined) throw new Error(`${issue.repository}#${issue.number} is not in the project.`);
    return found;
  }

  function makeField(name: string, options: readonly string[]): StoredField {
    return {
      id: `PVTSSF_${nextId(state)}`,
      name,
      options: options.map((option) => ({ id: nextId(state).toString(16), name: option })),
    };
  }

  return {
    addProject({ owner, number }, fields) {
      const made = Object.entries(fields).map(([name, options]) => makeField(name, options));
      projects.push({
        id: `PVT_${nextId(state)}`,
        owner,
        number,
        isClosed: false,
        sight: "full",
        fields: [{ id: `PVTF_${nextId(state)}`, name: "Title", options: undefined }, ...made],
        items: [],
      });
    },
    addToProject(place, issue) {
      const [, { id }] = issueAt(state, issue);
      const { items } = find(place);
      if (items.some(({ issueId }) => issueId === id)) return;
      items.push({ id: `PVTI_${nextId(state)}`, issueId: id, isArchived: false, values: new Map() });
    },
    removeFromProject(place, issue) {
      const { items } = find(place);
      items.splice(items.indexOf(itemOf(place, issue)), 1);
    },
    archiveItem(place, issue) {
      itemOf(place, issue).isArchived = true;
    },
    setProjectStatus(place, issue, option, field = "Status") {
      const found = fieldOf(place, field);
      const { values } = itemOf(place, issue);
      if (option === null) values.delete(found.id);
      else values.set(found.id, optionOf(found, option).id);
    },
    renameOption(place, field, option, to) {
      const found = fieldOf(place, field);
      const { id } = optionOf(found, option);
      found.options = found.options?.map((one) => (one.id === id ? { id, name: to } : one));
    },
    deleteOption(place, field, option) {
      const found = fieldOf(place, field);
      const { id } = optionOf(found, option);
      found.options = found.options?.filter((one) => one.id !== id);
      for (const { values } of find(place).items) if (values.get(found.id) === id) values.delete(found.id);
    },
    renameField(place, field, to) {
      fieldOf(place, field).name = to;
    },
    addField(place, field, options) {
      const project = find(place);
      project.fields = [...project.fields, makeField(field, options)];
    },
    deleteField(place, field) {
      const project = find(place);
      const found = fieldOf(place, field);
      project.fields = project.fields.filter((one) => one !== found);
    },
    closeProject(place) {
      find(place).isClosed = true;
    },
    setProjectSight(place, sight) {
      find(place).sight = sight;
    },
  };
}
