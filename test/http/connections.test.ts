import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import { createFixture, failureOf, repository, unbounded } from "../tracker/github/setup.ts";

/** A server behind a balancer that has given up every idle connection without a word: what comes on one is reset. */
async function startForgetful(): Promise<{ readonly url: string; readonly connections: () => number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let isUsed = false;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => {
      if (isUsed) return void socket.resetAndDestroy();
      const body = JSON.stringify({ message: "It was not accepted, and that is proven" });
      const head = `HTTP/1.1 422 Unprocessable\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
      socket.write(`${head}\r\nconnection: keep-alive\r\n\r\n${body}`);
      isUsed = true;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, connections: () => sockets.size };
}

const writes: readonly IssueWrite[] = [
  {
    kind: "create-issue",
    title: "t",
    body: "b",
    labels: [],
    assignees: [],
    milestone: undefined,
    type: undefined,
  },
  { kind: "edit-issue", number: 1, state: "closed" },
  { kind: "add-labels", number: 1, labels: ["bug"] },
  { kind: "remove-label", number: 1, label: "bug" },
  { kind: "create-label", name: "bug" },
  { kind: "add-comment", number: 1, body: "b" },
];

it.each(writes)("a write to the tracker ($kind) never rides on an idle connection", async (write) => {
  const server = await startForgetful();
  const { tracker } = createFixture(server.url);
  for (let time = 1; time <= 3; time += 1) {
    expect(await tracker.write(repository, write)).toMatchObject({ kind: "rejected", status: 422 });
    expect(server.connections()).toBe(time);
  }
});

it("reads keep their connection, queries of GraphQL among them", async () => {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("data", (chunk) => {
      asked.push(chunk.toString("latin1").split(" ", 2).join(" "));
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const { tracker } = createFixture(url, { retries: 0 });
  const field = { owner: "acme", project: 1, field: "Status" };
  for (const read of [
    () => tracker.account(unbounded()),
    () => tracker.projectField(field, unbounded()),
    () => tracker.account(unbounded()),
  ]) {
    expect((await failureOf(read())).fault).toBe("unreadable");
    // The connection is free a moment after its answer has been read.
    await setImmediate();
  }
  expect(asked).toEqual(["GET /user", "POST /graphql", "GET /user"]);
  expect(sockets.size).toBe(1);
});
