import { describe, expect, it } from "vitest";
import { version } from "./files.ts";
import { listAt, parseSample } from "./sample.ts";

describe("GitHub Actions", () => {
  const workflow = parseSample("github-actions.yml");
  const steps = listAt(workflow, "jobs", "sync", "steps");
  const stepOf = (start: string) =>
    steps.find(({ uses, run }) => String(uses ?? run).startsWith(start)) ?? {};

  it("runs on a schedule, one at a time, and never ends a run that is going on", () => {
    expect(listAt(workflow, "on", "schedule")).toHaveLength(1);
    expect(workflow.toJS()).toMatchObject({
      permissions: { contents: "read" },
      concurrency: { group: "boardsync", "cancel-in-progress": false },
    });
  });

  it("keeps the state from run to run, whether they fail or not", () => {
    const restored = stepOf("actions/cache/restore@");
    const saved = stepOf("actions/cache/save@");
    expect(saved["if"]).toBe("always()");
    expect(saved["with"]).toEqual({ path: "state", key: Object(restored["with"]).key });
    expect(Object(saved["with"]).key).toContain("github.run_attempt");
    expect(stepOf("node")["env"]).toMatchObject({ BOARDSYNC_STATE: "state/boardsync.db" });
  });

  it("gives the secrets to the run alone", () => {
    const holders = steps.filter((step) => JSON.stringify(step).includes("secrets."));
    expect(holders).toEqual([stepOf("node")]);
    expect(stepOf("node")["env"]).toMatchObject({
      BOARD_API_KEY: "$" + "{{ secrets.BOARD_API_KEY }}",
      GITHUB_TOKEN: "$" + "{{ secrets.BOARDSYNC_GITHUB_TOKEN }}",
    });
  });

  it("runs this version, and leaves no token behind for other steps", () => {
    const checkouts = steps.filter(({ uses }) => String(uses).startsWith("actions/checkout@"));
    expect(checkouts.map((step) => Object(step["with"])["persist-credentials"])).toEqual([false, false]);
    expect(Object(checkouts[1]?.["with"]).ref).toBe(`v${version}`);
  });
});
