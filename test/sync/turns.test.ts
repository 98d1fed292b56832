import { expect, it } from "vitest";
import { withParts } from "../simulation/with-parts.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const twoProjects = {
  boardProjects: [
    { id: "prj_big", slug: "big" },
    { id: "prj_small", slug: "small" },
  ],
  projects: ["big", "small"].map((project) => ({ ...standardProject, project })),
};

/** Each page of the board's list, and each PATCH, takes a second. */
function slowDown(stage: Stage): void {
  stage.bend((world) => ({
    ...world,
    board: withParts(world.board, {
      async *listPosts(...given: Parameters<typeof world.board.listPosts>) {
        for await (const page of world.board.listPosts(...given)) {
          stage.clock.skip(1000);
          yield page;
        }
      },
      patchPost(...given: Parameters<typeof world.board.patchPost>) {
        stage.clock.skip(1000);
        return world.board.patchPost(...given);
      },
    }),
  }));
}

it("GitHub is looked at also where the board's list takes just the time of a run", async () => {
  const stage = await openStage({ style: { pageSize: 2 }, config: { budget: "5s" } });
  addPlanned(stage, 1);
  for (let post = 0; post < 8; post += 1) stage.board.addPost("acme-app", { status: "open" });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  slowDown(stage);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
});

it("a project gets its turn behind one whose list takes all of the time of each run", async () => {
  const stage = await openStage({ ...twoProjects, style: { pageSize: 2 }, config: { budget: "5s" } });
  for (let post = 0; post < 20; post += 1) stage.board.addPost("big", { status: "open" });
  addPlanned(stage, 1, "small");
  for (let run = 0; run < 3; run += 1) await stage.sync();
  slowDown(stage);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
  stage.board.editPost("big", "p1", { status: "planned" });
  for (let run = 0; run < 4; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app")).toHaveLength(2);
});

it("a project gets its turn behind one whose changes take longer than a run", async () => {
  const guard = { issues: 100, statuses: 100 };
  const stage = await openStage({ ...twoProjects, config: { budget: "5s", guard } });
  addPlanned(stage, 20, "big");
  addPlanned(stage, 1, "small");
  for (let run = 0; run < 10; run += 1) {
    await stage.sync();
    stage.clock.skip(hourMs);
  }
  slowDown(stage);
  const issues = stage.github.issues("acme/app");
  expect(issues).toHaveLength(21);
  for (const { number } of issues) stage.github.close("acme/app", number, "completed");
  const written: (number | undefined)[] = [];
  for (let run = 0; run < 3; run += 1) {
    const { projects } = await stage.sync();
    written.push(projects.find(({ project }) => project === "small")?.statusWrites);
  }
  expect(written).toContain(1);
});

it.each<[string, (stage: Stage) => void]>([
  [
    "the board, without an end",
    ({ board }) => board.failNext({ kind: "answer", status: 429 }, { times: 1000 }),
  ],
  [
    "GitHub, for a minute",
    ({ github }) => {
      const body = { message: "You have exceeded a secondary rate limit." };
      const answer = { kind: "answer", status: 403, headers: { "retry-after": "60" }, body } as const;
      github.failNext({ times: 1000, answer });
    },
  ],
])("a side that limits every run of a day is a failure from then on: %s", async (_, limit) => {
  const stage = await openStage();
  addPlanned(stage, 1);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  limit(stage);
  const results: (readonly [string, number])[] = [];
  for (let run = 0; run < 8; run += 1) {
    stage.clock.skip(3 * hourMs);
    const { result, errors } = await stage.syncOne();
    for (const { message } of errors) expect(message).toMatch(/; no run since .+ came to its end\.$/u);
    results.push([result, errors.length]);
  }
  expect(results.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => ["ok", 0]));
  expect(results[7]).toEqual(["partial", 1]);
});
