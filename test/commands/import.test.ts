import { describe, expect, it } from "vitest";
import { openStage } from "./stage.ts";

describe("an import that the pace draws out", () => {
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
    expect(report.projects[0].import).toEqual({ done: 2, total: 4, doneAt: expect.any(String) });
    const doneAt = Date.parse(report.projects[0].import.doneAt);
    expect(doneAt).toBeGreaterThan(begun + 1.9 * 3_600_000);
    expect(doneAt).toBeLessThan(Date.now() + 2.1 * 3_600_000);
    const { out } = await stage.run(["status", "--config", file]);
    expect(out).toMatch(
      /\n {2}acme-app: issues opened: 2 of 4, the last one about .*\d\d:\d\d(?: UTC)? \(in .+\)\.\n/,
    );
    await stage.run(["sync", "--config", config(100)]);
    const after = await stage.run(["status", "--json", "--config", file]);
    expect(after.json()).toMatchObject({ projects: [{ issues: 4, import: null }, {}] });
  });
});
