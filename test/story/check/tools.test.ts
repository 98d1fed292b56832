import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connectTools } from "../../../src/app.ts";
import { suggest } from "../../../src/config/suggest.ts";
import type { Finding } from "../../../src/story/check/findings.ts";
import { startChecking } from "../../../src/story/check/findings.ts";
import { proposeTools, showProposal } from "../../../src/story/check/tool-proposals.ts";
import { type CheckedTools, checkTools } from "../../../src/story/check/tools.ts";
import { bounds, createFakeClock, createMemoryLog, key } from "../../board/http/given.ts";
import {
  type Dialect,
  featureOs,
  featureOsHosted,
  productlane,
  quackback,
} from "../../support/mcp/dialects.ts";
import { hostMcp } from "../../support/mcp/server.ts";

async function given(dialect: Dialect, lists = "list_buckets") {
  const host = await hostMcp(dialect, { key });
  const clock = createFakeClock();
  const machine = { clock, random: () => 0.5, log: createMemoryLog(), version: "1.0.0", environment: {} };
  const board = {
    url: "http://127.0.0.1:1/api/v1",
    timeout: 5000,
    retries: 0,
    mcp: { url: host.url, tools: { categories: { name: lists, args: {} } } },
  };
  return { host, directory: connectTools(board, key, { ...machine, redact: String }) };
}

describe("a proposal for the config", () => {
  it.each<[string, Dialect, readonly string[]]>([
    [
      "Quackback",
      quackback,
      [
        "categories: { name: list_boards }",
        "changelogList: { name: search, args: { entity: changelogs, status: all } }",
        'changelogCreate: { name: create_changelog, args: { title: "{{ entry.title }}", content: "{{ entry.body }}", publish: false } }',
        'changelogUpdate: { name: update_changelog, args: { changelogId: "{{ entry.id }}", title: "{{ entry.title }}", content: "{{ entry.body }}" } }',
        'changelogPublish: { name: update_changelog, args: { changelogId: "{{ entry.id }}", publish: true } }',
        'feedbackCreate: { name: create_post, args: { boardId: "{{ issue.category }}", title: "{{ issue.title }}", content: "{{ issue.body }}" } }',
      ],
    ],
    [
      "FeatureOS",
      featureOs,
      [
        "categories: { name: list_buckets }",
        "changelogList: { name: list_changelogs }",
        'changelogCreate: { name: create_changelog, args: { title: "{{ entry.title }}", description: "{{ entry.body }}", state: draft } }',
        'changelogPublish: { name: publish_changelog, args: { id: "{{ entry.id }}" } }',
        'feedbackCreate: { name: create_feature_request, args: { title: "{{ issue.title }}", description: "{{ issue.body }}" } }',
      ],
    ],
    [
      "FeatureOS, hosted",
      featureOsHosted,
      [
        "changelogList: { name: list_changelogs }",
        'changelogCreate: { name: create_changelog, args: { title: "{{ entry.title }}", description: "{{ entry.body }}", published: false } }',
        'changelogUpdate: { name: update_changelog, args: { changelog_id: "{{ entry.id }}", title: "{{ entry.title }}", description: "{{ entry.body }}" } }',
        'changelogPublish: { name: update_changelog, args: { changelog_id: "{{ entry.id }}", published: true, confirm: true } }',
      ],
    ],
    [
      // What a piece of feedback there requires beside its text only a person knows.
      "Productlane",
      productlane,
      [
        "changelogList: { name: changelogs_list }",
        'changelogCreate: { name: changelogs_create, args: { title: "{{ entry.title }}", notes: "{{ entry.body }}", published: false } }',
        'changelogUpdate: { name: changelogs_update, args: { changelogId: "{{ entry.id }}", title: "{{ entry.title }}", notes: "{{ entry.body }}" } }',
        'changelogPublish: { name: changelogs_update, args: { changelogId: "{{ entry.id }}", published: true } }',
      ],
    ],
  ])("names the tools of %s by what they are called and require", async (_, dialect, lines) => {
    const { host, directory } = await given(dialect);
    const proposals = proposeTools(await directory.describe(bounds()));
    expect(proposals.map(showProposal)).toEqual(lines);
    expect(host.called()).toEqual([]);
  });

  it("keeps quiet about a draft, and takes that for no draft", () => {
    const of = (name: string, properties: object) => [{ name, schema: { properties }, print: "" }];
    const notify = { title: {}, details: {}, notify: {} };
    expect(proposeTools(of("changelog_create", notify))).toEqual([]);
    const status = { status_code: { enum: ["draft", "published"] } };
    expect(proposeTools(of("changelog_create", { ...notify, ...status })).map(showProposal)).toEqual([
      'changelogCreate: { name: changelog_create, args: { title: "{{ entry.title }}", details: "{{ entry.body }}", notify: false, status_code: draft } }',
    ]);
  });

  it("names no tool that can't make a draft, nor one with a name that is none", () => {
    const properties = { title: {}, content: {} };
    const described = ["create_changelog", "create_changelog\n# x"].map((name) => ({
      name,
      schema: { properties },
      print: "",
    }));
    expect(proposeTools(described)).toEqual([]);
    expect(
      proposeTools([{ name: "list_categories", schema: { required: ["workspace"] }, print: "" }]),
    ).toEqual([]);
  });
});

const anyTool = { name: "list_buckets", schema: { properties: { id: { type: "string" } } }, print: "p" };

describe("a check of the board's own tools", () => {
  async function check(
    dialect: Dialect,
    named: CheckedTools["named"],
    agreed: CheckedTools["agreed"] = () => undefined,
  ) {
    const { host, directory } = await given(dialect);
    host.shelf.categories.push({ id: "cat_1", name: "Billing" });
    const findings: Finding[] = [];
    const sides = { board: undefined as never, tracker: undefined as never };
    const checking = startChecking(findings, "board", sides, bounds(), suggest);
    const place = (path: readonly (string | number)[]) => `b.yaml:${path.length}:1`;
    const listCategories = await checkTools(checking, { directory, named, agreed, place });
    const categories = await listCategories("prj_1");
    // Projects that it does not tell apart have the same ones.
    expect(await listCategories("prj_2")).toEqual(categories);
    // The only one that is called, and not before it stands in the config.
    expect(host.called()).toEqual(named.categories?.name === "list_buckets" ? ["list_buckets"] : []);
    const prints = new Map((await directory.describe(bounds())).map(({ name, print }) => [name, print]));
    return {
      categories,
      findings,
      prints,
      said: findings.map(({ level, message }) => `${level} ${message}`),
    };
  }

  it("lists each with what it requires, and what may be added", async () => {
    const { said } = await check(featureOs, {});
    expect(said).toEqual([
      "ok The MCP server has 5 tools: list_buckets, list_changelogs, create_changelog (title, description, state), publish_changelog (id), create_feature_request (title, description).",
      expect.stringMatching(
        /^ok Below board\.mcp\.tools you may add, .*: `categories: \{ name: list_buckets \}`; /,
      ),
    ]);
  });

  it("says which tool serves which purpose, by which schema", async () => {
    const { categories, said, prints } = await check(featureOs, {
      categories: { name: "list_buckets", args: {} },
    });
    expect(categories).toEqual([{ id: "cat_1", name: "Billing" }]);
    expect(said[1]).toBe(
      `ok \`categories\` is served by \`list_buckets\` (schema: ${prints.get("list_buckets")}).`,
    );
  });

  it("says with the place what is not there, and what doesn't fit", async () => {
    const { findings, said } = await check(featureOs, {
      categories: { name: "list_bucket", args: {} },
      changelogCreate: { name: "create_changelog", args: { titel: "x", description: 7, state: "draft" } },
    });
    expect(said.filter((line) => line.startsWith("error"))).toEqual([
      "error b.yaml:5:1: the MCP server has no tool `list_bucket` — did you mean `list_buckets`?",
      "error b.yaml:5:1: changelogCreate.args: lacks `title`, which the tool requires",
      "error b.yaml:6:1: changelogCreate.args.titel: is no argument of the tool — did you mean `title`?",
      "error b.yaml:6:1: changelogCreate.args.description: must be string",
    ]);
    expect(new Set(findings.flatMap(({ code }) => code ?? []))).toEqual(new Set(["board.tool"]));
  });

  it.each([
    [
      "create_changelog",
      {
        changelogCreate: { name: "create_changelog", args: { title: "x", description: "y", state: "draft" } },
      },
      "board.mcp.tools.changelogCreate.args: no argument is `{{ entry.title }}`, by which the entry is known",
    ],
    [
      "publish_changelog",
      { changelogPublish: { name: "publish_changelog", args: { id: "e1" } } },
      "board.mcp.tools.changelogPublish.args: no argument is `{{ entry.id }}`, by which the entry is known",
    ],
    [
      "create_feature_request",
      {
        feedbackCreate: {
          name: "create_feature_request",
          args: { title: "{{ issue.title }}", description: "x" },
        },
      },
      "board.mcp.tools.feedbackCreate.args: no argument keeps `issue.body` to its end, or `issue.address`",
    ],
    ["list_buckets", { categories: { name: "list_buckets", args: {} } }, undefined],
  ])("says that %s would not know what is meant", async (_, named, message) => {
    const { said } = await check(featureOs, named);
    expect(said.filter((line) => line.startsWith("error"))).toEqual(
      message === undefined ? [] : [expect.stringMatching(/^error b\.yaml:\d+:1: /)],
    );
    if (message !== undefined) expect(said.join("\n")).toContain(message);
  });

  it("says that arguments are not those that were agreed to, in the config or by the first use", async () => {
    const tool = { name: "publish_changelog", args: { id: "{{ entry.id }}" } };
    const by = await check(featureOs, { changelogPublish: { ...tool, schema: "0123456789abcdef" } });
    const message = `b.yaml:4:1: the arguments of \`publish_changelog\` are not those that were agreed to, so it is not called: publish_changelog (id). If they are right, set \`schema: ${by.prints.get("publish_changelog")}\` there.`;
    expect(by.said).toContain(`error ${message}`);
    const first = await check(featureOs, { changelogPublish: tool }, () => "0123456789abcdef");
    expect(first.said).toContain(`error ${message}`);
    const same = await check(featureOs, { changelogPublish: tool }, () => by.prints.get("publish_changelog"));
    expect(same.said.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("lists the categories of each project where the tool tells them apart, and proposes it so", async () => {
    const tool = {
      name: "list_categories",
      description: "",
      input: z.object({ projectId: z.string() }),
      run: ({ projectId }: Record<string, unknown>) => ({
        categories: [{ id: "c", name: `Of ${projectId}` }],
      }),
    };
    const { host, directory } = await given({ isStructured: true, tools: [tool] }, tool.name);
    const [proposal] = proposeTools(await directory.describe(bounds()));
    expect(proposal && showProposal(proposal)).toBe(
      'categories: { name: list_categories, args: { projectId: "{{ project.id }}" } }',
    );
    const args = { projectId: "{{ project.id }}" };
    const named = { categories: { name: "list_categories", args } };
    const sides = { board: undefined as never, tracker: undefined as never };
    const checking = startChecking([], "board", sides, bounds(), suggest);
    const tools = { named, directory, agreed: () => undefined, place: () => "" };
    const list = await checkTools(checking, tools);
    const names = [await list("prj_1"), await list("prj_2"), await list("prj_1")].map(([one]) => one?.name);
    expect(names).toEqual(["Of prj_1", "Of prj_2", "Of prj_1"]);
    expect(host.called()).toHaveLength(2);
  });

  it("says that a template of the arguments fails, and goes on", async () => {
    const { directory } = await given(featureOs);
    const named = { categories: { name: "list_buckets", args: { id: "{{ project.id" } } };
    const findings: Finding[] = [];
    const sides = { board: undefined as never, tracker: undefined as never };
    const checking = startChecking(findings, "board", sides, bounds(), suggest);
    const tools = { named, directory, agreed: () => undefined, place: () => "" };
    const argued = { ...tools, directory: { ...directory, describe: async () => [anyTool] } };
    const list = await checkTools(checking, argued);
    expect(await list("prj_1")).toEqual([]);
    expect(findings.at(-1)).toMatchObject({
      ...{ level: "error", code: "config.template" },
      message: expect.stringContaining("board.mcp.tools.categories.args.id"),
    });
  });

  it("shows of a stranger's words no more than a line", async () => {
    const required = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`argument_${index}`, z.string()]),
    );
    const tool = { name: "get", description: "", input: z.object(required), run: () => ({}) };
    const { said } = await check({ isStructured: true, tools: [tool] }, {});
    expect(said[0]?.length).toBeLessThan(400);
  });
});
