import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { listenHttp } from "../support/servers.ts";
import { addPlanned, hourMs, openStage, type Stage } from "../support/stage.ts";

type Row = Record<string, unknown>;

/** A stage whose GitHub shows rows of issues as the test bends them, in lists and by themselves. */
async function openBent(): Promise<Stage & { bendRows(change: (row: Row) => void): void }> {
  let change: (row: Row) => void = () => {};
  let target = "";
  const url = await listenHttp((request, response) => {
    void (async () => {
      const body = request.method === "GET" ? undefined : await text(request);
      const { authorization = "", accept = "", "user-agent": agent = "" } = request.headers;
      const version = String(request.headers["x-github-api-version"] ?? "");
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? "GET",
        headers: { authorization, accept, "user-agent": agent, "x-github-api-version": version },
        ...(body !== undefined && { body }),
      });
      const json = (await answer.json()) as Row | readonly Row[];
      for (const row of [json].flat()) if ("repository_url" in row) change(row);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(json));
    })().catch(() => request.socket.destroy());
  });
  const stage = await openStage({ config: { tracker: { url } } });
  target = stage.github.url;
  return Object.assign(stage, {
    bendRows: (next: (row: Row) => void) => {
      change = next;
    },
  });
}

function odd(number: number, field: string, value: unknown): (row: Row) => void {
  return (row) => {
    if (row["number"] === number) row[field] = value;
  };
}

const oddities: readonly (readonly [string, unknown])[] = [
  ["assignees", [null]],
  ["assignees", "ann"],
  ["labels", [null]],
  ["labels", [17]],
  ["user", "ghost"],
  ["user", {}],
  ["milestone", "x"],
  ["milestone", { number: 1, title: null, state: "open" }],
  ["title", null],
  ["number", "2"],
  ["state", "merged"],
  ["state_reason", 17],
  ["body", 5],
  ["node_id", null],
  ["created_at", "yesterday"],
  ["updated_at", null],
  ["type", []],
];

describe.each(oddities)("an issue whose `%s` is %j", (field, value) => {
  it("is unknown by its number where it is linked, and all else goes on", async () => {
    const stage = await openBent();
    addPlanned(stage, 3);
    await stage.sync();
    stage.clock.skip(hourMs);
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    addPlanned(stage, 1);
    stage.bendRows(odd(2, field, value));
    stage.mark();
    const first = await stage.syncOne();
    const named = { post: "p2", issue: "acme/app#2", code: "tracker.unreadable" };
    expect(first).toMatchObject({ result: "partial", errors: [named] });
    expect(first.errors[0]?.message).toContain(`\`${field}`);
    expect(stage.patches().map(({ path }) => path.split("/").at(-1))).toEqual(["p1"]);
    expect(first.created).toBe(1);
    expect(await stage.syncOne()).toMatchObject({ errors: [named], statusWrites: 0 });
    stage.bendRows(() => {});
    expect(await stage.syncOne()).toMatchObject({ result: "ok", statusWrites: 1 });
  });

  it("is left out where it is a stranger's, which is said once", async () => {
    const stage = await openBent();
    stage.github.openIssue("acme/app", { title: "Theirs", author: "ann" });
    addPlanned(stage, 1);
    stage.bendRows((row) => {
      if (row["number"] === 1) row[field] = field === "number" ? "1" : value;
    });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", created: 1 });
    const said = stage.log.filter((line) => line.includes("An issue can't be read"));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain("acme/app#1");
  });
});

describe("an issue of ours that can't be read", () => {
  it("keeps new issues from being opened while the state does not know what mark it carries", async () => {
    const stage = await openBent();
    addPlanned(stage, 1);
    await stage.sync();
    stage.loseState();
    stage.clock.skip(hourMs);
    stage.bendRows(odd(1, "title", null));
    stage.mark();
    const blind = await stage.syncOne();
    expect(blind.errors).toMatchObject([{ issue: "acme/app#1", code: "tracker.unreadable" }]);
    expect(blind.errors[0]?.message).toContain("no issue is opened in acme/app");
    stage.clock.skip(24 * hourMs);
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.bendRows(() => {});
    expect(await stage.syncOne()).toMatchObject({ result: "ok", issues: 1 });
    expect(stage.writes()).toEqual([]);
  });

  it("is not taken for absent where the answer to its opening was lost", async () => {
    const stage = await openBent();
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.addPost("acme-app", { status: "planned" });
    stage.github.failNext({ method: "POST", path: /\/issues$/, applied: true, answer: { kind: "reset" } });
    await stage.sync();
    stage.bendRows(odd(2, "assignees", [null]));
    stage.clock.skip(hourMs);
    stage.mark();
    expect((await stage.syncOne()).errors).not.toEqual([]);
    stage.clock.skip(hourMs);
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.bendRows(() => {});
    expect(await stage.syncOne()).toMatchObject({ result: "ok", issues: 2 });
    expect(stage.writes()).toEqual([]);
  });
});
