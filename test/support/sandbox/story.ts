import { accounts, configOfApi, configOfApp, products } from "../../../src/demo/company.ts";
import { type SandboxBoard, startSandboxBoard } from "./board/board.ts";
import type { AppSetup } from "./github/app/app.ts";
import { type SandboxGitHub, startSandboxGitHub } from "./github/github.ts";

/** Both sides of the demo's company, as sandboxes. */
export interface Story {
  readonly board: SandboxBoard;
  readonly github: SandboxGitHub;
  /** The config that keeps the two in step, as a person would write it. */
  readonly config: string;
  close(): Promise<void>;
}

/** How the story's two sides start. */
export interface StoryOptions {
  readonly now: () => number;
  /** A GitHub App beside the account. */
  readonly app?: AppSetup;
}

/** Starts both sides, as they are before the first sync. */
export async function startStory({ now, app }: StoryOptions): Promise<Story> {
  const { key, token, login, people } = accounts;
  const board = await startSandboxBoard({ projects: products, key, now });
  const github = await startSandboxGitHub({
    ...{ clock: { now }, token, login },
    ...(app !== undefined && { app }),
    repositories: products.map(({ repository: name, labels }) => ({
      ...{ name, private: true, labels, collaborators: people },
    })),
  });
  for (const { slug, posts } of products) for (const post of posts) board.addPost(slug, post);
  return {
    board,
    github,
    config: `${configOfApp(board.url, github.url)}${configOfApi}`,
    async close() {
      await board.close();
      await github.stop();
    },
  };
}
