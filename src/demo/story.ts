import { type DemoBoard, startDemoBoard } from "./board.ts";
import { accounts, configOfApi, configOfApp, products } from "./company.ts";
import { type DemoGitHub, startDemoGitHub } from "./github.ts";

/** Both sides of the company that `demo` plays on. */
export interface Story {
  readonly board: DemoBoard;
  readonly github: DemoGitHub;
  /** The config that keeps both products in step. */
  readonly config: string;
  /** The same for the first product alone. */
  readonly appConfig: string;
  close(): Promise<void>;
}

/** How the two sides start. */
export interface StoryOptions {
  readonly now: () => number;
  /** The board's port; the GitHub gets the next one. Where it is undefined both take a free one. */
  readonly port: number | undefined;
}

/** Starts both sides, as they are before the first sync. */
export async function startStory({ now, port }: StoryOptions): Promise<Story> {
  const board = await startDemoBoard({ projects: products, key: accounts.key, now, port });
  const github = await startDemoGitHub({
    ...accounts,
    repositories: products.map(({ repository: name, labels }) => ({ name, labels })),
    now,
    port: port === undefined ? undefined : port + 1,
  }).catch(async (error: unknown) => {
    await board.close();
    throw error;
  });
  for (const { slug, posts } of products) for (const post of posts) board.addPost(slug, post);
  const appConfig = configOfApp(board.url, github.url);
  return {
    board,
    github,
    config: `${appConfig}${configOfApi}`,
    appConfig,
    async close() {
      await board.close();
      await github.stop();
    },
  };
}
