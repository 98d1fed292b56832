import { describe, expect, it } from "vitest";
import {
  addPlanned,
  type ConfigPart,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

/** What `check` finds wrong, as `level code`. */
async function problems(stage: Stage): Promise<readonly string[]> {
  const findings = await stage.check();
  return findings.filter(({ level }) => level !== "ok").map(({ level, code }) => `${level} ${code}`);
}

async function openChecked(options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  addPlanned(stage, 2);
  return stage;
}

const allStatuses = ["planned", "in_progress", "completed", "closed"];

describe("a check", () => {
  it("says what it found, and writes nothing", async () => {
    const stage = await openChecked();
    for (const status of allStatuses) stage.board.addPost("acme-app", { status });
    const findings = await stage.check();
    expect(findings.filter(({ level }) => level !== "ok")).toEqual([]);
    const words = findings.map(({ subject, message }) => `${subject}: ${message}`).join("\n");
    expect(words).toContain("board: The key is accepted; it sees 1 project: acme-app (prj_app).");
    expect(words).toContain(
      `tracker: The token is accepted; issues will be opened by ${stage.github.login}.`,
    );
    expect(words).toContain("tracker: The server is GitHub at 127.0.0.1:");
    expect(words).toContain("acme-app: 6 posts, found under feedback; id field `id`; paging:");
    expect(words).toContain(
      "acme-app: Statuses seen: planned (3), in_progress (1), completed (1), closed (1).",
    );
    expect(words).toContain(
      "acme-app: acme/app is there, and the account may write to it; whether the token may, too, shows with the first write.",
    );
    expect(stage.writes()).toEqual([]);
  });

  it.each([
    ["archived", { archived: true }],
    ["without issues", { hasIssues: false }],
  ])("does not say of a repository that is %s that it may be written to", async (_, setup) => {
    const stage = await openChecked({ repositories: [{ name: "acme/app", private: true, ...setup }] });
    const said = (await stage.check()).map(({ message }) => message).join("\n");
    expect(said).not.toContain("may write to it");
  });

  it.each<[string, StageOptions, readonly string[]]>([
    [
      "a project that the board does not have",
      { projects: [{ ...standardProject, project: "acme-apo" }] },
      ["error board.project"],
    ],
    [
      "a repository that is not there",
      { projects: [{ ...standardProject, repo: "acme/apo" }] },
      ["error tracker.missing"],
    ],
    [
      "an archived one",
      {
        repositories: [
          { name: "acme/app", private: true, archived: true, labels: ["feedback", "in progress"] },
        ],
      },
      ["error tracker.archived"],
    ],
    [
      "one without issues",
      {
        repositories: [
          { name: "acme/app", private: true, hasIssues: false, labels: ["feedback", "in progress"] },
        ],
      },
      ["error tracker.no-issues"],
    ],
    [
      "one where we may not push",
      {
        repositories: [
          { name: "acme/app", private: true, canPush: false, labels: ["feedback", "in progress"] },
        ],
      },
      ["error tracker.permission"],
    ],
    [
      "one that everybody can read",
      { repositories: [{ name: "acme/app", labels: ["feedback", "in progress"] }] },
      ["warning undefined"],
    ],
    [
      "labels that are not there yet, or that rules look at",
      { repositories: [{ name: "acme/app", private: true }] },
      ["warning undefined", "warning tracker.label"],
    ],
    [
      "a milestone that is not there",
      { projects: [{ ...standardProject, issue: { milestone: "Nowhere" } }] },
      ["error tracker.milestone"],
    ],
    ["titles by another name", { style: { hidden: ["title"] } }, ["error board.unseen"]],
    ["descriptions by another name", { style: { hidden: ["description"] } }, ["warning board.unseen"]],
    ["a field that the board never shows", { style: { hidden: ["roadmapColumn"] } }, ["error board.unseen"]],
    [
      "a rule that never gets its turn",
      {
        projects: [
          {
            ...standardProject,
            rules: [
              { when: { state: "closed" }, set: { status: "completed" } },
              { when: { state: "closed", reason: "completed" }, set: { status: "closed" } },
            ],
          },
        ],
      },
      ["error config.shadowed"],
    ],
    [
      "a rule that no issue can match",
      {
        projects: [
          {
            ...standardProject,
            rules: [{ when: { state: "open", reason: "completed" }, set: { status: "completed" } }],
          },
        ],
      },
      ["error config.impossible"],
    ],
    [
      "a status that nobody has seen",
      {
        projects: [
          { ...standardProject, rules: [{ when: { state: "closed" }, set: { status: "shipped" } }] },
        ],
      },
      ["warning board.status"],
    ],
  ])("names %s", async (_, options, expected) => {
    const stage = await openChecked(options);
    for (const status of allStatuses) stage.board.addPost("acme-app", { status });
    expect(await problems(stage)).toEqual(expected);
  });

  it("names a repository that has another name now", async () => {
    const stage = await openChecked();
    for (const status of allStatuses) stage.board.addPost("acme-app", { status });
    stage.github.renameRepository("acme/app", "acme/product");
    expect(await problems(stage)).toEqual(["warning tracker.renamed"]);
  });

  it("names board rules that can't match, that stand against a rule, and what they look for in vain", async () => {
    const boardRules = [
      { when: { status: "planned" }, set: { state: "closed", reason: "not_planned" } },
      { when: { status: "planned", reviewed: true }, set: { milestone: "Never" } },
      { when: { status: "declined" }, set: { addLabels: ["x"] } },
    ];
    const stage = await openChecked({ projects: [{ ...standardProject, boardRules }] });
    for (const status of allStatuses) stage.board.addPost("acme-app", { status });
    const findings = (await stage.check()).filter(({ level }) => level !== "ok");
    expect(findings.map(({ level, code, message }) => [level, code, message.split(/[:.,;] /)[0]])).toEqual([
      ["warning", "board.status", "No post has the status `declined` of boardRules[2].when.status"],
      ["error", "tracker.milestone", 'acme/app has no milestone "Never"'],
      ["error", "config.shadowed", "boardRules[1] can never match"],
      ["warning", "config.fight", "boardRules[0] and rules[1] stand against each other"],
    ]);
  });

  it("goes on past what is refused: the token is looked at without the key", async () => {
    const stage = await openChecked();
    stage.useSecrets({ boardKey: "wrong" });
    const board = ["error board.unauthorized", "warning undefined"];
    expect(await problems(stage)).toEqual(board);
    stage.useSecrets({ token: "wrong" });
    expect(await problems(stage)).toEqual([...board, "error tracker.unauthorized", "warning undefined"]);
    const words = (await stage.check()).map(({ subject, message }) => `${subject}: ${message}`);
    expect(words).toContain("board: The posts were not looked at, because the board could not be asked.");
    expect(words).toContain("tracker: No repository was looked at, because GitHub could not be asked.");
  });

  it("can't know what statuses are called where no post shows one", async () => {
    const stage = await openChecked();
    stage.board.restyle({ hidden: ["status"] });
    expect((await stage.check()).map(({ message }) => message)).toContain(
      "No post shows a status, so what the statuses are called here is not known.",
    );
  });

  it("can't know the shape of an empty board", async () => {
    const stage = await openStage();
    const findings = await stage.check();
    expect(findings.map(({ message }) => message).join("\n")).toContain("The list has no posts");
  });

  it("asks whether a status is a slip where one that posts show is near to it, and warns of any other", async () => {
    const stage = await openStage({
      projects: [
        {
          ...standardProject,
          select: { statuses: ["planed"] },
          rules: [{ when: { state: "closed" }, set: { status: "complete" } }],
          boardRules: [
            { when: { status: "declnied" }, set: { state: "closed" } },
            { when: { status: "spam" }, set: { state: "closed" } },
          ],
        },
      ],
    });
    for (const status of ["planned", "completed", "declined"]) stage.board.addPost("acme-app", { status });
    const findings = (await stage.check()).filter(({ code }) => code === "board.status");
    expect(findings.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "error No post has the status `planed` of select.statuses — did you mean `planned`?",
      "error No post has the status `complete` of rules[0].set.status — did you mean `completed`?",
      "error No post has the status `declnied` of boardRules[0].when.status — did you mean `declined`?",
      expect.stringMatching(
        /^warning No post has the status `spam` of boardRules\[1\]\.when\.status\. That may be right/,
      ),
    ]);
  });

  describe("of categories", () => {
    const named = { cat_1: "Billing", cat_2: "Mobile app" };

    async function openCategories(
      project: ConfigPart,
      style: object = { categoryNames: named },
    ): Promise<Stage> {
      const stage = await openStage({ projects: [{ ...standardProject, ...project }], style });
      addPlanned(stage, [{ categoryId: "cat_2" }, { categoryId: "cat_1" }, { categoryId: "cat_2" }, {}]);
      return stage;
    }
    const linesOf = async (stage: Stage): Promise<readonly string[]> =>
      (await stage.check())
        .filter(({ code, message }) => code === "board.category" || message.startsWith("Categories"))
        .map(({ level, message }) => `${level} ${message}`);

    it("lists those in use, with their names and counts", async () => {
      const stage = await openCategories({});
      expect(await linesOf(stage)).toEqual([
        "ok Categories in use: cat_2 “Mobile app” (2), cat_1 “Billing” (1).",
      ]);
      stage.board.restyle({ categoryNames: {} });
      expect(await linesOf(stage)).toEqual(["ok Categories in use: cat_2 (2), cat_1 (1)."]);
      stage.board.restyle({ hidden: ["categoryId"], categoryNames: {} });
      expect(await linesOf(stage)).toEqual([]);
    });

    it.each<[string, ConfigPart]>([
      ["select", { select: { categories: ["Billing", "cat_1"] } }],
      ["route", { route: [{ category: "billing", repo: "acme/app" }] }],
      ["categoryLabels", { issue: { categoryLabels: { BILLING: "in progress" } } }],
      ["boardRules", { boardRules: [{ when: { category: "Billing" }, set: { state: "closed" } }] }],
      ["rules", { rules: [{ when: { state: "closed" }, set: { categoryId: "Billing" } }] }],
    ])("knows one that %s names by its name, in any case", async (_, project) => {
      const stage = await openCategories(project);
      expect((await linesOf(stage)).slice(1)).toEqual([]);
      stage.board.restyle({ categoryNames: { cat_1: "Billing", cat_2: "billing" } });
      const [, ...lines] = await linesOf(stage);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(
        /^error The category `billing` of \S+ may be `cat_\d` and `cat_\d`: write the id\.$/i,
      );
    });

    it("says what no post shows, with what may have been meant where that is near", async () => {
      const stage = await openCategories({ select: { categories: ["cat-1", "Billin", "elsewhere"] } });
      const [, ...lines] = await linesOf(stage);
      expect(lines).toEqual([
        "error No post has the category `cat-1` of select.categories — did you mean `cat_1`?",
        "error No post has the category `Billin` of select.categories — did you mean `Billing`?",
        "error No post has the category `elsewhere` of select.categories, so nothing comes of it. The categories are listed above.",
      ]);
    });

    it("is said by a plan, and what selects nothing by the first run, and no run after it while nothing changes", async () => {
      const stage = await openCategories({
        select: { categories: ["Payments"], statuses: ["planed", "planned"] },
        route: [{ status: "nowhere", repo: "acme/app" }],
      });
      const settings = ["select.statuses: planed", "select.categories: Payments", "route[0].status: nowhere"];
      const said = (from: number) =>
        stage.log
          .slice(from)
          .flatMap((line): readonly unknown[] =>
            line.includes("No post shows these values of the config") ? [JSON.parse(line).settings] : [],
          );
      await stage.sync();
      expect(said(0)).toEqual([["select.categories: Payments"]]);
      const from = stage.log.length;
      await stage.sync();
      expect(said(from)).toEqual([]);
      await stage.plan();
      expect(said(from)).toEqual([settings]);
      stage.reconfigure({ projects: [{ ...standardProject, select: { categories: ["cat_1"] } }] });
      await stage.sync();
      expect(said(from)).toEqual([settings]);
    });

    it("is said by the first run of statuses where no post has any of those that are selected", async () => {
      const stage = await openCategories({ select: { statuses: ["planed", "plannd"] } });
      await stage.sync();
      expect(
        stage.log.filter((line) => line.includes("No post shows these")).map((line) => JSON.parse(line)),
      ).toEqual([
        expect.objectContaining({ settings: ["select.statuses: planed", "select.statuses: plannd"] }),
      ]);
    });
  });

  it("asks about the status of a route, too", async () => {
    const stage = await openStage({
      projects: [{ ...standardProject, route: [{ status: "planed", repo: "acme/app" }] }],
    });
    addPlanned(stage, 1);
    const findings = (await stage.check()).filter(({ code }) => code === "board.status");
    expect(findings.map(({ message }) => message)).toContain(
      "No post has the status `planed` of route[0].status — did you mean `planned`?",
    );
  });

  it("says what asking for further pages has found", async () => {
    const stage = await openStage({ style: { paging: { kind: "silent", param: "skip" }, pageSize: 10 } });
    addPlanned(stage, 12);
    const said = async (): Promise<string> =>
      (await stage.check()).map(({ level, message }) => `${level} ${message}`).join("\n");
    expect(await said()).toContain("`paging: { kind: offset, param: skip }`");
    expect(await said()).toContain("12 posts, found under feedback; id field `id`; paging: offset, found by");
    expect(await problems(stage)).toContain("warning board.paging-found");
    stage.board.restyle({ paging: { kind: "silent", param: "none" }, pageSize: 10 });
    expect(await said()).toContain(
      "ok The board was asked for further posts in the usual ways, and sent none",
    );
    expect(await problems(stage)).not.toContain("warning board.paging-found");
  });

  it("says where a list looks cut, holds records without an id, or contradicts itself", async () => {
    const stage = await openStage({ style: { paging: { kind: "none" } } });
    addPlanned(stage, 10);
    for (const status of allStatuses) stage.board.addPost("acme-app", { status, isArchived: true });
    for (const post of ["p1", "p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    const isAsked = ({ query }: { query: object }): boolean => Object.keys(query).length > 1;
    stage.board.failNext({ kind: "answer", status: 500 }, { times: 6, when: isAsked });
    expect(await problems(stage)).toEqual(["warning board.incomplete"]);
    stage.board.restyle({ pageSize: 5 });
    const body = {
      feedback: [
        { id: "p1", status: "planned", roadmapColumn: null, title: "A post", description: "" },
        { id: "", status: "completed" },
        { id: "p3", status: "closed" },
        { id: "p4", status: "in_progress" },
      ],
      nextCursor: "2",
    };
    stage.board.failNext(
      { kind: "answer", status: 200, body },
      { times: 3, when: ({ path }) => path === "/feedback" },
    );
    expect(await problems(stage)).toEqual([
      // The record without an id, on each of the two pages, and the status that it alone has.
      "warning undefined",
      "warning undefined",
      "error board.incomplete",
      "warning board.status",
    ]);
  });
});
