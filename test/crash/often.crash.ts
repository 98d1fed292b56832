import { expect, it, onTestFinished } from "vitest";
import { runAndKill, settle } from "./kill.ts";
import { importOf } from "./scenarios.ts";
import { openWorld, view } from "./world.ts";

const posts = 20;
const kills = 10;

it(`${posts} posts become ${posts} issues, whatever is killed ${kills} times in a row`, async () => {
  const scenario = importOf(posts);
  const world = await openWorld(scenario.setting);
  onTestFinished(() => world.close());
  scenario.before(world);
  for (let kill = 1; kill <= kills; kill += 1) {
    // Each of them opens at least one issue, and every second one dies before it knows.
    const point = { kind: "write", at: 2, when: kill % 2 === 0 ? "after" : "before", what: "" } as const;
    expect(await runAndKill(world, ["sync"], point)).toBe("SIGKILL");
  }
  await settle(scenario, world);
  const { issues, mails } = view(world);
  expect(issues).toHaveLength(posts);
  expect(new Set(issues.map(({ title }) => title)).size).toBe(posts);
  expect(mails).toEqual([]);
  expect(world.checkState()).toBe("ok");
});
