import { describe, expect, it } from "vitest";
import { createProgressBar } from "../../../src/commands/print/progress.ts";
import { createOutput } from "../stage.ts";

const step = { project: "acme-app", what: "issues opened", done: 3, total: 40 } as const;
const minuteMs = 60_000;
const noon = Date.parse("2026-03-02T12:00:00Z");

function openBar() {
  const shown: string[] = [];
  let time = noon;
  const footer = { show: (text: string) => void shown.push(text), clear: () => undefined };
  const err = createOutput({ isTerminal: true });
  const bar = createProgressBar({ footer, err }, () => time, "Europe/Berlin", true);
  if (bar === undefined) throw new Error("There is no bar.");
  const wait = (ms: number): void => {
    time += ms;
  };
  return { shown, bar, wait };
}

describe("a progress bar", () => {
  it("appears once the work takes longer than two seconds", () => {
    const { shown, bar, wait } = openBar();
    wait(1999);
    bar.show(step);
    expect(shown).toEqual([]);
    wait(1);
    bar.show(step);
    expect(shown).toEqual([expect.stringMatching(/^acme-app: issues opened ██░{28} 3 of 40$/)]);
  });

  it.each([
    ["no terminal", false, true],
    ["--quiet", true, false],
  ])("never appears with %s", (_, isTerminal, isWanted) => {
    const footer = isTerminal ? { show: () => undefined, clear: () => undefined } : undefined;
    const err = createOutput({ isTerminal });
    expect(createProgressBar({ footer, err }, Date.now, "UTC", isWanted)).toBeUndefined();
  });

  it("says how much there was so far where nobody knows the end, and goes on with the next part", () => {
    const { shown, bar, wait } = openBar();
    wait(2000);
    bar.show({ ...step, what: "posts read", total: undefined });
    bar.show(step);
    expect(shown).toEqual(["acme-app: posts read 3 so far", expect.stringContaining("issues opened")]);
  });

  it("is drawn five times a second at most", () => {
    const { shown, bar, wait } = openBar();
    wait(2000);
    for (let done = 0; done < 20; done += 1) {
      bar.show({ ...step, done });
      wait(50);
    }
    expect(shown).toHaveLength(5);
  });

  it.each([
    [30 * minuteMs, "1,240 of 5,000, done about 13:30"],
    [14 * 60 * minuteMs, "1,240 of 5,000, done about 3 Mar, 03:00"],
  ])(
    "says in the config's time zone when the pace lets the last one be done, %s ms later",
    (afterMs, words) => {
      const { shown, bar, wait } = openBar();
      wait(2000);
      bar.show({ ...step, done: 1240, total: 5000, doneAt: noon + afterMs });
      expect(shown).toEqual([expect.stringMatching(new RegExp(` ${words}$`))]);
    },
  );
});
