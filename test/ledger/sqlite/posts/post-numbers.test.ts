import fc from "fast-check";
import { expect, it } from "vitest";
import { createPostSet, createPostTimes } from "../../../../src/ledger/sql/posts/post-numbers.ts";

const posts = fc.array(fc.integer({ min: 1, max: 5000 }));

it("a set of posts holds what was added to it, once", () => {
  fc.assert(
    fc.property(posts, (numbers) => {
      const set = createPostSet();
      for (const number of numbers) set.add(number);
      const expected = new Set(numbers);
      expect(set.size).toBe(expected.size);
      for (let number = 0; number <= 5001; number += 1) {
        if (set.has(number) !== expected.has(number)) throw new Error(`${number} is told wrong.`);
      }
    }),
    { numRuns: 50 },
  );
});

it("the times of posts are those that were set last, and none where one was deleted", () => {
  const times = createPostTimes();
  times.set(7, 0);
  times.set(4000, 5);
  times.set(4000, 6);
  times.set(8, 1);
  times.delete(8);
  times.delete(9_000_000);
  expect([7, 8, 9, 4000, 9_000_000].map(times.get)).toEqual([0, undefined, undefined, 6, undefined]);
  times.clear();
  expect(times.get(7)).toBeUndefined();
});
