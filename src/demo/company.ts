import type { DemoProject, PostStart } from "./board.ts";

/** A company of two products, and its customers' posts, as they are before the first sync. */

/** A product: a project of the board, and the repository whose issues are to follow it. */
export interface Product extends DemoProject {
  readonly repository: string;
  readonly labels: readonly string[];
  readonly posts: readonly PostStart[];
}

/** The first product, as the config names it. */
export const project = "acme-app";
/** Where its issues are. */
export const repository = "acme/app";
/** The post that was written to do harm. */
export const hostilePost = "p3";

/** What both sides let in by, who boardsync is on GitHub, and who may be assigned beside it. */
export const accounts = {
  key: "demo-board-key-0123456789",
  token: "demo-github-token-0123456789",
  login: "acme-boardsync",
  people: ["dana"],
} as const;

/** What is planned stands on the board's roadmap. */
function dress(post: PostStart): PostStart {
  return post.status === "planned" ? { onRoadmap: true, roadmapColumn: "PLANNED", ...post } : post;
}

/** Posts p1 to p8; those that are planned become issues #1 to #4. */
const posts: readonly PostStart[] = [
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
const apiPosts: readonly PostStart[] = [
  { title: "Webhooks for orders", description: "Polling is slow.", status: "planned", votes: 20 },
  { title: "GraphQL", description: "", status: "open", votes: 3 },
  { title: "A limit for each key", description: "Our intern used up all.", status: "planned", votes: 15 },
  { title: "An SDK for COBOL", description: "We are a bank.", status: "open", votes: 1 },
];

/** Both products. */
export const products: readonly Product[] = [
  {
    id: "prj_app",
    slug: project,
    name: "Acme App",
    repository,
    labels: ["feedback", "in progress"],
    posts: posts.map(dress),
  },
  {
    id: "prj_api",
    slug: "acme-api",
    name: "Acme API",
    repository: "acme/api",
    labels: ["feedback"],
    posts: apiPosts.map(dress),
  },
];

/**
 * The config that keeps the first product in step, as a person would write it. Nothing settles here, so that whoever tries
 * something sees at once what comes of it.
 */
export function configOfApp(boardUrl: string, githubUrl: string): string {
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

/** The same for the second one, below the first. */
export const configOfApi = `  - project: acme-api
    repo: acme/api
    select: { statuses: [planned] }
    issue: { labels: [feedback] }
`;
