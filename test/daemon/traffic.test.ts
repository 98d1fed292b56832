import { expect, it } from "vitest";
import { createHttpBoard } from "../../src/board/http/http.ts";
import { createSender } from "../../src/http/send.ts";
import type { Repository, RepositoryId, RepositoryName } from "../../src/model/issue.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { createGitHubTracker } from "../../src/tracker/github/github.ts";
import { listenHttp } from "../support/servers.ts";
import { createFakeClock } from "./fake-clock.ts";
import { createMemoryLog } from "./memory-log.ts";

/** Answers each request with the next of these statuses; 0 cuts the connection. */
function serve(statuses: readonly number[]): Promise<string> {
  const rest = [...statuses];
  return listenHttp((request, response) => {
    const status = rest.shift() ?? 500;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { "content-type": "application/json" }).end("[]");
  });
}

const clock = createFakeClock(0);
const sender = () => createSender({ proxy: {}, timeoutMs: 5000, clock });
const surroundings = { retries: 0, random: () => 0, clock };
const project = "b1" as ProjectId;
const repository: Repository = {
  id: 1 as RepositoryId,
  name: "acme/app" as RepositoryName,
  isPrivate: true,
  isArchived: false,
  hasIssues: true,
  canPush: true,
};

it("the board's adapter counts its requests by the status of their answers", async () => {
  const url = await serve([204, 422, 204, 503, 0]);
  const log = createMemoryLog();
  const board = createHttpBoard({ ...surroundings, sender: sender(), log, url, key: "key-1", version: "1" });
  const patch = () => board.patchPost(project, "p1" as PostId, { status: "planned" });
  for (let sent = 0; sent < 5; sent += 1) await patch();
  expect(Object.fromEntries(board.answers)).toEqual({ 204: 2, 422: 1, 503: 1, none: 1 });
  expect(board.requests).toBe(5);
});

it("the tracker's adapter counts its requests by the status of their answers", async () => {
  const url = await serve([201, 403, 410, 502, 0]);
  const log = createMemoryLog();
  const tracker = createGitHubTracker({ ...surroundings, sender: sender(), log, url, token: "token-1" });
  const write = () => tracker.write(repository, { kind: "create-label", name: "feedback" });
  for (let sent = 0; sent < 5; sent += 1) await write();
  expect(Object.fromEntries(tracker.answers)).toEqual({ 201: 1, 403: 1, 410: 1, 502: 1, none: 1 });
  expect(tracker.requests).toBe(5);
});
