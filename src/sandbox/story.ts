import type { SandboxBoard } from "./board.ts";
import { startSandboxBoard } from "./board.ts";
import { type SandboxGitHub, startSandboxGitHub } from "./github.ts";

/** A company of two products, its customers' posts, and a few days of its developers: what `demo` plays. */
export interface Story {
  readonly board: SandboxBoard;
  readonly github: SandboxGitHub;
  /** The config that keeps the two in step, as a person would write it. */
  readonly config: string;
  close(): Promise<void>;
}

/** One thing that people do, a day later than the last one. */
export interface Scene {
  readonly title: string;
  play(story: Story): void;
}

const repository = "acme/app";
const project = "acme-app";

export interface StoryOptions {
  readonly now: () => number;
  /** The board's port; the GitHub gets the next one. Without it both take a free one. */
  readonly port: number | undefined;
}

export async function startStory(options: StoryOptions): Promise<Story> {
  const board = await startSandboxBoard({
    projects: [
      { id: "prj_app", slug: project, name: "Acme App" },
      { id: "prj_api", slug: "acme-api", name: "Acme API" },
    ],
    key: "demo-board-key-0123456789",
    now: options.now,
    ...(options.port !== undefined && { port: options.port }),
  });
  const github = await startSandboxGitHub({
    clock: { now: options.now },
    token: "demo-github-token-0123456789",
    login: "acme-boardsync",
    repositories: [
      { name: repository, private: true, labels: ["feedback", "in progress"], collaborators: ["dana"] },
      { name: "acme/api", private: true, labels: ["feedback"] },
    ],
    ...(options.port !== undefined && { port: options.port + 1 }),
  });
  for (const post of posts)
    board.addPost(project, { onRoadmap: post.status === "planned", ...columnOf(post.status), ...post });
  for (const post of apiPosts) board.addPost("acme-api", post);
  return {
    board,
    github,
    config: configOf(board.url, github.url),
    close: async () => {
      await board.close();
      await github.stop();
    },
  };
}

function columnOf(status: string): { readonly roadmapColumn?: string } {
  return status === "planned" ? { roadmapColumn: "PLANNED" } : {};
}

/** Posts p1 to p7 of the app; those that are planned become issues. */
const posts = [
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
  { title: "Old idea", description: "Done long ago.", status: "completed", votes: 9, isArchived: true },
];

const apiPosts = [
  { title: "Webhooks for orders", description: "Polling is slow.", status: "planned", votes: 20 },
  { title: "GraphQL", description: "", status: "open", votes: 3 },
];

export const scenes: readonly Scene[] = [
  {
    title: 'Dana starts with dark mode: she puts the label "in progress" on issue #1',
    play: ({ github }) => github.label(repository, 1, "in progress"),
  },
  {
    title:
      "Dark mode ships: #1 is closed as completed. Passkeys will not be done: #4 is closed as not planned",
    play: ({ github }) => {
      github.unlabel(repository, 1, "in progress");
      github.close(repository, 1, "completed");
      github.close(repository, 4, "not_planned");
    },
  },
  {
    title: "A bug in dark mode: #1 is reopened. Meanwhile a customer edits the post about CSV",
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
  pace: { minIntervalMs: 0 }
projects:
  - project: ${project}
    repo: ${repository}
    select:
      statuses: [planned, in_progress]
    issue:
      labels: [feedback]
    rules:
      - when: { state: closed, reason: completed }
        set: { status: completed, roadmapColumn: COMPLETED }
      - when: { state: closed, reason: [not_planned, duplicate] }
        set: { status: closed }
      - when: { labels: [in progress] }
        set: { status: in_progress, roadmapColumn: IN_PROGRESS }
  - project: acme-api
    repo: acme/api
    select:
      statuses: [planned]
    issue:
      labels: [feedback]
`;
}
