import { describe, expect, it } from "vitest";
import { secondaryLimit } from "../../src/sandbox/github/faults.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
const isList = { when: ({ method }: { readonly method: string }) => method === "GET" };
const onCreate = { method: "POST", path: "/issues" };
const inAnHour = { kind: "answer", status: 429, headers: { "retry-after": "3600" } } as const;

/** Two linked posts; a third one wants an issue, and the first one a status. */
async function openBusy(projects = [{ ...standardProject, schedule: "0 12 * * *" }]): Promise<Stage> {
  const stage = await openStage({ projects });
  addPlanned(stage, 2);
  await stage.sync();
  addPlanned(stage, 1);
  stage.github.close("acme/app", 1, "completed");
  return stage;
}

describe("a side that has named a time", () => {
  it.each<[string, (stage: Stage) => void]>([
    [
      "the tracker, to a write",
      (stage) => stage.github.failNext({ ...onCreate, answer: secondaryLimit(3_600) }),
    ],
    ["the tracker, to a read", (stage) => stage.github.failNext({ answer: secondaryLimit(3_600) })],
    [
      "the tracker, to a read for one post",
      (stage) => {
        stage.board.editPost("acme-app", "p2", { title: "Another title" });
        stage.github.failNext({ path: "/issues/2", answer: secondaryLimit(3_600) });
      },
    ],
    ["the board, to a write", (stage) => stage.board.failNext(inAnHour, isPatch)],
    ["the board, to a read", (stage) => stage.board.failNext(inAnHour, isList)],
  ])(
    "(%s) is asked nothing before it, by no later process; that is no failure, and is said",
    async (name, limit) => {
      const stage = await openBusy();
      limit(stage);
      const until = new Date(stage.clock.now() + hourMs + minuteMs).toISOString();
      const [who, code] = name.startsWith("the tracker")
        ? ["GitHub", "tracker.limited"]
        : ["the board", "board.limited"];
      const message = `${who} wants no request before ${until}`;
      expect(await stage.syncOne()).toMatchObject({ putOff: [{ code, message, until }] });
      for (let run = 0; run < 3; run += 1) {
        stage.restart();
        stage.mark();
        const report = await stage.sync();
        expect(report).toMatchObject({ result: "ok", projects: [{ failed: 0, errors: [] }] });
        expect(report.projects[0]?.waiting).toBeGreaterThan(0);
        expect(report.projects[0]?.putOff).toEqual([{ code, message, until }]);
        expect([...stage.reads(), ...stage.writes()]).toEqual([]);
      }
      expect(stage.log.at(-2)).toContain("wants no request before");
      stage.clock.skip(hourMs);
      expect(await stage.syncOne()).toMatchObject({ waiting: 0, failed: 0 });
      expect(stage.github.issues("acme/app")).toHaveLength(3);
      expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    },
  );

  it("puts the other projects of the run off, too, and a plan", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      projects: ["acme-app", "acme-api"].map((project) => ({
        ...standardProject,
        project,
        schedule: "0 12 * * *",
      })),
    });
    stage.board.failNext(inAnHour, isList);
    const { projects } = await stage.sync();
    expect(projects.map(({ waiting, requests }) => [waiting, requests.board])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    stage.mark();
    expect(await stage.plan()).toEqual([]);
    expect(stage.reads()).toEqual([]);
  });

  it("that lies beyond the project's next run fails it, with its end, until that comes near", async () => {
    const stage = await openBusy([{ ...standardProject, schedule: "*/30 * * * *" }]);
    stage.board.failNext(inAnHour, isList);
    const until = new Date(stage.clock.now() + hourMs + minuteMs).toISOString();
    const said = { code: "board.limited", message: `the board wants no request before ${until}.`, until };
    for (let run = 0; run < 2; run += 1) {
      const report = await stage.sync();
      expect(report).toMatchObject({ result: "partial", projects: [{ failed: 1, errors: [said] }] });
      expect(report.projects[0]).not.toHaveProperty("putOff");
    }
    stage.clock.skip(31 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, putOff: [{ code: "board.limited" }] });
  });

  it("is asked again by the next run where it named none", async () => {
    const stage = await openBusy();
    stage.board.failNext({ kind: "answer", status: 429 }, isPatch);
    await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
  });

  it("says so where it named no time", async () => {
    const stage = await openBusy();
    stage.board.failNext({ kind: "answer", status: 429 }, isPatch);
    expect((await stage.syncOne()).putOff).toEqual([
      { code: "board.limited", message: "the board limits requests, and names no end" },
    ]);
    expect(await stage.syncOne()).not.toHaveProperty("putOff");
  });

  it("keeps the latest of the times that answers side by side have named", async () => {
    const stage = await openBusy();
    stage.github.close("acme/app", 2, "completed");
    stage.board.failNext({ ...inAnHour, headers: { "retry-after": "7200" } }, isPatch);
    stage.board.failNext(inAnHour, isPatch);
    await stage.sync();
    expect(stage.patches()).toHaveLength(2);
    stage.clock.skip(1.5 * hourMs);
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual([]);
  });

  it("is asked when the time is further away than any answer could name: the clock was wrong", async () => {
    const stage = await openBusy();
    await stage.ledger.commit([
      { kind: "limit", side: "tracker", budget: "", until: stage.clock.now() + 25 * hourMs },
    ]);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
  });
});
