import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Intent } from "../../../src/ledger/journal.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { inOrder } from "../../../src/select.ts";
import { withParts } from "../../simulation/with-parts.ts";
import {
  createIssue,
  createPost,
  createRecord,
  failing,
  linkPost,
  noon,
  postId,
  project,
  pullPosts,
  readRow,
  sendIntent,
  settleAll,
} from "../samples.ts";
import { createFolder, options } from "./folder.ts";

const ids = ["p1", "p2", "p3"];
const id = fc.constantFrom(...ids);
const kind = fc.constantFrom("create-issue" as const, "update-issue" as const, "patch-post" as const);
const state = fc.constantFrom("DONE" as const, "REJECTED" as const, "UNKNOWN" as const, "PREPARED" as const);

type Step = (ledger: Ledger) => Promise<void>;

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, kind).map(
    ([post, of]): Step =>
      async (ledger) =>
        void (await sendIntent(ledger, { post: postId(post), kind: of })),
  ),
  fc.tuple(fc.nat(5), state).map(
    ([at, to]): Step =>
      async (ledger) =>
        ledger.commit([
          { kind: "resolve", intent: (await pick(ledger, at)).id, state: to, at: noon, message: "said" },
        ]),
  ),
  fc.constant<Step>(async (ledger) => void (await ledger.journal.recover(noon, [project]))),
  fc.tuple(id, fc.nat(3)).map(
    ([post, number]): Step =>
      (ledger) =>
        linkPost(ledger, post, createIssue(number)),
  ),
  fc
    .tuple(
      fc.subarray(ids),
      fc.constantFrom("complete" as const, "usable" as const, "incomplete" as const),
      fc.nat(3),
    )
    .map(
      ([listed, end, votes]): Step =>
        async (ledger) => {
          const pull = await ledger.pulls.begin(project, (await ledger.runs.begin(noon)).run, noon);
          await ledger.commit([
            { kind: "store-posts", pull, posts: listed.map((post) => createPost(post, { votes })), at: noon },
            { kind: "end-pull", pull, end: end, at: noon },
          ]);
        },
    ),
  fc.nat(3).map(
    (number): Step =>
      (ledger) =>
        ledger.commit([
          {
            kind: "set-absence",
            issue: { repositoryId: 10, number },
            absence: { kind: "lost", since: noon },
          },
        ]),
  ),
  id.map(
    (post): Step =>
      (ledger) =>
        ledger.commit([{ kind: "record-row", project, post: postId(post), record: createRecord() }]),
  ),
  fc.constant<Step>((ledger) => settleAll(ledger)),
  fc.constant<Step>((ledger) => ledger.upkeep.prune(noon + 86_400_001, 86_400_000)),
);

describe("whatever is done to a ledger", () => {
  it("a post has at most one open intent of a kind, links stay, and what is rolled back never was", async () => {
    const step = fc.record({ step: steps, isRolledBack: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (history) => {
        const ledger = openLedger(join(createFolder(), "state.db"), options);
        await pullPosts(
          ledger,
          ids.map((post) => createPost(post)),
        );
        for (const { step, isRolledBack } of history) {
          const before = await stateOf(ledger);
          const isUndone = await failed(() => step(isRolledBack ? withFailingCommits(ledger) : ledger));
          const after = await stateOf(ledger);
          expect(new Set(after.open).size).toBe(after.open.length);
          expect(after.links).toEqual(expect.arrayContaining([...before.links]));
          if (isUndone) expect(after).toEqual(before);
          const issues = new Set(after.links.map((link) => link.split(" ")[1]));
          expect((await ledger.rows.counts(project)).issues).toBe(issues.size);
        }
        ledger.close();
      }),
      { numRuns: 60 },
    );
  });
});

/** Whether a step failed; one that is not allowed in the state that is there must change nothing. */
async function failed(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    expect(error).toMatchObject({
      message: expect.stringMatching(/under way|not open|is none/),
    });
    return true;
  }
}

/** Whatever is committed comes with a change that can't be made. */
function withFailingCommits(ledger: Ledger): Ledger {
  return withParts(ledger, { commit: (changes) => ledger.commit([...changes, failing]) });
}

async function pick(ledger: Ledger, at: number): Promise<Intent> {
  const open = await ledger.journal.open(project);
  const intent = open[at % Math.max(1, open.length)];
  if (intent === undefined) throw new Error("There is none.");
  return intent;
}

async function stateOf(
  ledger: Ledger,
): Promise<{ readonly open: readonly string[]; readonly links: readonly string[] }> {
  const open = (await ledger.journal.open(project)).map(({ post, kind }) => `${post} ${kind}`);
  const links = (
    await inOrder(ids, async (post) =>
      (await readRow(ledger, post)).links.map(({ link }) => `${post} ${link.issue.number}`),
    )
  ).flat();
  return { open, links };
}
