import { type SandboxBoard, startSandboxBoard } from "./board/board.ts";
import type { SandboxPost } from "./board/style.ts";
import type { AppSetup } from "./github/app/app.ts";
import { type SandboxGitHub, startSandboxGitHub } from "./github/github.ts";

/** A company of two products, and its customers' posts: what `demo` plays on. */
export interface Story {
  readonly board: SandboxBoard;
  readonly github: SandboxGitHub;
  /** The config that keeps the two in step, as a person would write it. */
  readonly config: string;
  /** The same for the first product alone. */
  readonly appConfig: string;
  /** The post that was written to do harm. */
  readonly hostilePost: string;
  close(): Promise<void>;
}

/** The first product, as the config names it. */
export const project = "acme-app";
/** Both of them. */
export const projects: readonly string[] = [project, "acme-api"];
/** Where the first one's issues are. */
export const repository = "acme/app";

/** How the story's two sides start. */
export interface StoryOptions {
  readonly now: () => number;
  /** The board's port; the GitHub gets the next one. Without it both take a free one. */
  readonly port: number | undefined;
  /** A GitHub App beside the account. */
  readonly app?: AppSetup;
}

/** Starts both sides, as they are before the first sync. */
export async function startStory({ now, port, app }: StoryOptions): Promise<Story> {
  const board = await startSandboxBoard({
    projects: [
      { id: "prj_app", slug: project, name: "Acme App" },
      { id: "prj_api", slug: "acme-api", name: "Acme API" },
    ],
    key: "demo-board-key-0123456789",
    now,
    ...(port !== undefined && { port }),
  });
  const github = await startGitHub(now, port, app).catch(async (error: unknown) => {
    await board.close();
    throw error;
  });
  for (const post of posts) board.addPost(project, dress(post));
  for (const post of apiPosts) board.addPost("acme-api", dress(post));
  return {
    board,
    github,
    config: `${configOfApp(board.url, github.url)}${configOfApi}`,
    appConfig: configOfApp(board.url, github.url),
    hostilePost: "p3",
    close: async () => {
      await board.close();
      await github.stop();
    },
  };
}

function startGitHub(
  now: () => number,
  port: number | undefined,
  app: AppSetup | undefined,
): Promise<SandboxGitHub> {
  return startSandboxGitHub({
    clock: { now },
    token: "demo-github-token-0123456789",
    login: "acme-boardsync",
    ...(app !== undefined && { app }),
    repositories: [
      { name: repository, private: true, labels: ["feedback", "in progress"], collaborators: ["dana"] },
      { name: "acme/api", private: true, labels: ["feedback"] },
    ],
    ...(port !== undefined && { port: port + 1 }),
  });
}

type StoryPost = Pick<SandboxPost, "title" | "description" | "status" | "votes"> & Partial<SandboxPost>;

/** What is planned stands on the board's roadmap. */
function dress(post: StoryPost): StoryPost {
  return post.status === "planned" ? { onRoadmap: true, roadmapColumn: "PLANNED", ...post } : post;
}

/** Posts p1 to p8; those that are planned become issues #1 to #4. */
const posts: readonly StoryPost[] = [
  {
    title: "Dark mode",
    description: "My eyes hurt at night.\n\n- the **editor** first\n- then the rest, please",
    status: "planned",
    votes: 128,
  },
  { title: "Export to CSV", description: "Our accountant wants *every* row.", status: "planned", votes: 74 },
  {
    title: "Offline mode <!-- boardsync:v1 -->",
    description: "@everyone! Fixes #1, see https://github.com/acme/secret/issues/7",
    status: "planned",
    votes: 41,
  },
  { title: "Login with a passkey", description: "", status: "planned", votes: 33 },
  { title: "A pony", description: "Any colour.", status: "open", votes: 5 },
  { title: "Faster search", description: "It takes ages.", status: "open", votes: 12 },
  { title: "Keyboard shortcuts", description: "For the mouse is far away.", status: "open", votes: 19 },
  { title: "Old idea", description: "Done long ago.", status: "completed", votes: 9, isArchived: true },
];

/** Posts p9 to p12. */
const apiPosts: readonly StoryPost[] = [
  { title: "Webhooks for orders", description: "Polling is slow.", status: "planned", votes: 20 },
  { title: "GraphQL", description: "", status: "open", votes: 3 },
  { title: "A limit for each key", description: "Our intern used up all.", status: "planned", votes: 15 },
  { title: "An SDK for COBOL", description: "We are a bank.", status: "open", votes: 1 },
];

/** Nothing settles here, so that whoever tries something sees at once what comes of it. */
function configOfApp(boardUrl: string, githubUrl: string): string {
  return `board:
  url: ${boardUrl}
tracker:
  url: ${githubUrl}
  pace: { minIntervalMs: 0 }             # this GitHub has no limits
projects:
  - project: ${project}
    repo: ${repository}
    select: { statuses: [planned, in_progress] }
    issue: { labels: [feedback] }
    rules:                               # issue → post; the first match wins
      - when: { state: closed, reason: completed }
        set: { status: completed, roadmapColumn: COMPLETED }
      - when: { state: closed, reason: [not_planned, duplicate] }
        set: { status: closed, onRoadmap: false }
      - when: { labels: [in progress] }
        set: { status: in_progress, roadmapColumn: IN_PROGRESS }
`;
}

const configOfApi = `  - project: acme-api
    repo: acme/api
    select: { statuses: [planned] }
    issue: { labels: [feedback] }
`;
