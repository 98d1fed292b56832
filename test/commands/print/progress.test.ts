import { describe, expect, it } from "vitest";
import { createProgressBar } from "../../../src/commands/print/progress.ts";
import { createOutput } from "../stage.ts";

const step = { project: "acme-app", what: "issues opened", done: 3, total: 40 } as const;

async function openBar() {
  const output = createOutput({ isTerminal: true });
  let time = 0;
  const bar = await createProgressBar(output, () => time, true);
  if (bar === undefined) throw new Error("There is no bar.");
  const wait = (ms: number): void => {
    time += ms;
  };
  return { output, bar, wait };
}

describe("a progress bar", () => {
  it("appears on a terminal once the work takes longer than two seconds", async () => {
    const { output, bar, wait } = await openBar();
    wait(1999);
    bar.show(step);
    expect(output.text()).toBe("");
    wait(1);
    bar.show(step);
    expect(output.text()).toContain("acme-app: issues opened");
    expect(output.text()).toContain("3 of 40");
    bar.stop();
  });

  it.each([
    ["no terminal", false, true],
    ["--quiet", true, false],
  ])("never appears with %s", async (_, isTerminal, isWanted) => {
    expect(await createProgressBar(createOutput({ isTerminal }), Date.now, isWanted)).toBeUndefined();
  });

  it("says how much there was so far where nobody knows the end, and goes on with the next part", async () => {
    const { output, bar, wait } = await openBar();
    wait(2000);
    bar.show({ ...step, what: "posts read", total: undefined });
    expect(output.text()).toContain("3 so far");
    bar.show({ ...step, what: "posts read", done: 7, total: undefined });
    bar.show(step);
    expect(output.text()).toContain("issues opened");
    bar.stop();
  });

  it("lets a line of the log stand above it", async () => {
    const { output, bar, wait } = await openBar();
    wait(2000);
    bar.show(step);
    bar.write("a line\n");
    expect(output.text().endsWith("\r\u001b[Ka line\n")).toBe(true);
    bar.stop();
  });

  it("is gone when it is stopped, and the cursor is back", async () => {
    const { output, bar, wait } = await openBar();
    wait(2000);
    bar.show(step);
    bar.stop();
    expect(output.text().lastIndexOf("\u001b[?25h")).toBeGreaterThan(output.text().lastIndexOf("40"));
    bar.stop();
  });
});
