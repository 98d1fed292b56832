import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectId } from "../../src/model/post.ts";
import { lastText } from "../../src/sync/ground/entries.ts";
import { foreseePublish, foreseeRetryEntry } from "../../src/sync/orders/publish.ts";
import { tellEntries } from "../../src/sync/tell/entries.ts";
import { privateRepositories, twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";
import { createFakeTools, type FakeTools } from "../support/tools.ts";

const project = "prj_app" as ProjectId;
const dayMs = 24 * hourMs;

const toolsConfig = {
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

const ownProject: ConfigPart = {
  ...standardProject,
  issue: { labels: ["feedback"], postUrl: "https://feedback.example.com/p/{{ post.title | slice: 0 }}" },
};

describe("the changelog of releases", () => {
  let stage: Stage;
  let tools: FakeTools;

  const reconfigure = (changelog: ConfigPart | undefined, more: ConfigPart = {}) =>
    stage.reconfigure({
      config: { settle: "0s", board: { mcp: { tools: toolsConfig } } },
      projects: [{ ...ownProject, ...more, ...(changelog && { changelog }) }],
    });
  /** Closes the issue of the newest post by a pull request that is merged. */
  const ship = (title: string, votes = 3): void => {
    addPlanned(stage, [{ title, votes }]);
  };
  const closeByPullRequest = (number: number): void => {
    const { github } = stage;
    const pullRequest = github.openPullRequest("acme/app", { title: "A fix" }).number;
    github.linkPullRequest(
      { repository: "acme/app", number },
      { repository: "acme/app", number: pullRequest },
    );
    github.mergePullRequest("acme/app", pullRequest);
    github.close("acme/app", number);
  };
  const publish = (tag: string, texts: { name?: string; body?: string } = {}): void =>
    stage.github.publishRelease("acme/app", { tag, ...texts });
  const approve = async (tag: string, hash?: string): Promise<void> => {
    const shown = hash ?? lastText(await stage.ledger.toolCalls.list(project), tag)?.hash ?? "";
    const request = { kind: "publish", project, at: stage.clock.now(), tag, hash: shown } as const;
    await stage.ledger.commit([{ kind: "add-request", request }]);
  };
  /** Two people are shown an entry, and then both say yes. */
  const approveAtOnce = async (tag: string): Promise<void> => {
    const named = { key: "acme-app", project };
    const see = () => foreseePublish({ ledger: stage.ledger, now: stage.clock.now() }, named, tag);
    for (const seen of await Promise.all([see(), see()]))
      if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
  };
  /** Every call is answered with a yes that shows no entry, whatever came of it. */
  const answerNothing = (): void => {
    const silent = Object.create(tools) as FakeTools;
    silent.call = async (purpose, args) => {
      const { kind } = await tools.call(purpose, args);
      return kind === "applied" || kind === "unknown"
        ? { kind: "applied", record: undefined }
        : { kind: "unsent", message: "" };
    };
    stage.bend((world) => ({ ...world, tools: silent }));
  };
  const purposes = () => tools.calls.map(({ purpose }) => purpose);

  beforeEach(async () => {
    const labels = ["feedback", "in progress"];
    stage = await openStage({
      repositories: [{ name: "acme/app", private: true, labels, milestones: ["1.2"] }],
    });
    tools = createFakeTools();
    stage.bend((world) => ({ ...world, tools }));
    reconfigure({ releases: "v*", publish: "approve" });
    publish("v1.0");
    ship("Dark mode");
    ship("Import of [CSV] files", 12);
    await stage.sync();
    await stage.sync();
    stage.clock.skip(hourMs);
  });

  it("makes nothing of what was published before the first look, nor of other tags, drafts and pre-releases", async () => {
    publish("internal-7");
    stage.github.publishRelease("acme/app", { tag: "v1.1", isDraft: true });
    stage.github.publishRelease("acme/app", { tag: "v1.1-rc", isPrerelease: true });
    const { errors, requests } = await stage.syncOne();
    expect([errors, tools.calls, tools.requests]).toEqual([[], [], 0]);
    stage.mark();
    await stage.syncOne();
    expect(stage.reads().filter((path) => path.includes("releases"))).toHaveLength(1);
    expect(requests.board).toBeGreaterThan(0);
  });

  it("makes one draft of a release, with the posts that it ships, and leaves it alone from then on", async () => {
    closeByPullRequest(1);
    closeByPullRequest(2);
    publish("v1.1", {
      name: "Spring",
      body: "## New\n\n* Dark mode by @ann in https://github.com/acme/app/pull/3\n* Faster (#12)\n\n**Full Changelog**: https://github.com/acme/app/compare/v1.0...v1.1",
    });
    expect(await stage.syncOne()).toMatchObject({ entryWrites: 1, postWrites: 2, errors: [] });
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).not.toMatchObject({ entryWrites: expect.anything() });
    expect(purposes()).toEqual(["changelogCreate"]);
    expect(tools.entries).toEqual([
      {
        id: "e1",
        title: "Spring",
        text: "## New\n\n* Dark mode\n* Faster\n\n- [Import of \\[CSV\\] files](https://feedback.example.com/p/I)\n- [Dark mode](https://feedback.example.com/p/D)",
        isPublished: false,
      },
    ]);
    expect(tools.calls[0]?.args).toMatchObject({ publish: false });
    stage.mark();
    await stage.sync();
    expect(stage.reads().filter((path) => path.includes("graphql"))).toEqual([]);
  });

  it("stays when its run is undone, which says so", async () => {
    publish("v1.1");
    const made = await stage.sync();
    await approve("v1.1");
    const published = await stage.sync();
    const undo = async (run: number) =>
      [...(await stage.run({ kind: "undo", run, agreed: [] })).carried.values()].flat();
    const stays = { post: "changelog v1.1", issue: null, outcome: "refused" };
    expect(await undo(made.run)).toMatchObject([
      {
        ...stays,
        message: "Not undone: create-entry: a draft stays: only the board can delete it. It stays as it is.",
      },
    ]);
    expect(await undo(published.run)).toMatchObject([
      { ...stays, message: "Not undone: publish-entry: what is published has been read. It stays as it is." },
    ]);
    expect(purposes()).toEqual(["changelogCreate", "changelogPublish"]);
  });

  it("names a post in the first release that contains all of it, or whose milestone is called like it", async () => {
    closeByPullRequest(1);
    publish("v1.1");
    await stage.sync();
    stage.github.setMilestone("acme/app", 2, "1.2");
    stage.github.close("acme/app", 2);
    await stage.sync();
    stage.clock.skip(hourMs);
    publish("v1.2");
    await stage.sync();
    expect(tools.entries.map(({ title, text }) => [title, text])).toEqual([
      ["v1.1", "- [Dark mode](https://feedback.example.com/p/D)"],
      ["v1.2", "- [Import of \\[CSV\\] files](https://feedback.example.com/p/I)"],
    ]);
  });

  it("changes a draft whose release is edited, and never one that people have edited or published", async () => {
    publish("v1.1", { body: "One" });
    await stage.sync();
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    await stage.sync();
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate", "changelogUpdate"]);
    expect(tools.entries).toMatchObject([{ text: "Two" }]);
    const [entry] = tools.entries;
    if (entry === undefined) throw new Error("There is no draft.");
    entry.text = "Two, and more";
    stage.github.editRelease("acme/app", "v1.1", { body: "Three" });
    expect((await stage.syncOne()).errors).toMatchObject([
      { code: "board.entry", message: expect.stringContaining("people have edited it") },
    ]);
    expect((await stage.syncOne()).errors).toEqual([]);
    entry.isPublished = true;
    stage.github.editRelease("acme/app", "v1.1", { body: "Four" });
    expect((await stage.syncOne()).errors).toEqual([]);
    expect(purposes()).toEqual(["changelogCreate", "changelogUpdate"]);
    expect(entry.text).toBe("Two, and more");
  });

  it("goes on to change a draft where the answer to a change has shown another one", async () => {
    for (const tag of ["v1.1", "v1.2"]) publish(tag, { body: "One" });
    await stage.sync();
    stage.github.editRelease("acme/app", "v1.2", { body: "Two" });
    tools.faults.push("another entry");
    await stage.sync();
    stage.github.editRelease("acme/app", "v1.2", { body: "Three" });
    expect((await stage.syncOne()).errors).toEqual([]);
    expect(tools.entries.map(({ text }) => text)).toEqual(["One", "Three"]);
  });

  it("believes no answer to a change that shows another entry where the list shows the draft as it was", async () => {
    for (const tag of ["v1.1", "v1.2"]) publish(tag, { body: "One" });
    await stage.sync();
    stage.github.editRelease("acme/app", "v1.2", { body: "Two" });
    const other = Object.create(tools) as FakeTools;
    other.call = async () => ({ kind: "applied", record: { id: "e1", title: "v1.1", text: "One" } });
    stage.bend((world) => ({ ...world, tools: other }));
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.unknown" }]);
    stage.bend((world) => ({ ...world, tools }));
    stage.clock.skip(hourMs);
    expect((await stage.syncOne()).errors).toEqual([]);
    expect(tools.entries.map(({ text }) => text)).toEqual(["One", "Two"]);
  });

  it("leaves a draft alone of which the list shows no text", async () => {
    publish("v1.1", { body: "One" });
    await stage.sync();
    const list = tools.list.bind(tools);
    const silent = Object.create(tools) as FakeTools;
    silent.list = async (...asked) => {
      const { records, isComplete } = await list(...asked);
      return { records: records.map(({ text: _, ...record }) => record), isComplete };
    };
    stage.bend((world) => ({ ...world, tools: silent }));
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    expect((await stage.syncOne()).errors).toMatchObject([
      { code: "board.entry", message: expect.stringContaining("the list does not show its text") },
    ]);
    expect(purposes()).toEqual(["changelogCreate"]);
  });

  it("says once that the release of a draft was deleted, and does not publish it", async () => {
    publish("v1.1");
    await stage.sync();
    stage.github.deleteRelease("acme/app", "v1.1");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry-gone" }]);
    expect((await stage.syncOne()).errors).toEqual([]);
    await approve("v1.1");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry-refused" }]);
    expect(purposes()).toEqual(["changelogCreate"]);
  });

  it.each(["anew", "as a draft before"] as const)(
    "publishes one that is there again: made %s",
    async (how) => {
      publish("v1.1", { body: "One" });
      await stage.sync();
      const leave = (): void =>
        how === "anew"
          ? stage.github.deleteRelease("acme/app", "v1.1")
          : stage.github.editRelease("acme/app", "v1.1", { isDraft: true });
      const comeBack = (body: string): void =>
        how === "anew"
          ? publish("v1.1", { body })
          : stage.github.editRelease("acme/app", "v1.1", { isDraft: false, body });
      for (const body of ["One", "Two"]) {
        leave();
        expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry-gone" }]);
        comeBack(body);
        expect((await stage.syncOne()).errors).toEqual([]);
      }
      await approve("v1.1");
      expect((await stage.syncOne()).errors).toEqual([]);
      expect(tools.entries).toMatchObject([{ text: "Two", isPublished: true }]);
    },
  );

  it("knows a release again whose tag was changed", async () => {
    publish("v1.1", { name: "Spring", body: "One" });
    publish("v1.2");
    await stage.sync();
    await approve("v1.1");
    await stage.sync();
    for (const tag of ["v1.0", "v1.1", "v1.2"])
      stage.github.editRelease("acme/app", tag, { tag: `${tag}.0`, ...(tag === "v1.2" && { body: "Two" }) });
    for (let run = 0; run < 2; run += 1) expect((await stage.syncOne()).errors).toEqual([]);
    expect(tools.entries.map(({ title, text }) => [title, text])).toEqual([
      ["Spring", "One"],
      ["v1.2.0", "Two"],
    ]);
  });

  it("makes a draft of a pre-release from before the first look when it becomes a release", async () => {
    reconfigure(undefined);
    await stage.sync();
    for (const tag of ["v2.0", "v3.0"]) stage.github.publishRelease("acme/app", { tag, isPrerelease: true });
    reconfigure({ releases: "v*" });
    await stage.sync();
    stage.github.editRelease("acme/app", "v2.0", { isPrerelease: false });
    await stage.sync();
    reconfigure({ releases: "v*", prereleases: true });
    await stage.sync();
    expect(tools.entries.map(({ title }) => title)).toEqual(["v2.0"]);
  });

  it("is stopped by no release whose template fails, nor is what people let go", async () => {
    const create = {
      ...toolsConfig.changelogCreate,
      args: { title: "{{ entry.title | truncate: 20 }}", draft: true },
    };
    const publishing = {
      name: "publish",
      args: { id: "{{ entry.id }}", name: "{{ entry.title | url_decode }}" },
    };
    stage.reconfigure({
      config: {
        settle: "0s",
        board: { mcp: { tools: { ...toolsConfig, changelogCreate: create, changelogPublish: publishing } } },
      },
      projects: [{ ...ownProject, changelog: { releases: "v*", publish: "approve" } }],
    });
    publish("v1.1");
    publish("v1.2", { name: "100% faster" });
    await stage.sync();
    for (const tag of ["v1.1", "v1.2"]) await approve(tag);
    publish("v1.3", { name: "A name that is longer than that" });
    publish("v1.4");
    const fails = {
      code: "config.template",
      message: expect.stringMatching(/^changelog v1\.3: a template fails/),
    };
    expect((await stage.syncOne()).errors).toMatchObject([
      fails,
      { code: "board.entry-refused", message: expect.stringContaining("changelog v1.2 is not published") },
    ]);
    expect(tools.entries.map(({ title, isPublished }) => [title, isPublished])).toEqual([
      ["v1.1", true],
      ["100% faster", false],
      ["v1.4", false],
    ]);
    expect((await stage.syncOne()).errors).toMatchObject([fails]);
  });

  it("publishes what a person let go, as it was shown, and one a day unless they say so twice", async () => {
    for (const tag of ["v1.1", "v1.2", "v1.3"]) publish(tag);
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([false, false, false]);
    await approve("v1.1", "another text");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry-refused" }]);
    await approve("v1.1");
    await approve("v1.2");
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([true, false, false]);
    await approveAtOnce("v1.3");
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([true, false, false]);
    await approveAtOnce("v1.3");
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([true, false, true]);
    stage.clock.skip(dayMs);
    await stage.sync();
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([true, true, true]);
    expect(purposes().filter((purpose) => purpose === "changelogPublish")).toHaveLength(3);
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("publishes nothing where the config does not allow it", async () => {
    reconfigure({ releases: "v*" });
    publish("v1.1");
    await stage.sync();
    await approve("v1.1");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry-refused" }]);
    expect(purposes()).toEqual(["changelogCreate"]);
  });

  it.each(["answer lost", "lost"] as const)(
    "finds a draft whose answer was lost by its title: %s",
    async (fault) => {
      publish("v1.1");
      tools.faults.push(fault);
      expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.unknown" }]);
      expect((await stage.syncOne()).errors).toEqual([]);
      stage.clock.skip(hourMs);
      await stage.sync();
      await stage.sync();
      expect(tools.entries).toHaveLength(1);
      expect(purposes()).toHaveLength(fault === "lost" ? 2 : 1);
      await approve("v1.1");
      await stage.sync();
      expect(tools.entries).toMatchObject([{ isPublished: true }]);
    },
  );

  it("makes no second draft where an editor has given the first one another title, and takes it once it is called so again", async () => {
    publish("v1.1");
    tools.faults.push("answer lost");
    await stage.sync();
    const [entry] = tools.entries;
    if (entry === undefined) throw new Error("No draft was made.");
    entry.title = "What is new in March";
    stage.clock.skip(hourMs);
    await stage.sync();
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate"]);
    const message = expect.stringContaining('"What is new in March" is new: that may be it');
    const one = () => stage.ledger.toolCalls.list(project).then(([call]) => call);
    expect(await one()).toMatchObject({ state: "UNKNOWN", isUnsure: true, message });
    entry.title = "v1.1";
    await stage.sync();
    expect(await one()).toMatchObject({ state: "DONE", result: entry.id });
  });

  it("makes a draft anew although another release's is new, too, and whatever was there before", async () => {
    tools.entries.push({ id: "x1", title: "Of people", text: "", isPublished: true });
    publish("v1.1");
    publish("v1.2");
    tools.faults.push("lost", "answer lost");
    await stage.sync();
    stage.clock.skip(hourMs);
    await stage.sync();
    await stage.sync();
    expect(tools.entries.map(({ title }) => title).toSorted()).toEqual(["Of people", "v1.1", "v1.2"]);
  });

  it("calls for a person after five calls without an answer or a draft", async () => {
    publish("v1.1");
    tools.faults.push(...Array.from({ length: 9 }, () => "lost" as const));
    for (let run = 0; run < 20; run += 1) {
      await stage.sync();
      stage.clock.skip(hourMs);
    }
    expect(purposes()).toHaveLength(5);
    const [call] = await stage.ledger.toolCalls.list(project);
    expect(call).toMatchObject({ isUnsure: true, message: expect.stringContaining("5 calls got no answer") });
  });

  it("is drafted also where the board lets the key change no internal note", async () => {
    reconfigure({ releases: "v*" }, { backlink: true });
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.failNext(
      { kind: "answer", status: 403, body: { message: "Needs another plan" } },
      { when: ({ method }) => method === "PATCH", times: 99 },
    );
    publish("v1.1");
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate"]);
  });

  it("makes no second draft where the list is not whole", async () => {
    publish("v1.1");
    tools.faults.push("lost");
    tools.isListComplete = false;
    await stage.sync();
    stage.clock.skip(hourMs);
    await stage.sync();
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate"]);
    const [call] = await stage.ledger.toolCalls.list(project);
    expect(call).toMatchObject({
      state: "UNKNOWN",
      isUnsure: true,
      message: "the list of entries is not whole",
    });
    tools.isListComplete = true;
    await stage.sync();
    expect(tools.entries).toHaveLength(1);
  });

  it.each(["lost", "rejected"] as const)(
    "tries once more what is stuck where a person wants it: %s",
    async (fault) => {
      publish("v1.1");
      tools.faults.push(fault);
      tools.isListComplete = false;
      await stage.sync();
      stage.clock.skip(hourMs);
      await stage.sync();
      const named = { key: "acme-app", project };
      const sight = { ledger: stage.ledger, now: stage.clock.now() };
      expect(await foreseeRetryEntry(sight, named, "v9")).toMatchObject({ nothing: expect.anything() });
      const seen = await foreseeRetryEntry(sight, named, "v1.1");
      if ("nothing" in seen) throw new Error(seen.nothing);
      await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
      const pending = await stage.ledger.requests.pending(project);
      expect(await foreseeRetryEntry({ ...sight, pending }, named, "v1.1")).toMatchObject({
        nothing: expect.stringContaining("asked for already"),
      });
      expect((await stage.syncOne()).errors).toEqual([]);
      expect(tools.entries).toHaveLength(1);
      expect(await stage.ledger.requests.pending(project)).toEqual([]);
    },
  );

  it.each(["answer lost", "lost"] as const)(
    "never publishes twice when an answer is lost: %s",
    async (fault) => {
      publish("v1.1");
      await stage.sync();
      await approve("v1.1");
      tools.faults.push(fault);
      await stage.sync();
      stage.clock.skip(hourMs);
      await stage.sync();
      await stage.sync();
      expect(purposes().filter((purpose) => purpose === "changelogPublish")).toHaveLength(1);
      expect(tools.entries).toMatchObject([{ isPublished: fault === "answer lost" }]);
      await approve("v1.1");
      await stage.sync();
      expect(tools.entries).toMatchObject([{ isPublished: true }]);
    },
  );

  it.each([0, hourMs])(
    "takes what a process that died has published for published, %i ms later",
    async (later) => {
      publish("v1.1");
      await stage.sync();
      await approve("v1.1");
      tools.beforeAnswer = () => {
        for (const entry of tools.entries) entry.isPublished = true;
        tools.beforeAnswer = undefined;
        throw new Error("The process died.");
      };
      await stage.sync();
      stage.restart();
      stage.clock.skip(later);
      for (let run = 0; run < 3; run += 1) expect((await stage.syncOne()).errors).toEqual([]);
      expect(purposes()).toEqual(["changelogCreate", "changelogPublish"]);
      expect(await stage.ledger.requests.pending(project)).toEqual([]);
      expect(await stage.ledger.toolCalls.list(project, "changelogPublish")).toMatchObject([
        { state: "DONE" },
      ]);
    },
  );

  it("publishes no text that a person has not let go: an edit of the release comes first", async () => {
    publish("v1.1", { body: "One" });
    await stage.sync();
    await approve("v1.1");
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    tools.faults.push("answer lost");
    await stage.sync();
    // Whether the text is another one by now is not known: nothing is published.
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry-refused" }]);
    expect(purposes()).toEqual(["changelogCreate", "changelogUpdate"]);
    stage.clock.skip(hourMs);
    for (let run = 0; run < 2; run += 1) expect((await stage.syncOne()).errors).toEqual([]);
    expect(tools.entries).toMatchObject([{ text: "Two", isPublished: false }]);
    await approve("v1.1");
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate", "changelogUpdate", "changelogPublish"]);
  });

  it.each([
    ["answer lost", "refused"],
    ["lost", "published"],
  ] as const)("an approval while an update is in doubt is of the old text: %s, %s", async (fault, end) => {
    publish("v1.1", { body: "One" });
    await stage.sync();
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    tools.faults.push(fault);
    await stage.sync();
    await approve("v1.1");
    // The draft is as the release was before, or as it is now, and the next edit is of neither.
    stage.github.editRelease("acme/app", "v1.1", { body: end === "refused" ? "Three" : "One" });
    stage.clock.skip(hourMs);
    await stage.sync();
    await stage.sync();
    const published = tools.entries.filter(({ isPublished }) => isPublished).map(({ text }) => text);
    expect(published).toEqual(end === "refused" ? [] : ["One"]);
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("an approval of one text is none of the next, also where the change after that is refused", async () => {
    publish("v1.1", { body: "One" });
    await stage.sync();
    await approve("v1.1");
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    await stage.sync();
    stage.github.editRelease("acme/app", "v1.1", { body: "Three" });
    tools.faults.push("rejected");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(tools.entries).toMatchObject([{ text: "Two", isPublished: false }]);
    await approve("v1.1");
    await stage.sync();
    expect(tools.entries).toMatchObject([{ text: "Two", isPublished: true }]);
  });

  it("takes no other entry for its own where the answer shows that one", async () => {
    publish("v1.1");
    tools.faults.push("answer lost");
    await stage.sync();
    publish("v1.2");
    tools.faults.push("another entry");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.unknown" }]);
    stage.clock.skip(hourMs);
    await stage.sync();
    await stage.sync();
    expect(tools.entries.map(({ title }) => title)).toEqual(["v1.1", "v1.2"]);
    await approve("v1.2");
    tools.faults.push("another entry");
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([false, true]);
    expect(await stage.ledger.toolCalls.list(project, "changelogPublish")).toMatchObject([{ result: "e2" }]);
  });

  it.each([true, false])(
    "nor what people have made, whether or not the list shows it (%s)",
    async (isShown) => {
      const theirs = { id: "x1", title: "Hello", text: "Hello", isPublished: false };
      if (isShown) tools.entries.push(theirs);
      else tools.beforeAnswer = () => void tools.entries.unshift(theirs);
      tools.isListComplete = isShown;
      publish("v1.1");
      tools.faults.push("another entry");
      await stage.sync();
      tools.beforeAnswer = undefined;
      tools.isListComplete = true;
      stage.clock.skip(hourMs);
      await stage.sync();
      await approve("v1.1");
      await stage.sync();
      expect(tools.entries.filter((one) => one.isPublished).map(({ title }) => title)).toEqual(["v1.1"]);
    },
  );

  it.each(["", "answer lost"] as const)("gives releases of one title a draft each: %s", async (fault) => {
    publish("v1.1", { name: "Maintenance", body: "One" });
    if (fault !== "") tools.faults.push(fault);
    await stage.sync();
    publish("v1.2", { name: "Maintenance", body: "Two" });
    await stage.sync();
    expect(tools.entries).toHaveLength(fault === "" ? 2 : 1);
    stage.clock.skip(hourMs);
    for (let run = 0; run < 3; run += 1) expect((await stage.syncOne()).errors).toEqual([]);
    expect(purposes()).toHaveLength(2);
    await approve("v1.2");
    await stage.sync();
    expect(tools.entries.map(({ text, isPublished }) => [text, isPublished])).toEqual([
      ["One", false],
      ["Two", true],
    ]);
  });

  it("waits, and says so, while nobody can find out what became of one of the same title", async () => {
    publish("v1.1", { name: "Maintenance", body: "One" });
    tools.faults.push("lost");
    tools.isListComplete = false;
    await stage.sync();
    stage.clock.skip(hourMs);
    publish("v1.2", { name: "Maintenance", body: "Two" });
    expect((await stage.syncOne()).errors).toMatchObject([
      {
        code: "board.entry",
        message: expect.stringMatching(/^changelog v1\.2: changelog v1\.1 has the same/),
      },
    ]);
    expect(purposes()).toHaveLength(1);
  });

  it("makes a draft though entries of its title were published before", async () => {
    tools.entries.push({ id: "x1", title: "Maintenance", text: "Long ago", isPublished: true });
    publish("v1.1", { name: "Maintenance", body: "One" });
    tools.faults.push("answer lost");
    await stage.sync();
    stage.clock.skip(hourMs);
    await stage.sync();
    await approve("v1.1");
    await stage.sync();
    expect(tools.entries.map(({ id, isPublished }) => [id, isPublished])).toEqual([
      ["x1", true],
      ["e2", true],
    ]);
    expect(purposes()).toEqual(["changelogCreate", "changelogPublish"]);
  });

  it("takes no draft that people have written for its own, and never changes it", async () => {
    tools.entries.push({ id: "x1", title: "Spring", text: "Written by Marketing.", isPublished: false });
    publish("v1.1", { name: "Spring", body: "One" });
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.entry" }]);
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    await stage.sync();
    expect(tools.calls).toEqual([]);
    for (const entry of tools.entries) entry.title = "Spring, by Marketing";
    expect((await stage.syncOne()).errors).toEqual([]);
    expect(tools.entries.map(({ text }) => text)).toEqual(["Written by Marketing.", "Two"]);
  });

  it("knows a draft whose answer was lost by its title where the board changes texts, and leaves it alone", async () => {
    publish("v1.1", { body: "One" });
    tools.faults.push("answer lost");
    await stage.sync();
    for (const entry of tools.entries) entry.text = "<p>One</p>";
    stage.clock.skip(hourMs);
    expect((await stage.syncOne()).errors).toEqual([]);
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    expect((await stage.syncOne()).errors).toMatchObject([
      { code: "board.entry", message: expect.stringContaining("people have edited it") },
    ]);
    await approve("v1.1");
    await stage.sync();
    expect(tools.entries).toMatchObject([{ text: "<p>One</p>", isPublished: true }]);
  });

  it.each(["before", "after"] as const)(
    "changes a draft whose answer was lost, unless people edited it: release edited %s the look",
    async (when) => {
      publish("v1.1", { body: "One" });
      tools.faults.push("answer lost");
      await stage.sync();
      const edit = (): void => stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
      if (when === "before") edit();
      stage.clock.skip(hourMs);
      await stage.sync();
      if (when === "after") edit();
      await stage.sync();
      expect(tools.entries).toMatchObject([{ text: "Two" }]);
      for (const entry of tools.entries) entry.text = "Polished";
      stage.github.editRelease("acme/app", "v1.1", { body: "Three" });
      await stage.sync();
      expect(tools.entries).toMatchObject([{ text: "Polished" }]);
    },
  );

  it("does what is asked with tools whose answers show nothing: the list does", async () => {
    answerNothing();
    publish("v1.1", { body: "One" });
    expect((await stage.syncOne()).errors).toEqual([]);
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    expect((await stage.syncOne()).errors).toEqual([]);
    await approve("v1.1");
    expect((await stage.syncOne()).errors).toEqual([]);
    expect(tools.entries).toMatchObject([{ text: "Two", isPublished: true }]);
    expect(await stage.ledger.toolCalls.unsettled(project)).toEqual([]);
    expect(purposes()).toEqual(["changelogCreate", "changelogUpdate", "changelogPublish"]);
  });

  it("believes no answer that shows nothing where the list does not, either", async () => {
    publish("v1.1", { body: "One" });
    await stage.sync();
    answerNothing();
    tools.faults.push("lost", "lost");
    await approve("v1.1");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.unknown" }]);
    stage.github.editRelease("acme/app", "v1.1", { body: "Two" });
    publish("v1.2");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.unknown" }]);
    stage.clock.skip(hourMs);
    await stage.sync();
    await stage.sync();
    expect(tools.entries.map(({ title, text }) => [title, text])).toEqual([
      ["v1.1", "Two"],
      ["v1.2", ""],
    ]);
    await approve("v1.1");
    await stage.sync();
    expect(tools.entries.map(({ isPublished }) => isPublished)).toEqual([true, false]);
  });

  it("calls a tool no more that publishes what it makes", async () => {
    publish("v1.1");
    publish("v1.2");
    tools.faults.push("publishes at once");
    expect((await stage.syncOne()).errors.map(({ code }) => code)).toEqual(["board.entry", "board.entry"]);
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate"]);
  });

  it("waits while the project is paused, writes are off, or the run only adopts", async () => {
    publish("v1.1");
    await stage.adopt();
    await stage.ledger.commit([{ kind: "pause-whole", project, at: stage.clock.now() }]);
    await stage.sync();
    await stage.ledger.commit([{ kind: "resume-whole", project, request: undefined }]);
    reconfigure({ releases: "v*" }, { writes: "issues" });
    await stage.sync();
    expect(tools.calls).toEqual([]);
    reconfigure({ releases: "v*" });
    await stage.sync();
    expect(purposes()).toEqual(["changelogCreate"]);
  });

  describe("where there are more drafts at once than the guard lets go", () => {
    const seen = async (tag: string) => {
      const found = await foreseePublish(
        { ledger: stage.ledger, now: stage.clock.now() },
        { key: "acme-app", project },
        tag,
      );
      return "nothing" in found ? found.nothing : found;
    };
    const letGo = async (tag: string): Promise<void> => {
      const found = await seen(tag);
      if (typeof found === "string") throw new Error(found);
      await stage.ledger.commit(found.asks({ at: stage.clock.now() }));
    };
    const lines = async () =>
      (await tellEntries(stage.ledger, "acme-app", "approve")).map(({ tag, state }) => [tag, state]);
    const guarded = (facts: ConfigPart = {}): void =>
      stage.reconfigure({
        config: { guard: { issues: 1 }, settle: "0s", board: { mcp: { tools: toolsConfig } } },
        projects: [{ ...ownProject, changelog: { releases: "v*", publish: "approve" }, ...facts }],
      });
    beforeEach(async () => {
      guarded();
      publish("v1.1");
      publish("v1.2");
      await stage.sync();
    });

    it("holds them, and counts and shows them, until a person lets them go", async () => {
      for (let run = 0; run < 2; run += 1)
        expect(await stage.syncOne()).toMatchObject({ result: "held", held: 2, errors: [] });
      expect(tools.calls).toEqual([]);
      expect(await tellEntries(stage.ledger, "acme-app", "approve")).toMatchObject([
        {
          ...{ tag: "v1.2", title: "v1.2", state: "held", url: null },
          message: "2 new at once, and the guard lets 1 go (`guard.issues`)",
          command: "boardsync approve acme-app changelog:v1.2",
        },
        { tag: "v1.1", state: "held" },
      ]);
      expect(await seen("v1.2")).toMatchObject({ isDraft: true, notified: "Nobody is mailed." });
      await letGo("v1.2");
      expect(await seen("v1.2")).toContain("asked for already");
      expect(await lines()).toEqual([
        ["v1.2", "allowed"],
        ["v1.1", "held"],
      ]);
      for (let run = 0; run < 2; run += 1)
        expect(await stage.syncOne()).toMatchObject({ result: "held", held: 1, errors: [] });
      expect(await lines()).toEqual([
        ["v1.2", "draft"],
        ["v1.1", "held"],
      ]);
      // To let a draft be made is no yes to its publication.
      expect(tools.entries).toMatchObject([{ title: "v1.2", isPublished: false }]);
      expect(await stage.ledger.requests.pending(project)).toEqual([]);
    });

    it("holds one anew that was edited since a person let it go", async () => {
      await letGo("v1.1");
      stage.github.editRelease("acme/app", "v1.1", { name: "Another" });
      expect(await stage.syncOne()).toMatchObject({ held: 2 });
      expect(tools.calls).toEqual([]);
      await letGo("v1.1");
      await stage.sync();
      expect(tools.entries).toMatchObject([{ title: "Another" }]);
      expect(await stage.ledger.requests.pending(project)).toEqual([]);
    });

    it("forgets one whose release is gone", async () => {
      await letGo("v1.1");
      stage.github.deleteRelease("acme/app", "v1.1");
      expect(await stage.syncOne()).toMatchObject({ held: 1, errors: [] });
      expect(await seen("v1.1")).toBe("acme-app has no draft of changelog v1.1.");
      expect(await stage.ledger.requests.pending(project)).toEqual([]);
    });

    it("lets nothing go while the project is paused, and holds the same ones after that", async () => {
      await stage.ledger.commit([{ kind: "pause-whole", project, at: stage.clock.now() }]);
      await letGo("v1.1");
      await stage.sync();
      expect(tools.calls).toEqual([]);
      await stage.ledger.commit([{ kind: "resume-whole", project, request: undefined }]);
      await stage.sync();
      expect(tools.entries.map(({ title }) => title)).toEqual(["v1.1"]);
      expect(await lines()).toEqual([
        ["v1.1", "draft"],
        ["v1.2", "held"],
      ]);
    });
  });

  it.each<[string, ConfigPart, ConfigPart, Parameters<Stage["github"]["publishRelease"]>[1]]>([
    ["`releases`", { releases: "v*" }, { releases: "*" }, { tag: "app-7" }],
    ["`prereleases`", {}, { prereleases: true }, { tag: "v1.1-rc", isPrerelease: true }],
  ])(
    "makes a draft of what the config comes to want by %s, with the next run",
    async (_, first, then, release) => {
      reconfigure(first);
      await stage.sync();
      stage.github.publishRelease("acme/app", release);
      for (let run = 0; run < 2; run += 1) await stage.sync();
      expect(tools.entries).toEqual([]);
      reconfigure(then);
      await stage.sync();
      expect(tools.entries).toHaveLength(1);
    },
  );

  it("begins anew where it was switched off, or the state is an old copy", async () => {
    reconfigure(undefined);
    await stage.sync();
    publish("v1.1");
    reconfigure({ releases: "v*" });
    await stage.sync();
    await stage.backUp();
    publish("v1.2");
    await stage.sync();
    expect(tools.entries.map(({ title }) => title)).toEqual(["v1.2"]);
    stage.putBack();
    await stage.sync();
    await stage.sync();
    expect(tools.entries).toHaveLength(1);
  });

  it("is shown by a plan, which writes nothing", async () => {
    publish("v1.1");
    await stage.plan();
    expect(tools.calls).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "makes one draft, whatever the process dies of %s the call",
    async (when) => {
      publish("v1.1");
      let isDead = false;
      const { ledger } = stage;
      tools.beforeAnswer = () => {
        if (isDead || when === "after") return;
        isDead = true;
        throw new Error("The process died.");
      };
      if (when === "after") {
        const commit = ledger.commit.bind(ledger);
        stage.bend((world) => ({
          ...world,
          tools,
          ledger: Object.assign(Object.create(world.ledger), {
            commit: (changes: Parameters<typeof commit>[0]) => {
              if (!isDead && changes.some(({ kind }) => kind === "end-call")) {
                isDead = true;
                throw new Error("The process died.");
              }
              return world.ledger.commit(changes);
            },
          }),
        }));
      }
      await stage.sync();
      expect(isDead).toBe(true);
      stage.bend((world) => ({ ...world, tools }));
      stage.restart();
      await stage.sync();
      stage.clock.skip(hourMs);
      await stage.sync();
      await stage.sync();
      expect(tools.entries).toHaveLength(1);
      expect(await stage.ledger.toolCalls.list(project)).toMatchObject([{ state: "DONE", result: "e1" }]);
    },
  );
});

it("gives releases of two projects with one tag a draft each, in a changelog that they share", async () => {
  const changelog = { releases: "v*", publish: "approve" };
  const stage = await openStage({
    boardProjects: twoProjects,
    repositories: privateRepositories("acme/app", "acme/api"),
    config: { settle: "0s", board: { mcp: { tools: toolsConfig } } },
    projects: [
      { ...standardProject, changelog },
      { ...standardProject, project: "acme-api", repo: "acme/api", changelog },
    ],
  });
  const tools = createFakeTools();
  stage.bend((world) => ({ ...world, tools }));
  await stage.sync();
  for (const [name, body] of [["acme/app", "Of the app"] as const, ["acme/api", "Of the API"] as const])
    stage.github.publishRelease(name, { tag: "v1.2", body });
  tools.faults.push("answer lost");
  for (let run = 0; run < 3; run += 1) {
    await stage.sync();
    stage.clock.skip(hourMs);
  }
  expect(tools.entries.map(({ text }) => text)).toEqual(["Of the app", "Of the API"]);
  expect(await stage.ledger.toolCalls.list(project)).toMatchObject([{ result: "e1" }]);
});
