import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

/** A story in which the guard holds the status of `p1`. */
async function openHeld(): Promise<Stage> {
  const stage = await openStage();
  stage.writeConfig("boardsync.yaml", (text) => `${text}guard: { statuses: 0 }\n`);
  await stage.run(["sync"]);
  stage.story.github.close("acme/app", 1, "completed");
  expect((await stage.run(["sync"])).code).toBe(4);
  return stage;
}

function inState<T>(stage: Stage, work: (state: Database.Database) => T): T {
  const state = new Database(join(stage.folder, "state.db"));
  try {
    return work(state);
  } finally {
    state.close();
  }
}

it("counts from when the person agreed: a run that began while they were thinking is not the one that is asked for", async () => {
  const stage = await openHeld();
  let began = 0;
  const ask = async (): Promise<string> => {
    while (Date.now() <= began) began ||= Date.now();
    began = Date.now();
    return "y";
  };
  expect((await stage.run(["approve", "acme-app"], { isTerminal: true, ask })).code).toBe(0);
  const requests = inState(stage, (state) =>
    state.prepare<[], { at: number }>("SELECT at FROM requests").all(),
  );
  expect(requests).toHaveLength(1);
  expect(requests[0]?.at).toBeGreaterThanOrEqual(began);
});

it("takes no post for another one where an id looks like a project and a post", async () => {
  const stage = await openHeld();
  inState(stage, (state) => {
    state.pragma("foreign_keys = OFF");
    const columns = state
      .prepare<[], { name: string }>(
        "SELECT name FROM pragma_table_info('posts') WHERE name NOT IN ('number', 'id')",
      )
      .all()
      .map(({ name }) => name)
      .join();
    state.exec(
      `INSERT INTO posts (number, id, ${columns}) SELECT 999, 'acme-app/p1', ${columns} FROM posts WHERE id = 'p1'`,
    );
    const notes = state
      .prepare<[], { name: string }>(
        "SELECT name FROM pragma_table_info('notes') WHERE name NOT IN ('number', 'post')",
      )
      .all()
      .map(({ name }) => name)
      .join();
    state.exec(
      `INSERT INTO notes (post, ${notes}) SELECT 999, ${notes} FROM notes WHERE post = (SELECT number FROM posts WHERE id = 'p1')`,
    );
  });
  expect(await stage.run(["approve", "acme-app", "acme-app/p1", "--yes"])).toMatchObject({
    code: 2,
    err: "`acme-app/p1` is ambiguous. Write one of: p1, acme-app/acme-app/p1.\n",
  });
  const approved = await stage.run(["approve", "acme-app", "acme-app/acme-app/p1", "--yes", "--json"]);
  expect(approved.json()).toMatchObject({ actions: [{ post: "acme-app/p1" }] });
  const plain = await stage.run(["approve", "acme-app", "p1", "--yes", "--json"]);
  expect(plain.json()).toMatchObject({ actions: [{ post: "p1" }] });
});

describe("the later word of a person counts:", () => {
  const statusOf = ({ story }: Stage) => story.board.post("acme-app", "p1")?.status;

  it("what was discarded, and then approved, goes", async () => {
    const stage = await openHeld();
    await stage.run(["approve", "acme-app", "--discard", "--yes"]);
    expect((await stage.run(["approve", "acme-app", "--yes"])).out).toContain("1 action approved");
    await stage.run(["sync"]);
    expect(statusOf(stage)).toBe("completed");
  });

  it("what was approved, and then discarded, does not go", async () => {
    const stage = await openHeld();
    await stage.run(["approve", "acme-app", "--yes"]);
    expect((await stage.run(["approve", "acme-app", "--discard", "--yes"])).out).toContain("discarded");
    await stage.run(["sync"]);
    await stage.run(["sync"]);
    expect(statusOf(stage)).toBe("planned");
  });

  it("what was resumed without what waits, and then with it, goes", async () => {
    const stage = await openHeld();
    stage.writeConfig("boardsync.yaml", (text) => text);
    await stage.run(["pause", "p1"]);
    await stage.run(["resume", "p1", "--discard", "--yes"]);
    await stage.run(["resume", "p1", "--yes"]);
    await stage.run(["approve", "acme-app", "--yes"]);
    await stage.run(["sync"]);
    expect(statusOf(stage)).toBe("completed");
  });

  it("what was approved stays so while a run takes both sides as they are", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (text) => `${text}guard: { issues: 0 }\n`);
    expect((await stage.run(["sync"])).code).toBe(4);
    await stage.run(["approve", "acme-app", "--yes"]);
    await stage.run(["sync", "--adopt"]);
    await stage.run(["sync"]);
    expect(stage.story.github.issues("acme/app").length).toBeGreaterThan(0);
  });
});
