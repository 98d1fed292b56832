import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

/** Two posts of which the board has refused the status. */
async function openParked(): Promise<Stage> {
  const stage = await openStage();
  expect((await stage.run(["sync"])).code).toBe(0);
  for (const number of [1, 2]) stage.story.github.close("acme/app", number, "completed");
  const answer = { kind: "answer", status: 422, body: '{"error":"unknown status"}' } as const;
  stage.story.board.failNext(answer, { when: ({ method }) => method === "PATCH", times: 2 });
  expect((await stage.run(["sync"])).code).toBe(1);
  return stage;
}

const mailed = ({ story }: Stage) => story.board.notifications.map(({ post }) => post);

describe("boardsync retry", () => {
  it.each([
    ["a project", ["acme-app"]],
    ["a code", ["acme-app", "--code", "board.rejected"]],
    ["several posts", ["p1", "acme-app/p2"]],
    ["posts of a project", ["acme-app", "p1", "p2"]],
  ])("tries again all that is parked of %s", async (_, words) => {
    const stage = await openParked();
    const { code, out } = await stage.run(["retry", ...words]);
    expect(code).toBe(0);
    expect(out).toMatch(/ {2}acme-app\/p1: .*unknown status/);
    expect(out).toMatch(
      /2 posts: the next run tries again what was refused or is in doubt\. At most \d+ voters will be notified: only if a status changes\.\n$/,
    );
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(mailed(stage)).toEqual(["p1", "p2"]);
  });

  it("says of each what it does, as JSON", async () => {
    const stage = await openParked();
    expect((await stage.run(["retry", "p1", "p3", "--json"])).json()).toEqual({
      project: null,
      posts: [
        {
          project: "acme-app",
          post: "p1",
          requested: true,
          waits: expect.stringContaining("unknown status"),
        },
        { project: "acme-app", post: "p3", requested: false, waits: null },
      ],
      message: expect.stringContaining("the next run"),
    });
    expect((await stage.run(["retry", "p2", "--json"])).json()).toEqual({
      project: "acme-app",
      post: "p2",
      requested: true,
      waits: expect.any(String),
      message: expect.stringContaining("the next run"),
    });
  });

  it("names the codes that there are, where there is none of that name", async () => {
    const stage = await openParked();
    const { code, err } = await stage.run(["retry", "acme-app", "--code", "board.reject"]);
    expect(code).toBe(2);
    expect(err).toContain("No post of acme-app has the code `board.reject`. There are: board.rejected.");
    expect((await stage.run(["retry", "acme-api", "--code", "x"])).err).toContain("None has any.");
  });

  it.each([
    ["a project", []],
    ["a code", ["--code", "board.rejected"]],
  ])("leaves out of %s what a person has unlinked meanwhile, and says so", async (_, words) => {
    const stage = await openParked();
    await stage.run(["unlink", "p1"]);
    const { out } = await stage.run(["retry", "acme-app", ...words]);
    expect(out).toContain("  acme-app/p1: A person wanted no issue for it, so it is left out: name it");
    expect(out).toMatch(/the next run tries again what was refused or is in doubt\. At most 74 voters/i);
    expect((await stage.run(["sync", "--json"])).json()).toMatchObject({ projects: [{ created: 0 }, {}] });
    expect(mailed(stage)).toEqual(["p2"]);
  });

  it("finds nothing where nothing is parked, and does not touch what a person has unlinked", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    await stage.run(["unlink", "p1"]);
    await stage.run(["sync"]);
    expect((await stage.run(["retry", "acme-app"])).out).toBe("acme-app: Nothing is to retry.\n");
    expect((await stage.run(["release", "acme-app", "--json"])).json()).toEqual({
      project: "acme-app",
      posts: [],
      message: "No post is to release.",
    });
  });
});

describe("boardsync release", () => {
  it("ends every quarantine of a project", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (text) => `${text}guard: { flips: 1 }\n`);
    await stage.run(["sync"]);
    for (const number of [1, 2]) stage.story.github.close("acme/app", number, "completed");
    await stage.run(["sync"]);
    for (const number of [1, 2]) stage.story.github.reopen("acme/app", number);
    expect((await stage.run(["sync"])).code).toBe(4);
    expect((await stage.run(["release", "acme-app"])).out).toContain(
      "2 posts: the next run ends the quarantine, and goes on.",
    );
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(mailed(stage)).toEqual(["p1", "p2", "p1", "p2"]);
  });

  it("leaves out what is paused, says so, and ends its quarantine where it is named", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (text) => `${text}guard: { flips: 0 }\n`);
    await stage.run(["sync"]);
    for (const number of [1, 2]) stage.story.github.close("acme/app", number, "completed");
    await stage.run(["sync"]);
    await stage.run(["pause", "p1"]);
    const { out } = await stage.run(["release", "acme-app"]);
    expect(out).toContain("  acme-app/p1: It is paused, so it is left out: name it to release it.\n");
    expect(out).toContain("acme-app: the next run ends the quarantine");
    expect((await stage.run(["release", "acme-app", "--json"])).json()).toMatchObject({
      posts: [
        { post: "p1", requested: false, waits: null },
        { post: "p2", requested: true },
      ],
    });
    expect((await stage.run(["release", "p1", "--json"])).json()).toMatchObject({
      post: "p1",
      requested: true,
    });
  });
});

describe("boardsync approve", () => {
  it("lets go what is held of posts that are named without their project, or have a code", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (text) => `${text}guard: { statuses: 0 }\n`);
    await stage.run(["sync"]);
    for (const number of [1, 2, 3]) stage.story.github.close("acme/app", number, "completed");
    expect((await stage.run(["sync"])).code).toBe(4);
    expect((await stage.run(["approve", "p1", "acme-app/p2", "--yes", "--json"])).json()).toMatchObject({
      project: "acme-app",
      actions: [{ post: "p1" }, { post: "p2" }],
      message: "2 actions approved. The next run does it.",
    });
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual(["p1", "p2"]);
    expect(await stage.run(["approve", "acme-app", "--code", "board.rejected", "--yes"])).toMatchObject({
      code: 2,
    });
    expect(await stage.run(["approve"])).toMatchObject({ code: 2 });
  });
});
