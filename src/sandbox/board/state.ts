import type { BoardStyle, SandboxPost } from "./style.ts";

/** A project of the board; slug and name are the id where they are left out. */
export interface SandboxProject {
  readonly id: string;
  readonly slug?: string;
  readonly name?: string;
}

/** One change of status that mailed the voters of a post. */
export interface SandboxNotification {
  /** Id of the project. */
  readonly project: string;
  readonly post: string;
  readonly from: string;
  readonly to: string;
  /** How many voters were mailed. */
  readonly voters: number;
}

/** The posts of the sandbox board and what happened to them; knows nothing of HTTP. */
export interface BoardState {
  readonly projects: readonly Required<SandboxProject>[];
  readonly notifications: readonly SandboxNotification[];
  /** The project with that id or slug. */
  findProject(name: string): Required<SandboxProject> | undefined;
  addPost(project: string, fields?: Partial<Omit<SandboxPost, "id">>): string;
  editPost(project: string, post: string, fields: Partial<Omit<SandboxPost, "id">>): void;
  removePost(project: string, post: string): void;
  post(project: string, post: string): SandboxPost | undefined;
  posts(project: string): readonly SandboxPost[];
}

export interface BoardStateOptions {
  readonly projects: readonly SandboxProject[];
  readonly now: () => number;
  readonly style: () => BoardStyle;
}

/** Makes an empty board with these projects. */
export function createBoardState(options: BoardStateOptions): BoardState {
  const projects = options.projects.map(({ id, slug = id, name = slug }) => ({ id, slug, name }));
  const shelves = new Map(projects.map(({ id }) => [id, new Map<string, SandboxPost>()]));
  const notifications: SandboxNotification[] = [];
  let added = 0;

  const findProject = (name: string) => projects.find(({ id, slug }) => id === name || slug === name);
  const shelfOf = (name: string) => {
    const project = findProject(name);
    const shelf = shelves.get(project?.id ?? "");
    if (project === undefined || shelf === undefined) throw new Error(`The sandbox has no project ${name}.`);
    return { project, shelf };
  };
  const time = () => new Date(options.now()).toISOString();
  return {
    projects,
    notifications,
    findProject,
    addPost(name, fields = {}) {
      const { shelf } = shelfOf(name);
      added += 1;
      const id = makeId(added, options.style());
      shelf.set(id, { ...freshPost(added), createdAt: time(), updatedAt: time(), ...fields, id });
      return id;
    },
    editPost(name, id, fields) {
      const { project, shelf } = shelfOf(name);
      const post = shelf.get(id);
      if (post === undefined) throw new Error(`The sandbox has no post ${id}.`);
      const next = change(post, fields, options.style());
      shelf.set(id, { ...next, updatedAt: fields.updatedAt ?? time() });
      if (next.status === post.status) return;
      const [from, to, voters] = [post.status, next.status, post.votes];
      notifications.push({ project: project.id, post: id, from, to, voters });
    },
    removePost(name, id) {
      shelfOf(name).shelf.delete(id);
    },
    post(name, id) {
      const post = shelfOf(name).shelf.get(id);
      return post === undefined ? undefined : { ...post };
    },
    posts: (name) => [...shelfOf(name).shelf.values()].map((post) => ({ ...post })),
  };
}

/** Applies fields the way the board does: it spells the status its own way, and a new status may bring its column along. */
function change(post: SandboxPost, fields: Partial<Omit<SandboxPost, "id">>, style: BoardStyle): SandboxPost {
  const next = { ...post, ...fields };
  const status = style.spellStatus(next.status);
  const column = status === post.status ? undefined : (style.columnOf[next.status] ?? style.columnOf[status]);
  return { ...next, status, roadmapColumn: fields.roadmapColumn ?? column ?? next.roadmapColumn };
}

function makeId(count: number, style: BoardStyle): string {
  if (style.idType === "text") return `p${count}`;
  return style.idType === "number"
    ? String(count)
    : `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;
}

function freshPost(count: number): Omit<SandboxPost, "id" | "createdAt" | "updatedAt"> {
  return {
    title: `Post ${count}`,
    description: `What post ${count} is about.`,
    status: "open",
    categoryId: null,
    internalNote: null,
    isArchived: false,
    isReviewed: true,
    onRoadmap: false,
    roadmapColumn: null,
    roadmapOrder: null,
    roadmapPublic: false,
    votes: 0,
    authorName: "Ada Voter",
    authorEmail: "ada.voter@example.com",
  };
}
