import { describe, expect, it } from "vitest";
import { killAt, measure, nameOf } from "./kill.ts";
import { scenarios } from "./scenarios.ts";

// The points are those of a run as it is now: nobody has to keep a list of them.
const measured = await Promise.all(
  scenarios.map(async (scenario) => [scenario.name, scenario, await measure(scenario)] as const),
);

describe.each(measured)("%s", (_, scenario, undisturbed) => {
  const points = undisturbed.points.map((point) => [nameOf(point), point] as const);

  it("does what it is about where nobody kills it", () => {
    expect(undisturbed.end.issues).toHaveLength(scenario.issues);
    expect(undisturbed.end.mails).toHaveLength(scenario.mails);
    expect(undisturbed.end.entries).toHaveLength(scenario.entries ?? 0);
  });

  it.concurrent.each(points)("killed %s", async (__, point) => {
    await killAt(scenario, point, undisturbed);
  });
});
