import { expect, it } from "vitest";
import { composeDigest } from "../../src/daemon/digest.ts";
import { createMetrics } from "../../src/daemon/metrics.ts";
import { findCauses } from "../../src/daemon/notices.ts";
import { tellEntries } from "../../src/sync/tell/entries.ts";
import { countProject } from "../../src/sync/tell/project-report.ts";
import { describeState, readProjectState } from "../../src/sync/tell/project-state.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";
import { createFakeTools } from "../support/tools.ts";

const tools = {
  changelogList: { name: "list" },
  changelogCreate: {
    name: "create",
    args: { title: "{{ entry.title }}", text: "{{ entry.body }}", publish: false },
  },
  changelogUpdate: { name: "update", args: { id: "{{ entry.id }}", text: "{{ entry.body }}" } },
  changelogPublish: { name: "publish", args: { id: "{{ entry.id }}" } },
};

/** A project with a changelog that has had its first look at the releases. */
async function openReleased() {
  const stage = await openStage({
    config: { settle: "0s", guard: { issues: 1 }, board: { mcp: { tools } } },
    projects: [{ ...standardProject, changelog: { releases: "v*", publish: "approve" } }],
  });
  const fake = createFakeTools();
  stage.bend((world) => ({ ...world, tools: fake }));
  stage.github.publishRelease("acme/app", { tag: "v1.0" });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  return { stage, tools: fake };
}

/** What everybody who tells of it says needs a person. */
async function tellAll(stage: Stage) {
  const project = "acme-app";
  const report = await stage.syncOne();
  const now = stage.clock.now();
  const state = await readProjectState(stage.ledger, project, { now });
  const text = await createMetrics(stage.ledger, "0").render([{ key: project, periodMs: 1000, now }]);
  const gauge = (name: string): number =>
    Number(new RegExp(`^boardsync_${name}{project="acme-app"} (.*)$`, "m").exec(text)?.[1]);
  const counts = await countProject(stage.ledger, stage.ledger.memory.project(project), false);
  const { held = 0, parked = 0, quarantined = 0, paused = 0 } = counts ?? {};
  const done = { opened: 0, told: 0, known: 0, unknown: 0, failed: 0 };
  return {
    report: { result: report.result, held: report.held, parked: report.parked },
    gauges: { held: gauge("held"), parked: gauge("parked") },
    state: `${state.kind}: ${describeState(state)}`,
    digest: composeDigest([{ project, ...done, held, parked, quarantined, paused }], 0)
      .split("; ")
      .at(-1),
    notice: findCauses(report, [], await tellEntries(stage.ledger, project, "approve")).map(
      ({ sentence }) => sentence,
    ),
  };
}

it("drafts of a changelog that the guard holds need a person, whoever tells of them", async () => {
  const { stage } = await openReleased();
  for (const tag of ["v1.1", "v1.2", "v1.3"]) stage.github.publishRelease("acme/app", { tag });
  expect(await tellAll(stage)).toEqual({
    report: { result: "held", held: 3, parked: 0 },
    gauges: { held: 3, parked: 0 },
    state: "needs-you: needs you (3 actions)",
    digest: "3 to approve.",
    notice: [
      "acme-app: 3 to approve (changelog:v1.3, changelog:v1.2, changelog:v1.1). Next: `boardsync status` shows why, and the ways out.",
    ],
  });
});

it("so does a draft that the board has refused, and the notice names the command for it", async () => {
  const { stage, tools: fake } = await openReleased();
  fake.faults.push("rejected");
  stage.github.publishRelease("acme/app", { tag: "v1.1" });
  await stage.syncOne();
  expect(await tellAll(stage)).toEqual({
    report: { result: "held", held: 0, parked: 1 },
    gauges: { held: 0, parked: 1 },
    state: "needs-you: needs you (1 action)",
    digest: "1 to retry.",
    notice: [
      "acme-app: 1 to retry (changelog:v1.1). Next: `boardsync status` says why, `boardsync retry acme-app changelog:v1.1` tries again.",
    ],
  });
});
