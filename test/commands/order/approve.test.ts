import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
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
