import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ToolWriting } from "../../src/board/tools.ts";
import type { ProjectId } from "../../src/model/post.ts";
import { type PulledCycle, startCourse, startTally } from "../../src/sync/ground/cycle-state.ts";
import { callTool, type Looked, resolveCalls, type ToolRequest } from "../../src/sync/write/call.ts";
import { importing, tools as importTools } from "../support/import-stage.ts";
import { hostMcp } from "../support/mcp/server.ts";
import { privateRepositories, twoProjects } from "../support/setups.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";
import { createFakeTools, type FakeTools } from "../support/tools.ts";

const project = "prj_app" as ProjectId;
const outcomeOf = async (...asked: Parameters<typeof callTool>) => (await callTool(...asked)).outcome;

describe("a call of one of the board's own tools", () => {
  let stage: Stage;
  let tools: FakeTools;
  let cycle: PulledCycle;

  beforeEach(async () => {
    stage = await openStage();
    await stage.sync();
    tools = createFakeTools();
    cycle = await cycleOf(stage, tools);
  });

  const request = (facts: Partial<ToolRequest> = {}): ToolRequest => ({
    purpose: "changelogCreate",
    subject: "v1.2",
    args: { title: "v1.2", text: "All new.", publish: false },
    reason: "v1.2 was published",
    name: "changelog v1.2",
    tell: { fields: [{ field: "title", value: "v1.2" }], issue: undefined },
    isApproved: false,
    ...facts,
  });
  const known = (purpose: ToolWriting = "changelogCreate") =>
    stage.ledger.toolCalls.find({ project, purpose, subject: "v1.2" });
  const history = () => stage.ledger.journal.history(project, undefined, 9);

  it("is on the disk as sent when it arrives, and ends with the id that the board gives", async () => {
    let before: unknown;
    tools.beforeAnswer = async () => {
      before = (await known())?.state;
    };
    const recorded: unknown[] = [];
    const record: ToolRequest["record"] = async (_, one) => void recorded.push(one?.id);
    expect(await outcomeOf(cycle, request({ record }))).toEqual({ kind: "done" });
    expect([before, recorded]).toEqual(["SENT", ["e1"]]);
    expect(await known()).toMatchObject({ state: "DONE", result: "e1", attempts: 1 });
    expect(await history()).toMatchObject([{ kind: "create-entry", subject: "v1.2", outcome: "applied" }]);
  });

  it("is made once, whoever asks again", async () => {
    await outcomeOf(cycle, request());
    expect(await outcomeOf(cycle, request({ args: { title: "another" } }))).toEqual({ kind: "unneeded" });
    expect(tools.calls).toHaveLength(1);
  });

  it("is not repeated while nobody knows what became of it", async () => {
    tools.faults.push("answer lost");
    expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "failed" });
    expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "wait", cause: "in-doubt" });
    expect(await known()).toMatchObject({ state: "UNKNOWN" });
    expect(tools.calls).toHaveLength(1);
    expect(cycle.tally.errors).toMatchObject([{ code: "board.unknown" }]);
  });

  it.each([
    ["rejected", "REJECTED", 1, "board.tool"],
    ["unsent", "PREPARED", 0, "board.unreachable"],
    ["unauthorized", "PREPARED", 1, "board.unauthorized"],
  ] as const)("that is %s did nothing", async (fault, state, attempts, code) => {
    tools.faults.push(fault);
    expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "failed" });
    expect(await known()).toMatchObject({ state, attempts });
    expect(cycle.tally.errors).toMatchObject([{ code }]);
    expect(tools.entries).toEqual([]);
  });

  it("waits for the end of a limit, which closes the board for the run", async () => {
    tools.faults.push("limited");
    expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "wait", cause: "limit" });
    expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "wait", cause: "limit" });
    expect([tools.calls, cycle.tally.errors]).toEqual([[], []]);
  });

  it("waits where the config names no tool for it", async () => {
    const without = await cycleOf(stage, createFakeTools(["changelogList"]));
    expect(await outcomeOf(without, request())).toMatchObject({ kind: "wait" });
    expect(
      await outcomeOf({ ...cycle, world: { ...cycle.world, tools: undefined } }, request()),
    ).toMatchObject({
      kind: "wait",
    });
    expect(await known()).toBeUndefined();
  });

  it.each([project, undefined])("does not leave while a person has paused %s", async (paused) => {
    await stage.ledger.commit([{ kind: "pause-whole", project: paused, at: stage.clock.now() }]);
    expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "pause" });
    expect(await known()).toMatchObject({ state: "PREPARED", attempts: 0 });
    expect(tools.calls).toEqual([]);
  });

  it("does not leave once another config was read, also in the last moment", async () => {
    let asked = 0;
    const changedAt = (last: number) => () => {
      asked += 1;
      return asked > last ? stage.clock.now() : undefined;
    };
    for (const last of [0, 1]) {
      asked = 0;
      const stopped = { ...cycle, world: { ...cycle.world, changedAt: changedAt(last) } };
      expect(await outcomeOf(stopped, request())).toMatchObject({ kind: "wait", cause: "writes-off" });
    }
    expect(await known()).toMatchObject({ state: "PREPARED", attempts: 0 });
    expect(tools.calls).toEqual([]);
  });

  describe("whose answer was lost", () => {
    const looked: Looked = { kind: "made", id: "e1", message: "found by its title" };
    const look = (found: Looked) => {
      const asked: string[] = [];
      const find = async ({ subject }: { subject: string }): Promise<Looked> => {
        asked.push(subject);
        return found;
      };
      return { asked, find };
    };
    beforeEach(async () => {
      tools.faults.push("answer lost");
      await outcomeOf(cycle, request());
    });

    it("rests before it is looked up", async () => {
      const { asked, find } = look(looked);
      await resolveCalls(cycle, "changelogCreate", find);
      expect(asked).toEqual([]);
      stage.clock.skip(cycle.world.policy.waits.createMs);
      await resolveCalls(cycle, "changelogPublish", find);
      expect(asked).toEqual([]);
      await resolveCalls(cycle, "changelogCreate", find);
      expect(asked).toEqual(["v1.2"]);
      expect(await known()).toMatchObject({ state: "DONE", result: "e1", message: "found by its title" });
      expect(await history()).toMatchObject([{ outcome: "applied" }]);
    });

    it("is made once more where it provably was not", async () => {
      stage.clock.skip(cycle.world.policy.waits.createMs);
      await resolveCalls(cycle, "changelogCreate", look({ kind: "absent", message: "not there" }).find);
      expect(await known()).toMatchObject({ state: "PREPARED" });
      expect(await outcomeOf(cycle, request())).toEqual({ kind: "done" });
      expect(await known()).toMatchObject({ state: "DONE", attempts: 2 });
      expect(await history()).toMatchObject([{ outcome: "applied" }, { outcome: "not-applied" }]);
    });

    it("is over where a person has to ask anew", async () => {
      stage.clock.skip(cycle.world.policy.waits.createMs);
      const over: Looked = { kind: "absent", message: "not published", isOver: true };
      await resolveCalls(cycle, "changelogCreate", look(over).find);
      expect(await known()).toMatchObject({ state: "REJECTED", message: "not published" });
    });

    it("stays unsure where that can't be told, and is never called again", async () => {
      stage.clock.skip(cycle.world.policy.waits.createMs);
      const { find } = look({ kind: "unsure", why: "the list is cut" });
      await resolveCalls(cycle, "changelogCreate", find);
      await resolveCalls(cycle, "changelogCreate", find);
      expect(await known()).toMatchObject({ state: "UNKNOWN", isUnsure: true, message: "the list is cut" });
      expect(await outcomeOf(cycle, request())).toMatchObject({ kind: "wait", cause: "in-doubt" });
      expect(tools.calls).toHaveLength(1);
    });
  });

  it("that was under way when the process died is in doubt from the next run on", async () => {
    const key = { project, purpose: "changelogCreate", subject: "v1.2" } as const;
    const at = stage.clock.now();
    const line = { kind: "send-call", ...key, run: 1, hash: "h", reason: "so", at } as const;
    await stage.ledger.commitSent([line], { project, post: undefined });
    await stage.sync();
    expect(await known()).toMatchObject({ state: "UNKNOWN", unknownAt: stage.clock.now() });
    expect(stage.log.join("")).toContain("Writes were under way when the last run ended");
  });
});

/** As much of a cycle as a call looks at. */
async function cycleOf(stage: Stage, tools: FakeTools): Promise<PulledCycle> {
  let found: PulledCycle | undefined;
  stage.bend((world) => {
    const { ledger, clock } = world;
    const memory = ledger.memory.project("acme-app");
    const bounds = { until: clock.now() + 86_400_000, signal: new AbortController().signal };
    const run = { number: 1, order: { kind: "sync" }, bounds, closed: new Map() };
    const settings = { writes: "all" };
    const project = { key: "acme-app", settings, templates: {} };
    found = {
      ...{ world: { ...world, tools }, memory, run, settings, project },
      ...{ tally: startTally(), course: startCourse() },
    } as unknown as PulledCycle;
    return world;
  });
  await stage.sync();
  stage.bend((world) => world);
  if (found === undefined) throw new Error("The stage made no world.");
  return found;
}

describe("a server of tools", () => {
  const repositories = [
    {
      name: "acme/app",
      private: true,
      labels: ["feedback", "in progress", "idea"],
      collaborators: ["maintainer"],
    },
    ...privateRepositories("acme/api"),
  ];
  const wish = { title: "CSV", body: "x", author: "maintainer", labels: ["idea"] };

  it("that is down leaves the board's own API open: other projects' voters are told", async () => {
    const stage = await openStage({
      ...{ boardProjects: twoProjects, repositories },
      config: { board: { mcp: { url: "http://127.0.0.1:9/api/mcp", tools: importTools } } },
      projects: [importing, { ...standardProject, project: "acme-api", repo: "acme/api" }],
    });
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    await stage.sync();
    stage.github.openIssue("acme/app", wish);
    stage.github.close("acme/api", 1, "completed");
    const { projects } = await stage.sync();
    expect(projects).toMatchObject([
      { errors: [{ code: "board.unreachable" }] },
      { statusWrites: 1, errors: [] },
    ]);
  });

  it("that lacks a tool for a while parks nothing: it is called once it is there", async () => {
    const other = { name: "other", description: "Of no use", input: z.object({}), run: () => ({}) };
    const create = {
      name: "create_feedback",
      description: "Makes a post",
      input: z.object({ title: z.string(), description: z.string() }),
      run: () => ({ id: "p1", title: "CSV" }),
    };
    const host = await hostMcp({ isStructured: true, tools: [other] });
    const args = { title: "{{ issue.title }}", description: "{{ issue.body }}" };
    const stage = await openStage({
      repositories,
      config: {
        board: { mcp: { url: host.url, tools: { feedbackCreate: { name: "create_feedback", args } } } },
      },
      projects: [{ ...standardProject, import: { labels: ["idea"] } }],
    });
    stage.github.openIssue("acme/app", wish);
    for (let run = 0; run < 2; run += 1) {
      const message = expect.stringContaining("has no tool `create_feedback`");
      expect(await stage.syncOne()).toMatchObject({ parked: 0, errors: [{ code: "board.tool", message }] });
    }
    host.dialect = { isStructured: true, tools: [other, create] };
    stage.clock.skip(hourMs);
    await stage.sync();
    expect(host.called()).toEqual(["create_feedback"]);
  });
});
