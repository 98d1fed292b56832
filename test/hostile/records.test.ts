/** @module-tag long */
import { expect, it } from "vitest";
import { openStage } from "../support/stage.ts";

const mebibyte = 1024 * 1024;

/** A listing of these records, each between two ordinary posts. */
const listing = (records: readonly string[]): string =>
  `{"feedback":[${["first", ...records.map((_, index) => index), "last"]
    .map((id) =>
      typeof id === "number" ? records[id] : `{"id":"${id}","title":"Ordinary","status":"planned"}`,
    )
    .join(",")}]}`;

const fields = ["status", "roadmapColumn", "roadmapOrder", "roadmapPublic", "onRoadmap", "isReviewed"].concat(
  ["isArchived", "categoryId", "title", "description", "votes", "url", "createdAt", "updatedAt"],
);
const record = (id: string, value: string): string =>
  `{"id":"${id}",${fields.map((field) => `"${field}":${value}`).join(",")}}`;
const planned = (fields: string): string => `{"id":"odd","status":"planned",${fields}}`;

/** Records that no board should send. Where they can be used at all, they become issues like any other. */
it.each<[string, string]>([
  ["lists everywhere", record("odd", "[]")],
  ["objects everywhere", record("odd", '{"toString":1,"valueOf":null,"length":-1}')],
  ["numbers everywhere", record("odd", "-0.0")],
  ["numbers beyond all measure", record("odd", "1e400")],
  ["texts everywhere", record("odd", '"\\u0000\\ud800\\u202e"')],
  ["nothing everywhere", record("odd", "null")],
  [
    "keys of prototypes",
    planned('"__proto__":{"status":"planned"},"constructor":{"prototype":{}},"title":"x"'),
  ],
  ["the same key twice", planned('"title":"one","title":"two","id":"odd"')],
  ["a title of 8 MiB", planned(`"title":"${"t ".repeat(4 * mebibyte)}"`)],
  ["a description of 16 MiB", planned(`"description":"${"@a ![x](//y) <b> ".repeat(mebibyte)}"`)],
  ["a status of 1 MiB", `{"id":"odd","title":"x","status":"${"s".repeat(mebibyte)}"}`],
  ["an id of 1 MiB", `{"id":"${"i".repeat(mebibyte)}","title":"x","status":"planned"}`],
  ["an id that is a path", '{"id":"../../projects","title":"x","status":"planned"}'],
  ["an id that is a number beyond all measure", '{"id":1e300,"title":"x","status":"planned"}'],
  ["no record at all", '"text",5,null,[],[[{}]]'],
])("%s: the posts beside it are synced, and nothing grows with it", async (name, odd) => {
  const stage = await openStage();
  const body = listing([odd]);
  stage.board.failNext(
    { kind: "answer", status: 200, body },
    { times: 2, when: ({ path }) => path === "/feedback" },
  );
  const { projects } = await stage.sync();
  // A record without a usable id may be any post: that is said, and the others go on.
  const isLost = /^(an id (of|that is a number)|no record)/.test(name);
  const errors = isLost ? [expect.objectContaining({ code: "board.incomplete" })] : [];
  expect(projects).toMatchObject([{ failed: errors.length, errors }]);
  const issues = stage.github.issues("acme/app");
  expect(issues.filter(({ title }) => title === "Ordinary")).toHaveLength(2);
  for (const { title, body: text } of issues) {
    expect(title.length).toBeLessThanOrEqual(256);
    expect(Buffer.byteLength(text ?? "")).toBeLessThan(65_536);
  }
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ failed: errors.length });
  expect(stage.writes()).toEqual([]);
  expect(Math.max(...stage.log.map(({ length }) => length))).toBeLessThan(20_000);
  const memory = stage.ledger.memory.project("acme-app");
  const notes = memory === undefined ? [] : await stage.ledger.rows.waiting(memory.id, 100);
  expect(JSON.stringify([projects, notes]).length).toBeLessThan(20_000);
});
