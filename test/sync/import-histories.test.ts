/** @module-tag long */
import { describe, expect, it } from "vitest";
import { StateError } from "../../src/errors.ts";
import type { Change } from "../../src/ledger/change.ts";
import type { ProjectId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import { createRandom, pickWeighted, type Random } from "../simulation/random.ts";
import { type CallFault, type ImportStage, openImports } from "../support/import-stage.ts";
import { hourMs, minuteMs } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

const acts = {
  open: 6,
  unlabel: 1,
  label: 1,
  close: 1,
  retitle: 1,
  remove: 0.5,
  rival: 1,
  faults: 5,
  die: 3,
  time: 3,
};
const faults: readonly CallFault[] = [
  "answer lost",
  "late",
  "lost",
  "unsent",
  "limited",
  "rejected",
  "no id",
  "wrong answer",
];

/** Plays what a seed draws: people on both sides, lost answers, and a process that dies; a run after each. */
async function play(
  seed: number,
  spoil: (world: World) => World = (world) => world,
): Promise<readonly string[]> {
  const random = createRandom(seed);
  const stage = await openImports();
  stage.spoil = spoil;
  const broken: string[] = [];
  const length = random.between(6, 14);
  for (let step = 0; step < length; step += 1) {
    act(stage, random, pickWeighted<keyof typeof acts>(random, acts));
    await run(stage);
    broken.push(...findBroken(stage));
  }
  stage.diesAt = undefined;
  stage.faults.length = 0;
  for (let left = 0; left < 6; left += 1) {
    stage.clock.skip(hourMs);
    await run(stage);
  }
  broken.push(...findBroken(stage), ...(await findForgotten(stage)));
  stage.mark();
  const before = stage.calls.length;
  await run(stage);
  if (stage.writes().length > 0 || stage.calls.length > before) broken.push("it writes on");
  return broken;
}

function act(stage: ImportStage, random: Random, name: keyof typeof acts): void {
  const { github, board, clock } = stage;
  const issues = github.issues("acme/app");
  const number = issues.length === 0 ? undefined : random.pick(issues).number;
  const title = `Wish ${random.below(3)}`;
  if (name === "open")
    github.openIssue("acme/app", { title, author: random.pick(["maintainer", "ada"]), labels: ["idea"] });
  else if (name === "rival") board.addPost("acme-app", { title, status: "open" });
  else if (name === "time") clock.skip(random.pick([5, 20, 60]) * minuteMs);
  else if (name === "faults") stage.faults.push(random.pick(faults));
  else if (name === "die") stage.diesAt = random.between(1, 20);
  else if (number === undefined) return;
  else if (name === "close") github.close("acme/app", number);
  else if (name === "unlabel") github.unlabel("acme/app", number, "idea");
  else if (name === "label") github.label("acme/app", number, "idea");
  else if (name === "retitle") github.edit("acme/app", number, { title });
  else github.deleteIssue("acme/app", number);
}

async function run(stage: ImportStage): Promise<void> {
  const now = stage.clock.now();
  for (const { at, arrive } of stage.arriving.filter((one) => one.at <= now)) {
    arrive();
    stage.arriving.splice(
      stage.arriving.findIndex((one) => one.at === at),
      1,
    );
  }
  try {
    await stage.sync();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    stage.diesAt = undefined;
    stage.restart();
  }
}

/** At most one post for an issue, and no issue for such a post. */
function findBroken({ board, github }: ImportStage): readonly string[] {
  const named = board
    .posts("acme-app")
    .flatMap(({ description }) => /\/issues\/(\d+)$/.exec(String(description))?.[1] ?? []);
  const twice = named.filter((number, index) => named.indexOf(number) !== index);
  const ours = github.issues("acme/app").filter(({ author }) => author === github.login);
  return [
    ...twice.map((number) => `issue ${number} has become two posts`),
    ...ours.map(({ number }) => `issue ${number} was opened for what an issue has become`),
  ];
}

/** Whoever is to become a post has become one, or waits where people see it. */
async function findForgotten({ github, ledger }: ImportStage): Promise<readonly string[]> {
  const repositoryId = ledger.memory.repository("acme/app")?.repository.id ?? 0;
  const waiting = await ledger.rows.waiting(project, 999, ["held", "parked"]);
  const forgotten: string[] = [];
  for (const { number, state, labels, author } of github.issues("acme/app")) {
    if (state !== "open" || !labels.includes("idea") || author !== "maintainer") continue;
    const isLinked = (await ledger.rows.linkedTo({ repositoryId, number })).length > 0;
    const isShown = waiting.some(({ post }) => post === `acme/app#${number}`);
    if (!isLinked && !isShown) forgotten.push(`issue ${number} is forgotten`);
  }
  return forgotten;
}

const ofCommit =
  (change: (one: Change) => readonly Change[]) =>
  (world: World): World => {
    const { ledger } = world;
    const commit = (changes: readonly Change[]): Promise<void> => ledger.commit(changes.flatMap(change));
    const spoilt = new Proxy(ledger, {
      get: (target, name) => (name === "commit" ? commit : Reflect.get(target, name)),
    });
    return { ...world, ledger: spoilt };
  };

describe("an issue becomes one post, whatever happens", () => {
  it.each(Array.from({ length: 10 }, (_, index) => index * 10 + 1))(
    "in ten histories from seed %i",
    async (first) => {
      for (let seed = first; seed < first + 10; seed += 1)
        expect([seed, ...(await play(seed))]).toEqual([seed]);
    },
  );

  it.each<[string, RegExp, (world: World) => World]>([
    [
      "a call whose answer is lost is made once more",
      /two posts/,
      ofCommit((one) =>
        one.kind === "end-call" && one.state === "UNKNOWN" ? [{ ...one, state: "PREPARED" }] : [one],
      ),
    ],
    [
      "a call is looked up before it may have arrived",
      /two posts/,
      (world) => ({ ...world, policy: { ...world.policy, waits: { ...world.policy.waits, createMs: 0 } } }),
    ],
    [
      "the post is not linked",
      /was opened|forgotten|writes on/,
      ofCommit((one) => (one.kind === "link" && one.link.origin === "imported" ? [] : [one])),
    ],
  ])("and is found out where %s", async (_, words, spoil) => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const broken = await play(seed, spoil);
      if (broken.length === 0) continue;
      expect(broken.join()).toMatch(words);
      return;
    }
    expect.unreachable("The bug survives.");
  });
});
