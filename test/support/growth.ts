import { expect } from "vitest";

/**
 * Expects that work on a text of 256 kB costs about 16 times as much as on one of 16 kB; what is quadratic costs 256 times
 * as much. What is counted is the work of this thread's processor, which other processes don't add to, and not the time.
 */
export function expectLinear(work: (size: number) => unknown, name: string): void {
  const cost = (size: number): number => {
    const before = process.threadCpuUsage();
    work(size);
    const { user } = process.threadCpuUsage(before);
    return user;
  };
  cost(16_000);
  const small = Math.max(cost(16_000), 1_000);
  expect(cost(256_000), name).toBeLessThan(80 * small);
}
