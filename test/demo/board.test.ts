import { expect, it, onTestFinished } from "vitest";
import { startDemoBoard } from "../../src/demo/board.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { describeBoardContract } from "../board/contract.ts";
import { givenBoard } from "../board/http/given.ts";

const key = "demo-board-key";
const start = { description: "", status: "open", votes: 3 };

async function startBoard() {
  const board = await startDemoBoard({
    ...{ key, now: Date.now, port: undefined },
    projects: [{ id: "prj_1", slug: "acme-app", name: "Acme App" }],
  });
  const first = board.addPost("acme-app", { ...start, title: "First post" });
  return { board, first };
}

describeBoardContract("the demo's board", async () => {
  const { board, first } = await startBoard();
  for (let count = 1; count < 130; count += 1)
    board.addPost("acme-app", { ...start, title: `Post ${count}` });
  return {
    board: givenBoard(board.url, { key }),
    stranger: givenBoard(board.url, { key: "another-key" }),
    project: "prj_1" as ProjectId,
    firstPost: first as PostId,
    mails: () => board.notifications.length,
    close: () => board.close(),
  };
});

/** What somebody gets who asks by hand. */
async function openBoard() {
  const { board } = await startBoard();
  onTestFinished(() => board.close());
  return async (method: string, path: string, body?: string): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${board.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    return answer.status;
  };
}

it.each([
  ["GET", "/feedback?project=acme-app", undefined, 200],
  ["GET", "/feedback", undefined, 400],
  ["GET", "/categories", undefined, 404],
  ["PATCH", "/feedback/p1", '{"project":"acme-app","votes":9}', 400],
  ["PATCH", "/feedback/p1", '{"project":"acme-app","toString":"x"}', 400],
  ["PATCH", "/feedback/p1", '{"project":"acme-app","isArchived":"yes"}', 422],
  ["PATCH", "/feedback/p1", '{"project":"acme-app","roadmapColumn":"SOON"}', 422],
  ["PATCH", "/feedback/p1", '{"project":"acme-app","categoryId":null,"roadmapOrder":2}', 200],
  ["PATCH", "/feedback/p1", "{", 400],
  ["PATCH", "/feedback/p1", "[]", 400],
])("the demo's board answers %s %s with %s by %i", async (method, path, body, status) => {
  const ask = await openBoard();
  expect(await ask(method, path, body)).toBe(status);
});
