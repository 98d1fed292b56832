/** @module-tag long */

import { describe, expect, it } from "vitest";
import type { PersonRequest } from "../../src/ledger/requests.ts";
import type { ProjectId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import { type ConfigPart, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";
import { createFakeTools, type FakeTools, type ToolFault } from "../support/tools.ts";

const project = "prj_app" as ProjectId;

const tools: ConfigPart = {
  changelogList: { name: "list" },
  changelogCreate: {
    name: "create",
    args: { title: "{{ entry.title }}", text: "{{ entry.body }}", publish: false },
  },
  changelogUpdate: {
    name: "update",
    args: { id: "{{ entry.id }}", title: "{{ entry.title }}", text: "{{ entry.body }}" },
  },
  changelogPublish: { name: "publish", args: { id: "{{ entry.id }}" } },
};
const faults: readonly ToolFault[] = ["answer lost", "answer lost", "lost", "unsent", "limited", "rejected"];

/** What a history has broken; undefined where it broke nothing. */
type Broken = string | undefined;

/** Numbers in [0, 1), the same for a seed on every machine. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Releases, people and accidents, drawn from a seed; then all is well, and everything must come to rest. */
async function play(seed: number, bend: (world: World) => World = (world) => world): Promise<Broken> {
  const random = createRandom(seed);
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const stage = await openStage({
    config: { settle: "0s", board: { mcp: { tools } } },
    projects: [{ ...standardProject, changelog: { publish: "approve", title: "{{ release.tag }}" } }],
  });
  const board = createFakeTools();
  stage.bend((world) => bend({ ...world, tools: board }));
  await stage.sync();
  const tags: string[] = [];
  const approved = new Set<string>();
  for (let step = 0; step < 14; step += 1) {
    const what = random();
    const tag = pick(tags);
    if (what < 0.25 || tag === undefined) {
      tags.push(`v${tags.length + 1}`);
      stage.github.publishRelease("acme/app", { tag: `v${tags.length}`, body: "One" });
    } else if (what < 0.35) stage.github.editRelease("acme/app", tag, { body: `Edit ${step}` });
    else if (what < 0.4) stage.github.deleteRelease("acme/app", tag);
    else if (what < 0.6) await approve(stage, tag, approved);
    else if (what < 0.7)
      for (const entry of board.entries)
        if (entry.title === tag) entry.isPublished = approved.has(tag) || entry.isPublished;
    board.isListComplete = random() < 0.7;
    if (random() < 0.5) board.faults.push(pick(faults) ?? "lost");
    if (random() < 0.4) stage.clock.skip(hourMs);
    if (random() < 0.3) await dieIn(stage, Math.floor(random() * 8));
    else await stage.sync();
    stage.restart();
    const broken = check(board, approved);
    if (broken !== undefined) return `${broken} in step ${step}`;
  }
  board.faults.length = 0;
  board.isListComplete = true;
  for (let run = 0; run < 6; run += 1) {
    stage.clock.skip(25 * hourMs);
    await stage.sync();
  }
  const open = (await stage.ledger.toolCalls.list(project)).filter(
    ({ state }) => state !== "DONE" && state !== "REJECTED",
  );
  return (
    check(board, approved) ?? (open.length > 0 ? `${open[0]?.purpose} stays ${open[0]?.state}` : undefined)
  );
}

async function approve(stage: Stage, tag: string, approved: Set<string>): Promise<void> {
  const calls = await stage.ledger.toolCalls.list(project);
  const of = (purpose: string) =>
    calls.find((one) => one.subject === tag && one.purpose === purpose && one.state === "DONE");
  const draft = of("changelogUpdate") ?? of("changelogCreate");
  if (draft === undefined) return;
  approved.add(tag);
  const request = { kind: "publish", project, at: stage.clock.now(), tag, hash: draft.hash } as const;
  await stage.ledger.commit([{ kind: "add-request", request }]);
}

/** The process dies before the commit of that number. */
async function dieIn(stage: Stage, number: number): Promise<void> {
  const { ledger } = stage;
  const commit = ledger.commit;
  let commits = 0;
  ledger.commit = async (changes) => {
    if (changes.some(({ kind }) => /-call$|^audit$/.test(kind))) commits += 1;
    if (commits > number) throw new Error("The process died.");
    return commit(changes);
  };
  // Whatever comes after it fails, too, up to the end of the run.
  await stage.sync().catch(() => undefined);
  ledger.commit = commit;
}

function check({ entries }: FakeTools, approved: ReadonlySet<string>): Broken {
  const titles = entries.map(({ title }) => title);
  if (new Set(titles).size < titles.length) return "a release has two entries";
  const loose = entries.find(({ title, isPublished }) => isPublished && !approved.has(title));
  return loose === undefined ? undefined : `${loose.title} was published, and nobody approved it`;
}

/** Mistakes in the program, each found by a history. */
const bugs: readonly [string, string, (world: World) => World][] = [
  [
    "a call in doubt is made again",
    "a release has two entries",
    ({ ledger, ...world }) => ({
      ...world,
      ledger: Object.assign(Object.create(ledger), {
        commit: (changes: Parameters<typeof ledger.commit>[0]) =>
          ledger.commit(
            changes.map((one) =>
              one.kind === "end-call" && one.state === "UNKNOWN" ? { ...one, state: "PREPARED" } : one,
            ),
          ),
      }),
      tools: world.tools && { ...world.tools, list: async () => ({ records: [], isComplete: true }) },
    }),
  ],
  [
    "a list that is cut is taken for a whole one",
    "a release has two entries",
    (world) => ({
      ...world,
      tools: world.tools && { ...world.tools, list: async () => ({ records: [], isComplete: true }) },
    }),
  ],
  [
    "a draft is published without a person's yes",
    "nobody approved it",
    ({ ledger, ...world }) => ({
      ...world,
      ledger: Object.assign(Object.create(ledger), {
        requests: {
          ...ledger.requests,
          pending: async (): Promise<readonly PersonRequest[]> =>
            (await ledger.toolCalls.list(project, "changelogCreate")).map(
              ({ subject, hash }, index) =>
                ({ kind: "publish", id: index + 1, project, at: 0, tag: subject, hash }) as PersonRequest,
            ),
        },
      }),
    }),
  ],
];

describe("histories of a changelog", () => {
  it.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    "make one draft a release, and publish nothing that nobody approved: seed %i",
    async (seed) => {
      expect(await play(seed)).toBeUndefined();
    },
  );

  it.each(bugs)("find a planted bug: %s", async (_, says, bend) => {
    const found: Broken[] = [];
    for (let seed = 1; seed <= 12 && !found.some((one) => one?.includes(says)); seed += 1)
      found.push(await play(seed, bend));
    expect(found.join("\n")).toContain(says);
  });
});
