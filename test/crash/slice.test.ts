/** @module-tag long */
import { describe, it } from "vitest";
import { killAt, measure, nameOf, type Point } from "./kill.ts";
import { scenarios } from "./scenarios.ts";

/** A few of all combinations, for `npm test`: `npm run test:crash` has all. */
const chosen = ["a new issue at once", "issues closed, labelled", "ten labelled issues", "a release becomes"];

/** After the last write was applied, and between two commits halfway. */
function choosePoints(points: readonly Point[]): readonly Point[] {
  const writes = points.filter(({ kind, when }) => kind === "write" && when === "after");
  const commits = points.filter(({ kind }) => kind === "commit");
  const found = [writes.at(-1), commits.at(commits.length / 2)];
  return found.filter((point) => point !== undefined);
}

const measured = await Promise.all(
  scenarios
    .filter(({ name }) => chosen.some((start) => name.startsWith(start)))
    .map(async (scenario) => [scenario.name, scenario, await measure(scenario)] as const),
);

describe.each(measured)("%s", (_, scenario, undisturbed) => {
  const points = choosePoints(undisturbed.points).map((point) => [nameOf(point), point] as const);

  it.each(points)("killed %s", async (__, point) => {
    await killAt(scenario, point, undisturbed);
  });
});
