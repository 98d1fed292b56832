/** @module-tag long */
import { getHeapStatistics } from "node:v8";
import { expect, it } from "vitest";
import { createRelease } from "../../src/daemon/release.ts";

it("gives back what a run has left behind, and leaves alone what is in use", () => {
  const release = createRelease();
  release();
  const before = getHeapStatistics().total_physical_size;
  const used = Array.from({ length: 1000 }, (_, index) => ({ index }));
  // 40 MB that nobody holds.
  Array.from({ length: 500_000 }, (_, index) => ({ index, text: `post ${index}` }));
  expect(getHeapStatistics().total_physical_size - before).toBeGreaterThan(20_000_000);
  release();
  expect(getHeapStatistics().total_physical_size - before).toBeLessThan(10_000_000);
  expect(used.at(-1)).toEqual({ index: 999 });
});
