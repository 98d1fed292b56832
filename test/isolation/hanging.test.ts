/** @module-tag long */
import { expect, it } from "vitest";
import { type Act, type Front, saysNothing, startFront, stopsAfterHead, trickles } from "../hostile/front.ts";
import { createDeadlines } from "../support/deadlines.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

const names = ["one", "two", "three"];
const deadline = { timeout: "1s" };

const manners: readonly (readonly [string, Act])[] = [
  ["nothing", saysNothing],
  ["a head alone", stopsAfterHead],
  ["blanks without an end", trickles],
];

/** Three projects that share nothing, behind one front for each side. What the fronts answer never ends. */
async function openThree(): Promise<{ stage: Stage; board: Front; tracker: Front }> {
  const deadlines = createDeadlines();
  const start = async (): Promise<Front> => {
    const front = await startFront();
    const instead: Front["instead"] = (method, part, act, times) =>
      front.instead(
        method,
        part,
        (response) => {
          act(response);
          deadlines.passWhenAlone();
        },
        times,
      );
    return Object.assign(Object.create(front), { instead });
  };
  const [board, tracker] = [await start(), await start()];
  const projects = names.map((name) => ({ ...standardProject, project: name, repo: `acme/${name}` }));
  const stage = await openStage({
    boardProjects: names.map((slug) => ({ id: `prj_${slug}`, slug, name: slug })),
    repositories: names.map((name) => ({ name: `acme/${name}`, private: true, labels: ["feedback"] })),
    projects,
    after: deadlines.after,
  });
  stage.reconfigure({
    config: {
      board: { url: board.pass(stage.board.url), ...deadline },
      tracker: { url: tracker.pass(stage.github.url), ...deadline },
    },
  });
  for (const name of names) addPlanned(stage, 1, name);
  return { stage, board, tracker };
}

/** All manners at once: each takes a deadline. */
async function eachManner(test: (act: Act, manner: string) => Promise<void>): Promise<void> {
  await Promise.all(manners.map(([manner, act]) => test(act, manner)));
}

it("a list of the board without an end fails its project, and the others go on", async () => {
  await eachManner(async (act, manner) => {
    const { stage, board } = await openThree();
    board.instead("GET", "project=prj_two", act);
    const { result, projects } = await stage.sync();
    expect({ result, projects }, manner).toMatchObject({
      result: "partial",
      projects: [{ created: 1 }, { created: 0, failed: 1 }, { created: 1 }],
    });
    expect(projects[1]?.errors[0]?.code, manner).toMatch(/^board\.(unreachable|unreadable)$/);
    expect(projects[1]?.errors[0]?.message, manner).toContain("within 1000 ms");
    expect(await stage.sync(), manner).toMatchObject({ result: "ok", projects: [{}, { created: 1 }, {}] });
  });
});

it("a list of issues without an end fails its project, and the others go on", async () => {
  await eachManner(async (act, manner) => {
    const { stage, tracker } = await openThree();
    tracker.instead("GET", "/acme/two/issues", act, 9);
    const { result, projects } = await stage.sync();
    expect({ result, projects }, manner).toMatchObject({
      result: "partial",
      projects: [{ created: 1 }, { created: 0 }, { created: 1 }],
    });
    expect(projects[1]?.errors, manner).toMatchObject([{ code: expect.stringMatching(/^tracker\.unreach/) }]);
  });
});

it("a PATCH without an answer is in doubt, is looked up, and reaches voters once", async () => {
  await eachManner(async (act, manner) => {
    const { stage, board } = await openThree();
    await stage.sync();
    for (const name of names) stage.github.close(`acme/${name}`, 1, "completed");
    board.instead("PATCH", "project=prj_two", act);
    stage.mark();
    expect(await stage.sync(), manner).toMatchObject({
      projects: [
        { postWrites: 1 },
        { postWrites: 0, errors: [{ code: "board.unknown", issue: "acme/two#1" }] },
        { postWrites: 1 },
      ],
    });
    stage.clock.skip(3 * 60_000);
    // The sandbox never saw it, and its records have a time that proves it.
    expect(await stage.sync(), manner).toMatchObject({ result: "ok", projects: [{}, { postWrites: 1 }, {}] });
    expect(stage.patches(), manner).toHaveLength(3);
  });
});

it("a new issue without an answer is in doubt, is looked up, and is opened once", async () => {
  await eachManner(async (act, manner) => {
    const { stage, tracker } = await openThree();
    tracker.instead("POST", "/acme/two/issues", act);
    expect(await stage.sync(), manner).toMatchObject({
      projects: [{ created: 1 }, { created: 0, errors: [{ code: "tracker.unknown" }] }, { created: 1 }],
    });
    expect(await stage.sync(), manner).toMatchObject({ projects: [{}, { created: 0, waiting: 1 }, {}] });
    stage.clock.skip(16 * 60_000);
    expect(await stage.sync(), manner).toMatchObject({ result: "ok", projects: [{}, { created: 1 }, {}] });
    for (const name of names) expect(stage.github.issues(`acme/${name}`), manner).toHaveLength(1);
  });
});

it("a run whose every read hangs ends with its budget, and the next one is whole", async () => {
  const { stage, board } = await openThree();
  board.instead("GET", "/feedback", saysNothing, 99);
  stage.reconfigure({
    config: {
      budget: "2s",
      board: { url: board.pass(stage.board.url), ...deadline, retries: 10 },
    },
  });
  // Retries rest on the stage's clock, which only their pauses move.
  const { durationMs, projects } = await stage.sync();
  expect(durationMs).toBeLessThanOrEqual(2000);
  expect(projects.map(({ created }) => created)).toEqual([0, 0, 0]);
  expect(board.taken).toBeLessThan(12);
});
