import { openPage, type PageStage } from "../support/page-stage.ts";

const repository = "acme/app";

/** What the picture of the page shows: the demo's company on a day on which more has changed than the guard lets through. */
export function openScene(): Promise<PageStage> {
  return openPage({
    orders: true,
    config: (config) => `guard: { statuses: 2 }\n${config}`,
    before: async ({ story: { github, board }, run }) => {
      const sync = () => run(["sync", "--config", "page.yaml"]);
      await sync();
      github.label(repository, 1, "in progress");
      await sync();
      board.editPost("acme-app", "p4", { title: "Login with a passkey or a key" });
      await sync();
      github.close(repository, 1, "completed");
      await sync();
      github.close(repository, 2, "completed");
    },
  });
}
