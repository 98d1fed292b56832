import { expect, it } from "vitest";
import { listNext, type Shown } from "../support/listing.ts";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

/** The next list, with each record changed. */
function bendNextList(stage: Stage, bend: (record: Shown, index: number) => Shown): void {
  const feedback = stage.board
    .posts("acme-app")
    .map((post, index) => bend({ ...post, url: `${new URL(stage.board.url).origin}/p/${post.id}` }, index));
  listNext(stage, { feedback });
}
it("a status that one list leaves out of one record is no person's change: what was ours is still put back", async () => {
  const stage = await openStage();
  addPlanned(stage, 3);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  stage.clock.skip(5 * minuteMs);
  await stage.sync();
  bendNextList(stage, ({ status, ...record }, index) => (index === 0 ? record : { ...record, status }));
  expect(await stage.syncOne()).toMatchObject({ result: "ok", issueWrites: 0 });
  await stage.sync();
  stage.github.reopen("acme/app", 1);
  await stage.sync();
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
});

it.each<[string, (post: Shown, index: number) => Shown]>([
  ["of all records", ({ status: _, ...record }) => record],
  ["of one record", (record, index) => (index === 0 ? { ...record, status: "" } : record)],
])(
  "a list that leaves the status out %s just as an issue is reopened does not end that it is put back",
  async (_, bend) => {
    const stage = await openStage();
    addPlanned(stage, 3);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    stage.clock.skip(5 * minuteMs);
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    bendNextList(stage, bend);
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
  },
);

it.each(["description", "title", "url", "votes", "categoryId"])(
  "a list that leaves `%s` out once changes no issue",
  async (field) => {
    const issue = { labels: ["feedback"], voteLabels: { 10: "v10" }, categoryLabels: { cat_1: "area" } };
    const stage = await openStage({ projects: [{ ...standardProject, issue }] });
    addPlanned(stage, [
      { votes: 40, categoryId: "cat_1" },
      { votes: 12, categoryId: "cat_1" },
    ]);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.mark();
    stage.board.restyle({ hidden: [field] });
    await stage.sync();
    stage.board.restyle({});
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
  },
);

it("a list that shows no titles at all takes none from the issues", async () => {
  const stage = await openStage();
  addPlanned(stage, 3);
  await stage.sync();
  await stage.sync();
  bendNextList(stage, ({ title: _, description: __, ...record }) => record);
  await stage.syncOne();

  expect(stage.github.issue("acme/app", 1).title).toBe("Post 1");
});

it("a text that is edited as a field leaves the board's list is written by the next run", async () => {
  const stage = await openStage({ style: { omitsEmpty: true } });
  addPlanned(stage, [{ categoryId: "cat_1" }, {}]);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  stage.board.editPost("acme-app", "p1", { categoryId: null });
  stage.board.editPost("acme-app", "p2", { title: "Another title" });
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issue("acme/app", 2).title).toBe("Another title");
});
