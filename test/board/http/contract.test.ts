import type { PostId, ProjectId } from "../../../src/model/post.ts";
import { startSandboxBoard } from "../../support/sandbox/board/board.ts";
import { describeBoardContract } from "../contract.ts";
import { givenBoard } from "./given.ts";

describeBoardContract("the board over HTTP", async () => {
  const sandbox = await startSandboxBoard({ projects: [{ id: "prj_1", slug: "acme-app" }] });
  const first = sandbox.addPost("prj_1", { title: "First post" });
  for (let count = 1; count < 130; count += 1) sandbox.addPost("prj_1");
  return {
    board: givenBoard(sandbox.url, { key: sandbox.key }),
    stranger: givenBoard(sandbox.url, { key: "another-key" }),
    project: "prj_1" as ProjectId,
    firstPost: first as PostId,
    mails: () => sandbox.notifications.length,
    close: () => sandbox.close(),
  };
});
