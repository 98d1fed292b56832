import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { root, version } from "./files.ts";
import { readAction } from "./runner.ts";
import { listAt, parseSample } from "./sample.ts";

describe("GitHub Actions", () => {
  const workflow = parseSample("github-actions.yml");
  const steps = listAt(workflow, "jobs", "sync", "steps");
  const own = "./boardsync/";
  const step = steps.find(({ uses }) => String(uses).startsWith(own)) ?? {};

  it("runs on a schedule, one at a time, and never ends a run that is going on", () => {
    expect(listAt(workflow, "on", "schedule")).toHaveLength(1);
    expect(workflow.toJS()).toMatchObject({
      permissions: { contents: "read" },
      concurrency: { group: "boardsync", "cancel-in-progress": false },
    });
  });

  it("uses the action where its own checkout puts it, with inputs that it has", () => {
    const place = String(step["uses"]).replace(own, "");
    expect(existsSync(`${root}${place}/action.yml`)).toBe(true);
    const { inputs } = readAction(`${root}${place}/action.yml`);
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(Object(step["with"]))));
  });

  it("gives the secrets to the action alone", () => {
    const holders = steps.filter((one) => JSON.stringify(one).includes("secrets."));
    expect(holders).toEqual([step]);
  });

  it("runs this version, and leaves no token behind for other steps", () => {
    const checkouts = steps.filter(({ uses }) => String(uses).startsWith("actions/checkout@"));
    expect(checkouts.map((one) => Object(one["with"])["persist-credentials"])).toEqual([false, false]);
    expect(checkouts[1]?.["with"]).toMatchObject({ ref: `v${version}`, path: own.split("/")[1] });
  });

  it("says what to set while nobody has said where the code is", () => {
    const [first] = steps;
    expect(first?.["if"]).toBe("vars.BOARDSYNC_REPOSITORY == ''");
    const { status, stdout } = spawnSync("bash", ["-e", "-c", String(first?.["run"])], { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stdout).toMatch(/^::error::.*BOARDSYNC_REPOSITORY/);
  });
});
