import { expect, it } from "vitest";
import type { ProjectId } from "../../src/model/post.ts";
import { foreseeHeld } from "../../src/sync/orders/approve.ts";
import { isList, listNext, listNow } from "../support/listing.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const closing = (when: ConfigPart, more: ConfigPart = {}) => ({
  ...standardProject,
  boardRules: [{ when, set: { state: "closed", reason: "not_planned" } }],
  ...more,
});
const states = ({ github }: Stage) => github.issues("acme/app").map(({ state }) => state);

it("a person's change is not swallowed by a change of an unrelated field's place", async () => {
  const stage = await openStage({ projects: [closing({ status: "declined" })] });
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.board.editPost("acme-app", "p1", { status: "declined" });
  stage.reconfigure({ config: { board: { list: { total: false } } } });
  await stage.sync();
  await stage.sync();
  expect(states(stage)).toEqual(["closed", "open"]);
});

it.each([false, true])("restore is kept (reconfigured: %s)", async (isOther) => {
  const stage = await openStage({ projects: [standardProject] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  stage.clock.skip(hourMs);
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  if (isOther) stage.reconfigure({ config: { board: { list: { total: false } } } });
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.github.reopen("acme/app", 1);
  await stage.sync();
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
});

it("held as another board after fields changed, then approved: board rules write nothing", async () => {
  const stage = await openStage({
    style: { hidden: ["createdAt"] },
    projects: [closing({ status: "Dark mode" })],
  });
  addPlanned(stage, [
    { title: "Dark mode", description: "a" },
    { title: "Dark mode", description: "b" },
  ]);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.reconfigure({ config: { board: { fields: { status: "title", title: "description" } } } });
  await stage.syncOne();
  const seen = await foreseeHeld(stage, { key: "acme-app", project }, [], false);
  if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
  await stage.sync();
  await stage.sync();
  expect(states(stage)).toEqual(["open", "open"]);
});

it("a crash between the pins and the bases", async () => {
  const stage = await openStage({ projects: [closing({ category: "Billing" })] });
  addPlanned(stage, [{ categoryId: "cat_1" }, { categoryId: "cat_1" }]);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  await stage.sync();
  stage.board.restyle({ categoryNames: { cat_1: "Billing" } });
  let left = 1;
  stage.bend((world) => ({
    ...world,
    ledger: new Proxy(world.ledger, {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown;
        if (key !== "commit") return value;
        return async (changes: readonly { kind: string }[]) => {
          if (left > 0 && changes.some(({ kind }) => kind === "set-bases")) {
            left -= 1;
            throw new Error("crash");
          }
          return target.commit(changes as never);
        };
      },
    }),
  }));
  await stage.sync().catch(() => undefined);
  expect(left).toBe(0);
  await stage.sync();
  await stage.sync();
  expect(states(stage)).toEqual(["open", "open"]);
});

it("is over with the first list, also where lists never come to their end", async () => {
  const stage = await openStage({ projects: [closing({ status: "declined" })] });
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  const syncPart = async (): Promise<void> => {
    const body = { ...(await listNow(stage)), total: 99 };
    listNext(stage, body, 1);
    await stage.sync();
  };
  stage.reconfigure({ config: { board: { fields: { votes: "score" } } } });
  await syncPart();
  stage.clock.skip(hourMs);
  stage.board.editPost("acme-app", "p1", { status: "declined" });
  await syncPart();
  await syncPart();
  expect(states(stage)).toEqual(["closed", "open"]);
});

it("`last` is the number of the last page", async () => {
  const stage = await openStage({ projects: [standardProject] });
  addPlanned(stage, 30);
  const { feedback } = await listNow(stage);
  for (const page of [1, 2, 3, 4])
    stage.board.failNext(
      {
        kind: "answer",
        status: 200,
        body: { feedback: feedback.slice(page * 10 - 10, page * 10), meta: { page, last: 3 } },
      },
      { times: 99, when: (r) => isList(r) && (r.query["page"] ?? "1") === String(page) },
    );
  const report = await stage.syncOne();
  expect(report.posts).toBe(30);
});

it("an unnamed list with fields of other names beside an empty array", async () => {
  const stage = await openStage({
    config: { board: { fields: { title: "subject", status: "state" } } },
    projects: [standardProject],
  });
  addPlanned(stage, 2);
  const { feedback } = await listNow(stage);
  const entries = feedback.map(({ id, title, status, description }) => ({
    id,
    subject: title,
    state: status,
    description,
  }));
  listNext(stage, { entries, warnings: [] }, 99);
  const report = await stage.syncOne();
  expect(report).toMatchObject({ posts: 2, errors: [], created: 2 });
});

it("a category that can't be read does not open an issue in the wrong repository", async () => {
  const stage = await openStage({
    repositories: [
      { name: "acme/app", private: true, labels: ["feedback", "in progress"] },
      { name: "acme/api", private: true, labels: ["feedback", "in progress"] },
    ],
    projects: [{ ...standardProject, route: [{ category: "cat_api", repo: "acme/api" }] }],
  });
  addPlanned(stage, [{ categoryId: "cat_api" }, { categoryId: "cat_api" }]);
  const { feedback } = await listNow(stage);
  const body = {
    feedback: feedback.map((one, at) => (at === 0 ? { ...one, categoryId: { ref: "cat_api" } } : one)),
  };
  listNext(stage, body, 99);
  await stage.syncOne();
  expect([stage.github.issues("acme/app").length, stage.github.issues("acme/api").length]).toEqual([0, 1]);
});

it("a contradicted post on a page that stays unchanged is not missing", async () => {
  const stage = await openStage({
    projects: [
      {
        ...standardProject,
        boardRules: [{ when: { missing: true }, set: { state: "closed", reason: "not_planned" } }],
      },
    ],
  });
  addPlanned(stage, 5);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  const { feedback } = await listNow(stage);
  stage.board.failNext(
    {
      kind: "answer",
      status: 200,
      headers: { etag: '"x"' },
      body: { feedback: [...feedback, { ...feedback[0], votes: 9 }] },
    },
    { times: 2, when: isList },
  );
  stage.board.failNext(
    { kind: "answer", status: 304, headers: { etag: '"x"' } },
    { times: 99, when: isList },
  );
  for (let i = 0; i < 3; i += 1) await stage.sync();
  expect(states(stage)).toEqual(["open", "open", "open", "open", "open"]);
});
