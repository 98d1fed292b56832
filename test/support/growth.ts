import { expect } from "vitest";

const small = 16_000;
const times = 16;
/** Linux may count a thread's work in steps of 4 ms: of less it says nothing. In microseconds, as is what it counts. */
const leastCounted = 8_000;

/**
 * Expects that work on a text of 256 kB costs about as much as sixteen times the same work on one of 16 kB; what is
 * quadratic costs 16 times as much. What is counted is the work of this thread's processor, which other processes don't add
 * to, and not the time.
 */
export function expectLinear(work: (size: number) => unknown, name: string): void {
  const cost = (size: number, repeats: number): number => {
    const before = process.threadCpuUsage();
    for (let repeat = 0; repeat < repeats; repeat += 1) work(size);
    return process.threadCpuUsage(before).user;
  };
  cost(small, times);
  const expected = Math.max(cost(small, times), leastCounted);
  expect(cost(small * times, 1), name).toBeLessThan(5 * expected);
}
