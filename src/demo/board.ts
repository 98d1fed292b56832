import { type DemoAnswer, type DemoRequest, type ServeOptions, serve } from "./loopback.ts";
import { answerTools, type DemoEntry } from "./tools.ts";

/** A post as the board keeps and shows it. */
export interface DemoPost {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly categoryId: string | null;
  readonly internalNote: string | null;
  readonly isArchived: boolean;
  readonly isReviewed: boolean;
  readonly onRoadmap: boolean;
  readonly roadmapColumn: string | null;
  readonly roadmapOrder: number | null;
  readonly roadmapPublic: boolean;
  readonly votes: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What somebody posts. */
export type PostStart = Pick<DemoPost, "title" | "description" | "status" | "votes"> & Partial<DemoPost>;

/** A project with no post yet. */
export interface DemoProject {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

/** How the board starts. */
export interface DemoBoardOptions extends Omit<ServeOptions, "answer"> {
  readonly projects: readonly DemoProject[];
  readonly key: string;
}

const basePath = "/api/v1";

/** Starts a feedback board on 127.0.0.1 that does what the board's API document says: it lists posts, takes PATCHes, and has tools of its own. */
export async function startDemoBoard({ projects, key, now, port }: DemoBoardOptions) {
  const shelves = new Map(projects.map(({ slug }) => [slug, new Map<string, DemoPost>()]));
  const notifications: { project: string; post: string; from: string; to: string; voters: number }[] = [];
  const time = () => new Date(now()).toISOString();
  const shelfOf = (slug: string) => shelves.get(slug) ?? new Map<string, DemoPost>();
  const entries = new Map<string, DemoEntry>();
  let added = 0;
  const addTo = (shelf: Map<string, DemoPost>, start: PostStart): DemoPost => {
    added += 1;
    const id = `p${added}`;
    const post = { ...blank, ...start, id, createdAt: time(), updatedAt: time() };
    shelf.set(id, post);
    return post;
  };

  const change = (project: DemoProject, post: DemoPost, fields: Partial<DemoPost>): DemoPost => {
    const next = { ...post, ...fields, updatedAt: time() };
    shelfOf(project.slug).set(post.id, next);
    const [from, to, voters] = [post.status, next.status, post.votes];
    if (from !== to) notifications.push({ project: project.id, post: post.id, from, to, voters });
    return next;
  };

  const find = (named: string) => projects.find(({ id, slug }) => id === named || slug === named);
  const answer = (request: DemoRequest): DemoAnswer => {
    const { method, path, query, headers, body } = request;
    if (headers.authorization !== `Bearer ${key}`) return refuse(401, "The API key is missing or wrong.");
    const asked = `${method} ${path.replace(/\/$/, "")}`;
    if (path === "/api/mcp") {
      const addPost = (named: string, start: PostStart): DemoPost | undefined => {
        const project = find(named);
        return project && showPost(addTo(shelfOf(project.slug), start));
      };
      return answerTools(request, { addPost, entries });
    }
    if (asked === `GET ${basePath}`) return { status: 200, body: { ok: true } };
    if (asked === `GET ${basePath}/projects`) return { status: 200, body: { projects: projects.map(show) } };
    const [, id] = /^PATCH \/api\/v1\/feedback\/([^/]+)$/.exec(asked) ?? [];
    if (id === undefined && asked !== `GET ${basePath}/feedback`)
      return refuse(404, "There is nothing here.");

    const named = query.get("project") ?? body["project"];
    if (typeof named !== "string" || named === "") return refuse(400, "The project is missing.");
    const project = find(named);
    if (project === undefined) return refuse(404, "There is no such project, or the key may not see it.");
    const shelf = shelfOf(project.slug);
    if (id === undefined) {
      const feedback = [...shelf.values()].map((post) => showPost(post));
      return { status: 200, body: { feedback, nextCursor: null } };
    }
    const post = shelf.get(id);
    if (post === undefined) return refuse(404, "There is no such post in this project.");
    const { project: _, ...fields } = body;
    return refuseFields(fields) ?? { status: 200, body: showPost(change(project, post, fields)) };
  };
  const show = ({ id, slug, name }: DemoProject) => ({
    id,
    slug,
    name,
    description: "",
    primaryColor: "#336699",
    createdAt: time(),
    updatedAt: time(),
  });

  const { origin, close } = await serve({ now, port, answer });
  const showPost = (post: DemoPost) => ({ ...post, url: `${origin}/p/${post.id}` });
  return {
    /** Base address, ending with `/api/v1`. */
    url: `${origin}${basePath}`,
    key,
    /** Every change of status that its post's voters were mailed of, and how many they were, oldest first; `project` is its id. */
    notifications,
    /** Of the changelog, by id. */
    entries,
    /** Adds a post as a person would, and returns its id. The project is named by its slug. */
    addPost: (project: string, start: PostStart): string => addTo(shelfOf(project), start).id,
    post: (project: string, id: string) => shelfOf(project).get(id),
    /** Oldest first. */
    posts: (project: string): readonly DemoPost[] => [...shelfOf(project).values()],
    close,
  };
}

const blank = {
  categoryId: null,
  internalNote: null,
  isArchived: false,
  isReviewed: true,
  onRoadmap: false,
  roadmapColumn: null,
  roadmapOrder: null,
  roadmapPublic: false,
};

/** What a PATCH may change, and the values it takes. */
const writable: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  categoryId: (value) => value === null || isText(value),
  status: isText,
  internalNote: (value) => value === null || isText(value),
  isArchived: isFlag,
  isReviewed: isFlag,
  onRoadmap: isFlag,
  roadmapColumn: (value) => ["PLANNED", "IN_PROGRESS", "COMPLETED"].some((column) => column === value),
  roadmapOrder: (value) => typeof value === "number",
  roadmapPublic: isFlag,
};

/** The refusal of fields that can't be written, or not so. */
function refuseFields(fields: DemoRequest["body"]): DemoAnswer | undefined {
  for (const [name, value] of Object.entries(fields)) {
    const accepts = Object.hasOwn(writable, name) ? writable[name] : undefined;
    if (accepts === undefined) return refuse(400, `The field ${name} can't be written.`);
    if (!accepts(value)) return refuse(422, `The field ${name} has a value that is not allowed.`);
  }
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function refuse(status: number, message: string): DemoAnswer {
  return { status, body: { error: { message } } };
}
