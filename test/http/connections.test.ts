import net, { type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import { listenTcp } from "../support/servers.ts";
import { createFixture, failureOf, repository, unbounded } from "../tracker/github/setup.ts";

/** A server behind a balancer that has given up every idle connection without a word: what comes on one is reset. */
function startForgetful() {
  const used = new Set<Socket>();
  return listenTcp((socket) => {
    if (used.has(socket)) return void socket.resetAndDestroy();
    const body = JSON.stringify({ message: "It was not accepted, and that is proven" });
    const head = `HTTP/1.1 422 Unprocessable\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    socket.write(`${head}\r\nconnection: keep-alive\r\n\r\n${body}`);
    used.add(socket);
  });
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
  { kind: "remove-label", number: 1, label: "graphql" },
  { kind: "create-label", name: "bug" },
  { kind: "add-comment", number: 1, body: "b" },
];

it.each(writes)("a write to the tracker ($kind) never rides on an idle connection", async (write) => {
  const server = await startForgetful();
  const { tracker } = createFixture(`http://${server.place}`);
  for (let time = 1; time <= 3; time += 1) {
    expect(await tracker.write(repository, write)).toMatchObject({ kind: "rejected", status: 422 });
    expect(server.sockets.size).toBe(time);
  }
});

it("reads keep their connection, queries of GraphQL among them", async () => {
  const asked: string[] = [];
  const { place, sockets } = await listenTcp((socket, bytes) => {
    asked.push(bytes.toString("latin1").split(" ", 2).join(" "));
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
  });
  const { tracker } = createFixture(`http://${place}`, { retries: 0 });
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

it.each([
  { of: "an address that is far away", timeoutMs: 20_000, isProxy: false, attemptMs: 2_000 },
  { of: "one of a proxy that is far away", timeoutMs: 20_000, isProxy: true, attemptMs: 2_000 },
  { of: "one with a deadline of 1 s", timeoutMs: 1_000, isProxy: false, attemptMs: 500 },
])("$of has $attemptMs ms to take a connection", async ({ timeoutMs, isProxy, attemptMs }) => {
  const { place } = await listenTcp((socket) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
  });
  const connect = vi.spyOn(net, "connect");
  try {
    const [url, proxy] = isProxy
      ? ["https://github.invalid", { https: `http://${place}` }]
      : [`http://${place}`, {}];
    const { tracker } = createFixture(url, { retries: 0, timeoutMs, proxy });
    await failureOf(tracker.account(unbounded()));
    expect(connect).toHaveBeenCalledWith(
      expect.objectContaining({ autoSelectFamilyAttemptTimeout: attemptMs }),
    );
  } finally {
    connect.mockRestore();
  }
});
