import { type SandboxBoard, startSandboxBoard } from "./board/board.ts";
import type { SandboxPost } from "./board/style.ts";
import type { AppSetup } from "./github/app/app.ts";
import { type SandboxGitHub, startSandboxGitHub } from "./github/github.ts";

/** A company of two products, its customers' posts, and a few days of its developers: what `demo` plays. */
export interface Story {
  readonly board: SandboxBoard;
  readonly github: SandboxGitHub;
  /** The config that keeps the two in step, as a person would write it. */
  readonly config: string;
  /** The issue, once it is opened, whose post was written to do harm. */
  readonly hostile: { readonly name: string; readonly number: number };
  close(): Promise<void>;
}

/** One thing that people do, a day later than the last one. */
export interface Scene {
  /** A sentence without its full stop. */
  readonly title: string;
  play(story: Story): void;
}

const repository = "acme/app";
const project = "acme-app";

/** The board's projects, as the config names them. */
export const projectNames: readonly string[] = [project, "acme-api"];

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
    config: configOf(board.url, github.url),
    hostile: { name: repository, number: 3 },
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
    description: "Ping @everyone, fixes #1 and see https://github.com/acme/secret/issues/7",
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

/** Four days, one after the other. */
export const scenes: readonly Scene[] = [
  {
    title: 'Dana starts with dark mode: she puts the label "in progress" on #1',
    play: ({ github }) => github.label(repository, 1, "in progress"),
  },
  {
    title: "Dark mode ships: #1 is closed as completed. Passkeys won't be: #4 as not planned",
    play: ({ github }) => {
      github.unlabel(repository, 1, "in progress");
      github.close(repository, 1, "completed");
      github.close(repository, 4, "not_planned");
    },
  },
  {
    title: "A bug in dark mode: #1 is reopened. And a customer edits the post about CSV",
    play: ({ board, github }) => {
      github.reopen(repository, 1);
      board.editPost(project, "p2", { title: "Export to CSV and Excel", description: "Excel, too." });
    },
  },
  { title: "A quiet day", play: () => undefined },
];

function configOf(boardUrl: string, githubUrl: string): string {
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
  - project: acme-api
    repo: acme/api
    select: { statuses: [planned] }
    issue: { labels: [feedback] }
`;
}
