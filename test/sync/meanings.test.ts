import { describe, expect, it } from "vitest";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

/** The config is another one, or a word comes to mean something: nobody has changed a post or an issue. */

const closing = (when: ConfigPart) => ({
  ...standardProject,
  boardRules: [{ when, set: { state: "closed", reason: "not_planned" } }],
});

const states = ({ github }: Stage) => github.issues("acme/app").map(({ state }) => state);

/** Nobody has touched a post or an issue: only what a word, or a field, means to boardsync has changed. */
describe("board rules write nothing, and hold it at least,", () => {
  it("because the board comes to show the name of a category that a rule names", async () => {
    const stage = await openStage({ projects: [closing({ category: "Billing" })] });
    addPlanned(stage, [{ categoryId: "cat_1" }, { categoryId: "cat_1" }]);
    await stage.sync();
    await stage.sync();
    stage.clock.skip(hourMs);
    await stage.sync();
    stage.board.restyle({ categoryNames: { cat_1: "Billing" } });
    await stage.sync();
    expect(states(stage)).toEqual(["open", "open"]);
  });

  it("because the config reads a field of the board from another place", async () => {
    const stage = await openStage({ projects: [closing({ status: "Dark mode" })] });
    addPlanned(stage, [{ title: "Dark mode" }, { title: "Dark mode" }]);
    await stage.sync();
    await stage.sync();
    stage.clock.skip(hourMs);
    stage.reconfigure({ config: { board: { fields: { status: "title" } } } });
    await stage.sync();
    expect(states(stage)).toEqual(["open", "open"]);
  });

  // As a control: what other board rules alone would change is not written.
  it("because the rule is new", async () => {
    const stage = await openStage({ projects: [standardProject] });
    addPlanned(stage, [{ categoryId: "cat_1" }]);
    await stage.sync();
    await stage.sync();
    stage.reconfigure({ projects: [closing({ category: "cat_1" })] });
    await stage.sync();
    expect(states(stage)).toEqual(["open"]);
  });

  // As another control: a field that the board comes to show moves nothing.
  it("because the board comes to show a field", async () => {
    const stage = await openStage({
      style: { hidden: ["isArchived"] },
      projects: [closing({ archived: true })],
    });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { isArchived: true });
    stage.clock.skip(hourMs);
    await stage.sync();
    stage.board.restyle({});
    await stage.sync();
    expect(states(stage)).toEqual(["open"]);
  });
});

/**
 * The post's issue is closed as a duplicate of one that another account has opened, which counts as a stranger's: the rule for
 * duplicates has decided, and voters know that. Nobody changes an issue from here on.
 */
async function openDuplicate(author: string): Promise<Stage> {
  const stage = await openStage({ projects: [standardProject] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  const { number } = stage.github.openIssue("acme/app", { title: "The other one", author });
  stage.clock.skip(hourMs);
  stage.github.close("acme/app", number, "completed");
  stage.github.closeAsDuplicate({ repository: "acme/app", number: 1 }, { repository: "acme/app", number });
  await stage.sync();
  expect(stage.board.notifications.map(({ to }) => to)).toEqual(["closed"]);
  stage.clock.skip(hourMs);
  await stage.sync();
  return stage;
}

it("voters hear nothing because `tracker.trustedAuthors` names another account", async () => {
  const stage = await openDuplicate("old-bot");
  stage.reconfigure({ config: { tracker: { trustedAuthors: ["old-bot"] } } });
  await stage.sync();
  expect(stage.board.notifications.map(({ to }) => to)).toEqual(["closed"]);
});

it("voters hear nothing because the token is another account's", async () => {
  const stage = await openDuplicate("second-bot");
  stage.github.addToken("another-token-0123456789", "second-bot");
  stage.useSecrets({ token: "another-token-0123456789" });
  stage.clock.skip(7 * hourMs);
  await stage.sync();
  await stage.sync();
  expect(stage.board.notifications.map(({ to }) => to)).toEqual(["closed"]);
});

// As a control: where the rules come to say so, it is held.
it("voters hear nothing because `followDuplicates` comes to follow everybody's", async () => {
  const stage = await openDuplicate("old-bot");
  stage.reconfigure({ projects: [{ ...standardProject, followDuplicates: "anyone" }] });
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 1 });
});

// Nobody has touched the post: its text in the issue is another one because the config is.
it.each<ConfigPart>([
  { title: "[feedback] {{ post.title }}" },
  { body: "> {{ post.description }}" },
  { postUrl: "https://feedback.example.com/p/{{ post.id }}" },
])(
  "an issue that is written anew because of %o is not said to be so because its post changed",
  async (issue) => {
    const stage = await openStage({ projects: [standardProject] });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.clock.skip(hourMs);
    stage.reconfigure({ projects: [{ ...standardProject, issue: { labels: ["feedback"], ...issue } }] });
    const [planned] = await stage.plan();
    expect(planned?.kind).toBe("update-issue");
    expect(planned?.reason).not.toMatch(/the post's .* changed/);
  },
);
