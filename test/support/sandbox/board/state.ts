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
  /** How many voters were notified. */
  readonly voters: number;
}

/** What may be given to a post or changed of it. */
export type PostFields = Partial<Omit<SandboxPost, "id">>;

/** The posts of the sandbox board and what happened to them; knows nothing of HTTP. A post that isn't there throws. */
export interface BoardState {
  readonly projects: readonly Required<SandboxProject>[];
  readonly notifications: readonly SandboxNotification[];
  /** The project with that id or slug. */
  findProject(name: string): Required<SandboxProject> | undefined;
  addPost(project: string, fields?: PostFields): string;
  /** What a person does in the dashboard. */
  editPost(project: string, post: string, fields: PostFields): void;
  /** Whether a PATCH is refused for a status that the board does not know. */
  refuses(fields: PostFields): boolean;
  /** What a PATCH does that is not refused. */
  patchPost(project: string, post: string, fields: PostFields): void;
  removePost(project: string, post: string): void;
  /** Brings a post back that was removed. */
  restorePost(project: string, post: string): void;
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
  const removed = new Map<string, SandboxPost>();
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
  const editPost = (name: string, id: string, fields: PostFields): void => {
    const { project, shelf } = shelfOf(name);
    const post = shelf.get(id);
    if (post === undefined) throw new Error(`The sandbox has no post ${id}.`);
    const next = change(post, fields, options.style());
    shelf.set(id, { ...next, updatedAt: fields.updatedAt ?? time() });
    if (next.status === post.status) return;
    const [from, to, voters] = [post.status, next.status, post.votes];
    notifications.push({ project: project.id, post: id, from, to, voters });
  };
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
    editPost,
    refuses({ status }) {
      const { refusedStatus } = options.style();
      return refusedStatus !== undefined && status === refusedStatus;
    },
    patchPost(name, id, fields) {
      const { ignored } = options.style();
      const taken = Object.entries(fields).filter(([field]) => !ignored.includes(field));
      editPost(name, id, Object.fromEntries(taken));
    },
    removePost(name, id) {
      const { shelf } = shelfOf(name);
      const post = shelf.get(id);
      if (post !== undefined) removed.set(id, post);
      shelf.delete(id);
    },
    restorePost(name, id) {
      const post = removed.get(id);
      if (post === undefined) throw new Error(`Nobody removed ${id} from the sandbox.`);
      shelfOf(name).shelf.set(id, post);
    },
    post(name, id) {
      const post = shelfOf(name).shelf.get(id);
      return post === undefined ? undefined : { ...post };
    },
    posts: (name) => [...shelfOf(name).shelf.values()].map((post) => ({ ...post })),
  };
}

/** Applies fields the way the board does: it spells the status its own way, and a new status may bring its column along. */
function change(post: SandboxPost, fields: PostFields, style: BoardStyle): SandboxPost {
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
