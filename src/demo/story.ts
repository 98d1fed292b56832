import { startDemoBoard } from "./board.ts";
import { accounts, configOfApi, configOfApp, products } from "./company.ts";
import { startDemoGitHub } from "./github.ts";
import type { ServeOptions } from "./loopback.ts";

/** Both sides of the company that `demo` plays on. */
export type Story = Awaited<ReturnType<typeof startStory>>;

/** How the two sides start. The port is the board's, and the GitHub gets the next one; undefined: both take a free one. */
export type StoryOptions = Omit<ServeOptions, "answer">;

/** Starts both sides, as they are before the first sync. */
export async function startStory({ now, port }: StoryOptions) {
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
    /** The config that keeps both products in step. */
    config: `${appConfig}${configOfApi}`,
    /** The same for the first product alone. */
    appConfig,
    async close() {
      await board.close();
      await github.stop();
    },
  };
}
