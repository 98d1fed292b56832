import { describe, expect, it } from "vitest";
import type { Row } from "../../src/model/link.ts";
import type { PostId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import { withReads } from "../simulation/with-parts.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

/** A program that has a mistake in it, which one post brings to light: its rows are not what the planner is promised. */
function stumbleOver(stage: Stage, post: string): void {
  const spoil = (row: Row): Row =>
    row.post.id === post ? ({ ...row, post: { ...row.post, values: null } } as unknown as Row) : row;
  stage.bend((world: World) => ({
    ...world,
    ledger: withReads(world.ledger, ({ rows }) => ({
      rows: {
        ...rows,
        due: async (...given) => (await rows.due(...given)).map(spoil),
        row: async (...given) => {
          const row = await rows.row(...given);
          return row && spoil(row);
        },
      },
    })),
  }));
}

describe("a mistake of ours that one post brings to light", () => {
  it("is the failure of that post: the others go on, and it goes on itself once the mistake is gone", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    stumbleOver(stage, "p2");
    for (const created of [2, 0]) {
      const { result, projects } = await stage.sync();
      expect(result).toBe("partial");
      expect(projects).toMatchObject([{ created, failed: 1, errors: [{ post: "p2", code: "internal" }] }]);
      expect(projects[0]?.errors[0]?.message).toContain("A mistake in boardsync (TypeError: ");
    }
    expect(stage.log.filter((line) => line.includes('"stack"'))).toHaveLength(2);
    stage.bend((world) => world);
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
  });

  it("is shown by a plan as well, and by `--adopt`", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    stumbleOver(stage, "p2");
    const { plan } = await stage.run("plan");
    expect(plan.projects).toMatchObject([
      { actions: [{ kind: "create-issue", post: "p1" }], errors: [{ post: "p2", code: "internal" }] },
    ]);
    expect(await stage.run("adopt")).toMatchObject({ report: { result: "partial" } });
  });

  it.each(["board", "tracker"] as const)(
    "while something is sent to the %s: nothing is sent twice, and the others are sent",
    async (side) => {
      const stage = await openStage();
      addPlanned(stage, 2);
      if (side === "board") {
        await stage.sync();
        for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
      }
      stage.atNextWrite(side, "after", () => {
        throw new TypeError("no such thing");
      });
      stage.mark();
      const { projects } = await stage.sync();
      expect(projects).toMatchObject([{ failed: 1, errors: [{ post: "p1", code: "internal" }] }]);
      // The next run takes it for a write of unknown outcome, and its wait begins.
      expect(await stage.syncOne()).toMatchObject({ failed: 0 });
      stage.clock.skip(20 * 60_000);
      expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 0 });
      expect(stage.writes()).toHaveLength(2);
    },
  );

  it("while a person's request is taken up keeps the request for that post, and nothing else", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    await stage.sync();
    const project = stage.ledger.memory.project("acme-app");
    if (project === undefined) throw new Error("The project is not known.");
    const posts = ["p1", "p2"] as PostId[];
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "discard", posts, project: project.id, at: stage.clock.now() },
      },
    ]);
    stumbleOver(stage, "p1");
    expect(await stage.syncOne()).toMatchObject({ errors: [{ post: "p1", code: "internal" }] });
    expect(await stage.ledger.requests.pending(project.id)).toMatchObject([
      { kind: "discard", posts: ["p1"] },
    ]);
  });

  it("while its lost write is looked up leaves that write in doubt", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    await stage.sync();
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    stage.board.failNext(
      { kind: "reset", applied: true },
      { times: 2, when: ({ method }) => method === "PATCH" },
    );
    await stage.sync();
    stage.clock.skip(20 * 60_000);
    stumbleOver(stage, "p1");
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({
      postWrites: 1,
      errors: [{ post: "p1", code: "internal" }],
    });
    stage.bend((world) => world);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, failed: 0 });
    expect(stage.writes()).toEqual([]);
  });
});

it("a template that fails on one post fails that post, and names itself", async () => {
  const body = "{% if post.title == 'endless' %}{% for i in (1..100000000) %}x{% endfor %}{% endif %}";
  const stage = await openStage({ projects: [{ ...standardProject, issue: { body } }] });
  addPlanned(stage, [{}, { title: "endless" }, {}]);
  const { created, errors } = await stage.syncOne();
  expect({ created, errors }).toEqual({
    created: 2,
    errors: [
      {
        post: "p2",
        code: "config.template",
        message:
          "A template of the config fails on this post, so nothing is written for it: issue.body: memory alloc limit exceeded (line 1, column 33). Correct the template; the next run tries again.",
      },
    ],
  });
  stage.reconfigure({ projects: [standardProject] });
  expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
});

it.each([3.5, 1e300, -2])(
  "a post with %d votes is told, and so are the others; how many hear is unknown",
  async (votes) => {
    const stage = await openStage();
    addPlanned(stage, [{ votes }, { votes: 4 }]);
    await stage.sync();
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    expect((await stage.plan()).map(({ notifies }) => notifies)).toEqual([null, 4]);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2, failed: 0 });
  },
);

it("a template that fails on a post with an issue keeps its text, and no news from its voters", async () => {
  const body = "{{ post.description | url_decode }}";
  const stage = await openStage({ projects: [{ ...standardProject, issue: { body } }] });
  addPlanned(stage, [{ description: "fine" }, {}]);
  await stage.sync();
  await stage.sync();
  stage.board.editPost("acme-app", "p1", { description: "I am 100% sure" });
  stage.github.close("acme/app", 1, "completed");
  const message = expect.stringContaining("so its issue keeps its text: issue.body: URI malformed");
  expect(await stage.syncOne()).toMatchObject({
    statusWrites: 1,
    errors: [{ post: "p1", code: "config.template", message }],
  });
  expect((await stage.explain("p1")).next.join()).not.toContain("Nothing is decided");
  stage.reconfigure({ projects: [standardProject] });
  expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, failed: 0 });
});

describe("a project", () => {
  const three = {
    boardProjects: ["one", "two", "three"].map((slug) => ({ id: `prj_${slug}`, slug, name: slug })),
    repositories: ["acme/one", "acme/two", "acme/three"].map((name) => ({
      name,
      private: true,
      labels: ["feedback"],
    })),
    projects: ["one", "two", "three"].map((name) => ({
      ...standardProject,
      project: name,
      repo: `acme/${name}`,
    })),
  };
  const openThree = async (projects: typeof three.projects = three.projects): Promise<Stage> => {
    const stage = await openStage({ ...three, projects });
    for (const { slug } of three.boardProjects) addPlanned(stage, 1, slug);
    return stage;
  };
  const broken = (change: object) =>
    three.projects.map((project, index) => (index === 1 ? { ...project, ...change } : project));

  it.each([
    ["that the board does not know", { project: "twoo" }, "board.project"],
    ["whose repository does not exist", { repo: "acme/nothing" }, "tracker.missing"],
  ])("%s stops no other, and is named", async (_, change, code) => {
    const stage = await openThree(broken(change));
    expect(await stage.sync()).toMatchObject({
      result: "partial",
      projects: [
        { created: 1, failed: 0 },
        { created: 0, failed: 1, errors: [{ code }] },
        { created: 1, failed: 0 },
      ],
    });
  });

  it("whose list fails stops no other, and goes on in the next run", async () => {
    const stage = await openThree();
    stage.board.failNext(
      { kind: "answer", status: 500 },
      { when: ({ query }) => query["project"] === "prj_two" },
    );
    expect(await stage.sync()).toMatchObject({
      result: "partial",
      projects: [{ created: 1 }, { created: 0, errors: [{ code: "board.unreachable" }] }, { created: 1 }],
    });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{}, { created: 1 }, {}] });
  });

  it("that a mistake of ours ends stops no other", async () => {
    const stage = await openThree();
    stage.bend((world) => ({
      ...world,
      board: Object.assign(Object.create(world.board), {
        listPosts(...given: Parameters<typeof world.board.listPosts>) {
          if (given[0] === "prj_two") throw new RangeError("out of range");
          return world.board.listPosts(...given);
        },
      }),
    }));
    const { result, projects } = await stage.sync();
    expect({ result, projects }).toMatchObject({
      result: "partial",
      projects: [{ created: 1 }, { errors: [{ code: "internal" }] }, { created: 1 }],
    });
    expect(projects[1]?.errors[0]).not.toHaveProperty("post");
  });
});
