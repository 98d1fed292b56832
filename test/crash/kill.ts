import { expect } from "vitest";
import { isWrite, type Passed } from "./gate.ts";
import type { Scenario } from "./scenarios.ts";
import { countCommits, openWorld, type View, view, type World } from "./world.ts";

/** Where the process is killed. */
export type Point =
  | {
      readonly kind: "write";
      readonly at: number;
      readonly when: "before" | "after";
      readonly what: string;
    }
  | { readonly kind: "commit"; readonly at: number; readonly when: "before" | "after" };

/** A run that nobody disturbed: where it led, and all points where it can be broken off. */
export interface Undisturbed {
  readonly end: View;
  readonly points: readonly Point[];
}

const maxRuns = 6;
const defaultCommand = ["sync"];

/** Both sides as the scenario has them right before the run that is broken off. */
async function openScenario(scenario: Scenario): Promise<World> {
  const world = await openWorld(scenario.setting);
  scenario.before(world);
  if (scenario.change !== undefined) {
    const { code, err } = await world.runHere(["sync"]);
    if (code !== 0) throw new Error(`The first sync of "${scenario.name}" is not in step:\n${err}`);
    await scenario.change(world);
  }
  world.gate.mark();
  return world;
}

/** Runs the scenario to its end, and lists the points. A reading request has none: the commit before it left the same world. */
export async function measure(scenario: Scenario): Promise<Undisturbed> {
  const world = await openScenario(scenario);
  try {
    const commits = await countCommits(world, scenario.command ?? defaultCommand);
    const requests = [...world.gate.passed];
    await settle(scenario, world);
    return { end: view(world), points: [...writePoints(requests), ...commitPoints(commits)] };
  } finally {
    await world.close();
  }
}

function writePoints(requests: readonly Passed[]): readonly Point[] {
  return requests.filter(isWrite).flatMap(({ method, path }, index) =>
    (["before", "after"] as const).map((when) => {
      return { kind: "write", at: index + 1, when, what: `${method} ${path}` } as const;
    }),
  );
}

/** What is durable right before a commit is what was right after the last one: the first of them stands for all. */
function commitPoints(commits: number): readonly Point[] {
  const after = Array.from({ length: commits }, (_, index) => {
    return { kind: "commit", at: index + 1, when: "after" } as const;
  });
  return [{ kind: "commit", at: 1, when: "before" }, ...after];
}

/** The point in words, for the name of a test. */
export function nameOf(point: Point): string {
  return point.kind === "commit"
    ? `${point.when} commit ${point.at}`
    : `${point.when} write ${point.at}, ${point.what}`;
}

/** Plays the scenario, kills the process at the point, starts it again, and compares where that leads. */
export async function killAt(scenario: Scenario, point: Point, { end }: Undisturbed): Promise<void> {
  const world = await openScenario(scenario);
  try {
    const command = scenario.command ?? defaultCommand;
    expect(await runAndKill(world, command, point)).toBe("SIGKILL");
    expect(world.checkState()).toBe("ok");
    // A start costs most of the time here: where it is not about a request that lost its process, this one is enough.
    if (point.kind === "write") await world.run(command);
    await settle(scenario, world);
    if (scenario.mayPark === true) await expectParked(world, end);
    else if (scenario.isInAnyOrder === true) expect(inAnyOrder(view(world))).toEqual(inAnyOrder(end));
    else expect(view(world)).toEqual(end);
    expect(world.checkState()).toBe("ok");
  } finally {
    await world.close();
  }
}

function inAnyOrder({ posts, ...end }: View): object {
  const texts = posts.map((post) => JSON.stringify({ ...Object(post), id: undefined }));
  return { ...end, posts: texts.toSorted() };
}

/** The signal that ended the process. */
export async function runAndKill(world: World, command: readonly string[], point: Point): Promise<unknown> {
  if (point.kind === "commit") return (await world.run(command, point)).signal;
  const started = world.start(command);
  const { at, when } = point;
  world.gate.stopAt({
    of: isWrite,
    at,
    when,
    act: async () => {
      started.child.kill("SIGKILL");
      await started.ended;
      return "drop";
    },
  });
  const { signal } = await started.ended;
  await world.gate.quiet();
  return signal;
}

/** Runs until two runs in a row write nothing, fail nothing and put nothing off: then both sides are in step, and stay so. */
export async function settle(scenario: Scenario, world: World): Promise<void> {
  const command = [...(scenario.command ?? defaultCommand), "--json"];
  for (let run = 1, idle = 0; idle < 2; run += 1) {
    world.gate.mark();
    const { code, out, err } = await world.runHere(command);
    const isIdle = world.writes() === 0 && (code === 0 || code === 4) && waitingIn(out) === 0;
    if (idle > 0) expect(world.gate.passed.filter(isWrite)).toEqual([]);
    idle = isIdle ? idle + 1 : 0;
    if (run === maxRuns && idle < 2)
      throw new Error(`Not in step after ${maxRuns} runs (exit ${code}):\n${out}${err}`);
  }
}

interface RunDocument {
  /** What `rebuild` prints has no such number. */
  readonly projects: readonly { readonly waiting?: number }[];
}

function waitingIn(out: string): number {
  const { projects }: RunDocument = JSON.parse(out);
  return projects.reduce((sum, { waiting = 0 }) => sum + waiting, 0);
}

interface StatusDocument {
  readonly projects: readonly { readonly waiting: readonly { readonly post: string }[] }[];
}

/** No mail that the undisturbed run would not have sent, none twice, and each post that is not where it should be is said. */
async function expectParked(world: World, end: View): Promise<void> {
  const { posts, issues, mails } = view(world);
  expect(issues).toEqual(end.issues);
  expect(end.mails).toEqual(expect.arrayContaining([...mails]));
  expect(new Set(mails).size).toBe(mails.length);
  const { projects }: StatusDocument = JSON.parse((await world.runHere(["status", "--json"])).out);
  const said = projects.flatMap(({ waiting }) => waiting.map(({ post }) => post));
  const differing = posts.filter((post, index) => JSON.stringify(post) !== JSON.stringify(end.posts[index]));
  expect(said).toEqual(expect.arrayContaining(differing.map(idOf)));
}

function idOf(post: unknown): string {
  return String((post as { readonly id: string }).id);
}
