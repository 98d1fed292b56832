/** @module-tag long */
import { expect, it, onTestFinished } from "vitest";
import { isWrite } from "./gate.ts";
import { importOf } from "./scenarios.ts";
import { openWorld, type Process, type World } from "./world.ts";

/** A process that waits for the answer to its first write, and so holds the state, until it is let go. */
interface Holder {
  readonly process: Process;
  letGo(): void;
}

const posts = 3;

async function open(): Promise<World> {
  const { setting, before } = importOf(posts);
  const world = await openWorld(setting);
  onTestFinished(() => world.close());
  before(world);
  return world;
}

async function holdState(world: World): Promise<Holder> {
  const reached = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<"pass">();
  // Nothing waits for ever, not even where a check fails.
  onTestFinished(() => letGo.resolve("pass"));
  const act = (): Promise<"pass"> => {
    reached.resolve();
    return letGo.promise;
  };
  world.gate.stopAt({ of: isWrite, at: 1, when: "before", act });
  const process = world.start(["sync"]);
  await reached.promise;
  return { process, letGo: () => letGo.resolve("pass") };
}

/** Another process finds the state held, says by whom, and writes nothing. */
async function expectHeld(world: World, { process }: Holder): Promise<void> {
  const writes = world.writes();
  const refused = world.start(["sync"]);
  expect((await refused.ended).code).toBe(5);
  expect(refused.err()).toContain(`held by sync, process ${process.child.pid} on `);
  expect(world.writes()).toBe(writes);
}

it("of two processes at once the second exits 5, and the first finishes its work", async () => {
  const world = await open();
  const holder = await holdState(world);
  await expectHeld(world, holder);
  holder.letGo();
  expect(await holder.process.ended).toEqual({ code: 0, signal: null });
  expect(world.github.issues("acme/app")).toHaveLength(posts);
});

it("a stopped process keeps the state, and one that is killed frees it", async () => {
  const world = await open();
  const holder = await holdState(world);
  holder.process.child.kill("SIGSTOP");
  await expectHeld(world, holder);
  holder.process.child.kill("SIGKILL");
  expect(await holder.process.ended).toEqual({ code: null, signal: "SIGKILL" });
  // What the dead process has sent takes effect before the next one looks.
  holder.letGo();
  await world.gate.quiet();
  expect(await world.run(["sync"])).toMatchObject({ code: 0 });
  expect(world.github.issues("acme/app")).toHaveLength(posts);
});
