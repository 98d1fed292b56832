import { describe, expect, it } from "vitest";
import { createProgressBar, describeExtent } from "../../src/commands/print/progress.ts";
import { createOutput, openStage } from "./stage.ts";

const minuteMs = 60_000;
const noon = new Date(2026, 2, 2, 12).getTime();

describe("an import that the pace draws out", () => {
  it.each([
    [30 * minuteMs, "1,240 of 5,000, done about 12:30"],
    [14 * 60 * minuteMs, "1,240 of 5,000, done about 2026-03-03 02:00"],
  ])("is told with its end in %s ms", (afterMs, words) => {
    expect(describeExtent({ done: 1240, total: 5000, doneAt: noon + afterMs }, noon)).toBe(words);
  });

  it("is told by the bar on a terminal", async () => {
    const output = createOutput({ isTerminal: true });
    let time = noon;
    const bar = await createProgressBar(output, () => time, true);
    time += 2000;
    for (let done = 0; done < 50; done += 1) {
      bar?.show({
        project: "acme-app",
        what: "issues opened",
        done: 1200 + done,
        total: 5000,
        doneAt: noon + 30 * minuteMs,
      });
      time += 100;
    }
    bar?.stop();
    expect(output.text()).toMatch(/1,2\d\d of 5,000, done about 12:30/);
  });

  it("is told by `status` and in the log, until the last issue is opened", async () => {
    const stage = await openStage();
    const config = (perHour: number): string =>
      stage.writeConfig("paced.yaml", (text) =>
        text.replace("{ minIntervalMs: 0 }", `{ minIntervalMs: 0, createsPerHour: ${perHour} }`),
      );
    const file = config(2);
    const begun = Date.now();
    const { err } = await stage.run(["sync", "--config", file]);
    expect(err).toContain('"msg":"Import goes on"');
    const { json } = await stage.run(["status", "--json", "--config", file]);
    const report = json() as {
      readonly projects: readonly [{ readonly import: { readonly doneAt: string } }];
    };
    expect(report.projects[0].import).toEqual({ done: 1, total: 4, doneAt: expect.any(String) });
    const doneAt = Date.parse(report.projects[0].import.doneAt);
    expect(doneAt).toBeGreaterThan(begun + 1.9 * 3_600_000);
    expect(doneAt).toBeLessThan(Date.now() + 2.1 * 3_600_000);
    const { out } = await stage.run(["status", "--config", file]);
    expect(out).toMatch(/\n {2}acme-app: issues opened: 1 of 4, done about (\S+ )?\d\d:\d\d\.\n/);
    await stage.run(["sync", "--config", config(100)]);
    const after = await stage.run(["status", "--json", "--config", file]);
    expect(after.json()).toMatchObject({ projects: [{ issues: 4, import: null }, {}] });
  });
});
