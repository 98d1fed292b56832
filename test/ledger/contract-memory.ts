import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ProjectFieldMemory, ProjectMemory, RepositoryMemory } from "../../src/ledger/memory.ts";
import type { ProjectId } from "../../src/model/post.ts";
import {
  createIssue,
  createPost,
  createRepository,
  createRepositoryMemory,
  dueIds,
  hourMs,
  linkPost,
  noon,
  otherProject,
  project,
  pullPosts,
  readRow,
  settleAll,
} from "./samples.ts";

const full: ProjectMemory = {
  key: "acme-app",
  id: project,
  name: "Acme",
  checkedAt: noon,
  settingsPrint: "settings",
  rules: "rules",
  seen: ["status", "title"],
  fullAt: noon + 1,
  lastSuccessAt: noon + 2,
  recoveredFrom: noon - 3,
  settledAt: noon - 4,
};
const bare: ProjectMemory = {
  ...full,
  settingsPrint: undefined,
  rules: undefined,
  seen: [],
  fullAt: undefined,
  lastSuccessAt: undefined,
  recoveredFrom: undefined,
  settledAt: undefined,
};
const repository: RepositoryMemory = {
  name: "acme/app",
  repository: createRepository(),
  checkedAt: noon,
  labels: [{ id: "LA_1", name: "bug" }, { name: "feedback" }],
  milestones: [{ number: 3, title: "Backlog", state: "open" }],
  labelsEtag: 'W/"2"',
  milestonesEtag: 'W/"3"',
  types: [{ id: "IT_1", name: "Bug" }],
  typesEtag: 'W/"4"',
  refused: [{ field: "assignees", value: "ann", print: "one" }],
  etag: 'W/"1"',
  cursor: "2026-01-01T00:00:00Z",
  scannedAt: noon,
  namedAt: noon,
  scannedFor: ["acme-bot", "old-bot"],
  recoveredAt: noon + 1,
  fullAt: noon + 2,
  publicSince: noon + 3,
  pausedAt: noon + 4,
};
const newRepository = createRepositoryMemory({
  repository: createRepository({ hasIssues: false, isArchived: true, isPrivate: false, canPush: false }),
});

export function describeMemory(ledger: () => Ledger): void {
  describe("memory", () => {
    it("knows nothing at first", () => {
      const { memory } = ledger();
      expect(memory.account()).toBeUndefined();
      expect(memory.project("acme-app")).toBeUndefined();
      expect(memory.repository("acme/app")).toBeUndefined();
      expect(memory.repositoryById(10)).toBeUndefined();
    });

    it("lies no more ahead of a clock that is set back", async () => {
      const { memory, runs } = ledger();
      const late = noon + hourMs;
      await runs.begin(late);
      const known = { ...repository, checkedAt: late, scannedAt: late };
      await ledger().commit([
        { kind: "remember-account", account: { login: "bot", checkedAt: late } },
        { kind: "remember-project", memory: { ...bare, fullAt: late } },
        { kind: "remember-repository", memory: known },
      ]);
      await runs.begin(noon + 4);
      expect(memory.account()?.checkedAt).toBe(noon + 4);
      expect(memory.project("acme-app")?.fullAt).toBe(noon + 4);
      expect(memory.repositoryById(10)).toEqual({ ...repository, checkedAt: noon + 4, scannedAt: 0 });
    });

    it("keeps the account that was remembered last", async () => {
      const { memory } = ledger();
      await ledger().commit([
        { kind: "remember-account", account: { login: "old", checkedAt: noon } },
        { kind: "remember-account", account: { login: "bot", checkedAt: noon + 1 } },
      ]);
      expect(memory.account()).toEqual({ login: "bot", checkedAt: noon + 1 });
    });

    it.each([
      ["with everything", full],
      ["that was never pulled", bare],
    ])("gives back a project %s", async (_, memory) => {
      await ledger().commit([{ kind: "remember-project", memory }]);
      expect(ledger().memory.project("acme-app")).toEqual(memory);
    });

    it("replaces a project, its id on the board included", async () => {
      await ledger().commit([
        { kind: "remember-project", memory: full },
        { kind: "remember-project", memory: { ...bare, id: otherProject } },
      ]);
      expect(ledger().memory.project("acme-app")).toEqual({ ...bare, id: otherProject });
    });

    it("knows a project by the name that the config gave it last, and by its id", async () => {
      const { memory } = ledger();
      const renamed = { ...full, key: "acme-renamed" };
      for (const one of [full, { ...bare, key: "acme-api", id: otherProject }, renamed])
        await ledger().commit([{ kind: "remember-project", memory: one }]);
      expect([memory.project("acme-app"), memory.project("acme-renamed")]).toEqual([undefined, renamed]);
      expect([memory.projectById(full.id), memory.projectById(otherProject)?.key]).toEqual([
        renamed,
        "acme-api",
      ]);
    });

    it.each([
      ["a way on", { kind: "cursor", param: "after", next: "lastId" } as const],
      ["nothing more", undefined],
    ])("gives back that asking a board for more has shown %s", async (_, way) => {
      expect(ledger().memory.paging(project)).toBeUndefined();
      await ledger().commit([
        { kind: "remember-paging", project, paging: { way: undefined, posts: "a", askedAt: noon } },
        { kind: "remember-paging", project, paging: { way, posts: "b", askedAt: noon + 1 } },
      ]);
      expect(ledger().memory.paging(project)).toEqual({ way, posts: "b", askedAt: noon + 1 });
      expect(ledger().memory.paging(otherProject)).toBeUndefined();
    });

    it.each([
      ["with everything", repository],
      ["that was never read", newRepository],
    ])("gives back a repository %s, by name and by id", async (_, memory) => {
      await ledger().commit([{ kind: "remember-repository", memory }]);
      expect(ledger().memory.repository("acme/app")).toEqual(memory);
      expect(ledger().memory.repositoryById(10)).toEqual(memory);
    });

    it("finds a repository by the name in the config after it was renamed, whatever the case", async () => {
      const renamed = { ...repository, repository: createRepository({ name: "acme/product" }) };
      await ledger().commit([{ kind: "remember-repository", memory: renamed }]);
      expect(ledger().memory.repository("Acme/App")).toEqual(renamed);
      expect(ledger().memory.repository("acme/product")).toBeUndefined();
    });

    it("hides the facts of a paused repository's issues until it goes on", async () => {
      await pullPosts(ledger(), [createPost("p1")]);
      await linkPost(ledger(), "p1", createIssue(1));
      await ledger().commit([{ kind: "remember-repository", memory: repository }]);
      expect((await readRow(ledger(), "p1")).links[0]?.known?.issue).toBeUndefined();
      await settleAll(ledger());
      await ledger().commit([
        { kind: "remember-repository", memory: { ...repository, pausedAt: undefined } },
        { kind: "mark-repository", repository: 10 },
      ]);
      expect((await readRow(ledger(), "p1")).links[0]?.known?.issue).toEqual(createIssue(1));
      expect(await dueIds(ledger())).toEqual(["p1"]);
    });

    it("keeps a field of a project that was remembered last", async () => {
      const { memory } = ledger();
      const field: ProjectFieldMemory = {
        key: "acme/7/status",
        projectId: "PVT_7",
        fieldId: "F_1",
        name: "Status",
        options: [{ id: "o1", name: "In progress" }],
        isClosed: false,
        checkedAt: noon,
      };
      expect(memory.projectField(field.key)).toBeUndefined();
      await ledger().commit([
        { kind: "remember-project-field", field },
        { kind: "remember-project-field", field: { ...field, key: "acme/8/status" } },
        { kind: "remember-project-field", field: { ...field, isClosed: true, checkedAt: noon + 1 } },
      ]);
      expect(memory.projectField(field.key)).toEqual({ ...field, isClosed: true, checkedAt: noon + 1 });
    });

    it("keeps the sizes that were remembered last, and no others", async () => {
      const { memory } = ledger();
      const [one, other] = ["issues of 10", "labels of 10"].map((name) => ({ name, size: 50, until: noon }));
      expect(memory.sizes()).toEqual([]);
      await ledger().commit([{ kind: "remember-sizes", sizes: [one, other].flatMap((size) => size ?? []) }]);
      expect(memory.sizes()).toEqual([one, other]);
      await ledger().commit([
        { kind: "remember-sizes", sizes: other === undefined ? [] : [{ ...other, size: 25 }] },
      ]);
      expect(memory.sizes()).toEqual([{ ...other, size: 25 }]);
    });

    it("keeps what categories of a project are called, and what names of the config mean", async () => {
      const { memory } = ledger();
      const project = "prj_1" as ProjectId;
      const categories = [{ id: "cat_1", name: "Billing" }];
      const known = { project, categories, pins: [{ word: "billing", id: "cat_1" }], listedAt: noon };
      expect(memory.categories(project)).toBeUndefined();
      await ledger().commit([{ kind: "remember-categories", memory: { ...known, listedAt: undefined } }]);
      await ledger().commit([{ kind: "remember-categories", memory: known }]);
      expect(memory.categories(project)).toEqual(known);
      expect(memory.categories("prj_2" as ProjectId)).toBeUndefined();
    });

    it("keeps a tool by its name, as it was remembered last", async () => {
      const { memory } = ledger();
      const tool = { name: "create_changelog", print: "0123456789abcdef" };
      expect(memory.tool(tool.name)).toBeUndefined();
      await ledger().commit([{ kind: "remember-tool", tool: { ...tool, print: "" } }]);
      await ledger().commit([{ kind: "remember-tool", tool }]);
      expect(memory.tool(tool.name)).toEqual(tool);
    });

    it("gives a name to the repository that was remembered last under it", async () => {
      const { memory } = ledger();
      const other = { ...repository, repository: createRepository({ id: 11 }) };
      await ledger().commit([
        { kind: "remember-repository", memory: repository },
        { kind: "remember-repository", memory: other },
      ]);
      expect(memory.repository("acme/app")).toEqual(other);
      expect(memory.repositoryById(10)).toEqual(repository);
    });
  });

  describe("a repository of several names", () => {
    const renamed = { ...repository, otherNames: ["acme/product", "acme/old"] } as const;

    it("is found by each of them", async () => {
      const { memory } = ledger();
      await ledger().commit([{ kind: "remember-repository", memory: renamed }]);
      for (const name of ["acme/app", "Acme/Product", "acme/old"] as const)
        expect(memory.repository(name)).toEqual(renamed);
    });

    it("loses those that another one is given", async () => {
      const { memory } = ledger();
      const other = { ...repository, name: "acme/product", otherNames: ["acme/app"] } as const;
      await ledger().commit([
        { kind: "remember-repository", memory: renamed },
        { kind: "remember-repository", memory: { ...other, repository: createRepository({ id: 11 }) } },
      ]);
      expect(memory.repository("acme/product")?.repository.id).toBe(11);
      expect(memory.repository("acme/app")?.repository.id).toBe(11);
      expect(memory.repository("acme/old")?.repository.id).toBe(10);
      expect(memory.repositoryById(10)).toMatchObject({
        name: repository.repository.name,
        otherNames: ["acme/old"],
      });
    });
  });

  describe("runs", () => {
    it("are numbered from 1", async () => {
      const { runs } = ledger();
      expect([(await runs.begin(noon)).run, (await runs.begin(noon)).run]).toEqual([1, 2]);
    });

    it("are known once they are finished, per project and for all", async () => {
      const { runs } = ledger();
      const first = (await runs.begin(noon)).run;
      await ledger().commit([
        {
          kind: "finish-run",
          run: first,
          record: {
            finishedAt: noon + 5,
            result: "partial",
            projects: [
              { project: "one", report: { posts: 1 } },
              { project: "two", report: { posts: 2 } },
            ],
          },
        },
      ]);
      const second = (await runs.begin(noon + 10)).run;
      await ledger().commit([
        {
          kind: "finish-run",
          run: second,
          record: {
            finishedAt: noon + 15,
            result: "ok",
            projects: [{ project: "one", report: { posts: 3 } }],
          },
        },
      ]);
      (await runs.begin(noon + 20)).run;
      const last = { run: 2, startedAt: noon + 10, finishedAt: noon + 15, result: "ok" };
      expect(await runs.lastOfAll()).toBe(2);
      expect(await runs.last(["two", "one", "three"])).toEqual({ ...last, report: { posts: 3 } });
      expect(await runs.last(["two", "three"])).toMatchObject({ run: 1, report: { posts: 2 } });
      expect(await runs.last([])).toBeUndefined();
      expect(await runs.firstAt("one")).toBe(noon);
      expect(await runs.firstAt("three")).toBeUndefined();
      expect(await runs.last("one")).toEqual({ ...last, report: { posts: 3 } });
      expect(await runs.last("two")).toEqual({
        run: 1,
        startedAt: noon,
        finishedAt: noon + 5,
        result: "partial",
        report: { posts: 2 },
      });
      expect(await runs.find(1)).toEqual({
        run: 1,
        startedAt: noon,
        finishedAt: noon + 5,
        result: "partial",
        projects: [
          { project: "one", report: { posts: 1 } },
          { project: "two", report: { posts: 2 } },
        ],
        before: null,
        after: 2,
      });
      expect(await runs.find(2)).toMatchObject({ before: 1, after: null });
      expect(await runs.find(3)).toBeUndefined();
    });

    it("that never finished are no last run, and none can be finished twice", async () => {
      const { runs } = ledger();
      const run = (await runs.begin(noon)).run;
      expect(await runs.lastOfAll()).toBeUndefined();
      expect(await runs.last("one")).toBeUndefined();
      await ledger().commit([
        { kind: "finish-run", run, record: { finishedAt: noon, result: "ok", projects: [] } },
      ]);
      await expect(
        ledger().commit([
          { kind: "finish-run", run, record: { finishedAt: noon, result: "ok", projects: [] } },
        ]),
      ).rejects.toThrow("not open");
    });

    it("keep where a list is to be gone on with, by project", async () => {
      const { memory } = ledger();
      expect(memory.openList(project)).toBeUndefined();
      await ledger().commit([
        { kind: "remember-open-list", project, place: "page 2" },
        { kind: "remember-open-list", project: otherProject, place: "page 9" },
        { kind: "remember-open-list", project, place: "page 3" },
      ]);
      expect(memory.openList(project)).toBe("page 3");
      await ledger().commit([{ kind: "remember-open-list", project, place: undefined }]);
      expect(memory.openList(project)).toBeUndefined();
      expect(memory.openList(otherProject)).toBe("page 9");
    });

    it("offer a code for the page, one at a time, until it is taken or its time is over", async () => {
      const { runs } = ledger();
      expect(await runs.takePage("a", noon)).toBe(false);
      await ledger().commit([{ kind: "offer-page", print: "a", until: noon + 1 }]);
      expect(await runs.takePage("b", noon)).toBe(false);
      expect(await runs.takePage("a", noon)).toBe(true);
      expect(await runs.takePage("a", noon)).toBe(false);
      await ledger().commit([
        { kind: "offer-page", print: "a", until: noon + 1 },
        { kind: "offer-page", print: "b", until: noon + 1 },
      ]);
      expect(await runs.takePage("a", noon)).toBe(false);
      expect(await runs.takePage("b", noon + 1)).toBe(false);
      expect(await runs.takePage("b", noon)).toBe(false);
    });

    it("take a form of the page once, and forget it long after its end", async () => {
      const { runs } = ledger();
      expect(await runs.useForm("a", noon + 1, noon)).toBe(true);
      expect(await runs.useForm("a", noon + 1, noon)).toBe(false);
      expect(await runs.useForm("b", noon + 1, noon + 2)).toBe(true);
      expect(await runs.useForm("a", noon + 1, noon)).toBe(false);
      expect(await runs.useForm("c", noon + 1, noon + 86_400_002)).toBe(true);
      expect(await runs.useForm("a", noon + 1, noon)).toBe(true);
    });

    it("leave a sign of life", async () => {
      const { runs } = ledger();
      expect(await runs.heartbeat()).toBeUndefined();
      await ledger().commit([
        { kind: "beat", sign: { at: noon, who: "daemon" } },
        { kind: "beat", sign: { at: noon + 1, who: "daemon, again" } },
      ]);
      expect(await runs.heartbeat()).toEqual({ at: noon + 1, who: "daemon, again" });
      await ledger().commit([{ kind: "beat", sign: { at: noon + 2, who: "daemon, again", isLast: true } }]);
      expect(await runs.heartbeat()).toEqual({ at: noon + 2, who: "daemon, again", isLast: true });
      await ledger().commit([{ kind: "beat", sign: { at: noon + 3, who: "daemon" } }]);
      expect(await runs.heartbeat()).toEqual({ at: noon + 3, who: "daemon" });
    });
  });
}
