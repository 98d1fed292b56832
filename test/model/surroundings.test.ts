import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Clock, startDeadline } from "../../src/model/surroundings.ts";

const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() };

describe("a deadline", () => {
  it("is kept by the clock, where that has timers, which also calls it off", () => {
    const running = new Map<() => void, number>();
    const after = (ms: number, end: () => void) => {
      running.set(end, ms);
      return () => void running.delete(end);
    };
    const end = () => undefined;
    const callOff = startDeadline({ ...clock, after }, 500, end);
    expect([...running]).toEqual([[end, 500]]);
    callOff();
    expect(running.size).toBe(0);
  });

  it("is kept by the machine's timers, where the clock has none", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const ended: string[] = [];
    startDeadline(clock, 500, () => ended.push("one"));
    const callOff = startDeadline(clock, 500, () => ended.push("other"));
    vi.advanceTimersByTime(499);
    expect(ended).toEqual([]);
    callOff();
    vi.advanceTimersByTime(1);
    expect(ended).toEqual(["one"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
