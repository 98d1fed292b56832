/** @module-tag long */
import { expect, it, onTestFinished } from "vitest";
import { createStoryClock, openStage, type Stage } from "../../../src/commands/demo/stage.ts";
import { project, repository } from "../../../src/demo/company.ts";
import { startStory } from "../../../src/demo/story.ts";
import { createTerminal, makeFolder } from "../stage.ts";
import { createStarter } from "./start-again.ts";

async function openBoth(): Promise<Stage> {
  const clock = createStoryClock();
  const story = await startStory({ now: clock.now, port: undefined });
  onTestFinished(() => story.close());
  const terminal = createTerminal({ startAgain: createStarter().startAgain });
  return openStage(terminal, {}, { story, clock, folder: makeFolder() });
}

it.each([1, 4])(
  "a sync that is killed while GitHub opens issue %i leaves it without an answer, and the next one opens none twice",
  async (nth) => {
    const stage = await openBoth();
    const { board, github } = stage.story;
    expect(await stage.syncAndKill?.(nth)).toBe(true);
    expect(github.issues(repository)).toHaveLength(nth);
    expect(github.creates).toEqual({ asked: nth, answered: nth - 1 });

    const { report } = await stage.sync();
    expect(report).toMatchObject({ result: "ok", projects: [{ issues: 4 }] });
    expect(github.creates).toEqual({ asked: 4, answered: 3 });
    const planned = board.posts(project).filter(({ status }) => status === "planned");
    const bodies = github.issues(repository).map(({ body }) => body);
    for (const { id } of planned) {
      expect(bodies.filter((body) => body?.includes(`/p/${id}\n`))).toHaveLength(1);
    }
    expect((await stage.plan()).plan.projects[0]?.actions).toEqual([]);
  },
);
