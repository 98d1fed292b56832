import { describe, expect, it } from "vitest";
import { checkTemplate } from "../../src/plan/text/template.ts";
import { load, problemsIn } from "./support.ts";

/** A config with one tool of the board's; its arguments begin in line 6, column 14. */
const withTool = (purpose: string, args: string) =>
  [
    "board:",
    "  url: https://b.example",
    "  mcp:",
    "    tools:",
    `      ${purpose}:`,
    `        { args: { ${args} }, name: a }`,
    "projects: [{ project: p, repo: o/r }]",
  ].join("\n");

const title = 'title: "{{ entry.title }}"';
const forms = "`publish: false`, `draft: true`, `status: draft` or `publishedAt: null`";

describe("the changelog's tool makes a draft", () => {
  it.each([
    "publish: false",
    "draft: true",
    "isDraft: true",
    "save_as_draft: true",
    "status: draft",
    "state: Unpublished",
    "post: { published_at: null }",
    "publish: false, status: draft",
  ])("by `%s`", (words) => {
    const { board } = load(withTool("changelogCreate", `${title}, ${words}`));
    expect(board.mcp?.tools.changelogCreate?.name).toBe("a");
  });

  it.each([
    ["publish: true", "publish"],
    ["publish: 'false'", "publish"],
    ["publish: '{{ entry.title }}'", "publish"],
    ["draft: false", "draft"],
    ["status: published", "status"],
    ["publishedAt: 2026-01-01", "publishedAt"],
    ["draft: true, publish: true", "publish"],
    ["post: { draft: true, status: live }", "post.status"],
  ])("and by `%s` it does not", (words, path) => {
    const [problem, ...more] = problemsIn(withTool("changelogCreate", `${title}, ${words}`));
    expect(more).toEqual([]);
    expect(problem).toMatch(/^6:\d+: /);
    expect(problem?.replace(/^6:\d+: /, "")).toBe(
      `board.mcp.tools.changelogCreate.args.${path}: must ask for a draft (${forms}): only what a person approves is published`,
    );
  });

  it("and needs a word that says so", () => {
    expect(problemsIn(withTool("changelogCreate", title))).toEqual([
      `5:7: board.mcp.tools.changelogCreate: must make a draft, and no argument says so; the tool's may be called ${forms}. One that can't make a draft can't be used`,
    ]);
  });

  it("and one that changes a draft leaves it one", () => {
    const id = 'id: "{{ entry.id }}"';
    expect(load(withTool("changelogUpdate", id)).projects).toHaveLength(1);
    expect(problemsIn(withTool("changelogUpdate", `${id}, status: published`))).toEqual([
      `6:49: board.mcp.tools.changelogUpdate.args.status: must ask for a draft (${forms}): only what a person approves is published`,
    ]);
  });
});

describe("a template in the arguments of a tool", () => {
  const problems = (purpose: string, args: string) => problemsIn(withTool(purpose, args), { checkTemplate });

  it("is read when the config is", () => {
    expect(
      problems("feedbackCreate", "text: '{{ issue.body }}', tags: [a, '{{ issue.title | nope }}']"),
    ).toEqual([
      "6:55: board.mcp.tools.feedbackCreate.args.tags[1]: is not a valid template: The template can't be read: undefined filter: nope (line 1, column 1).",
    ]);
  });

  it.each([
    ["categories", "of: '{{ project.ID }}'", "project.ID", "project.id"],
    ["changelogList", "of: '{{ projct.id }}'", "projct.id", "project.id"],
    ["changelogCreate", `${title}, draft: true, x: '{{ entry.id }}'`, "entry.id", undefined],
    ["changelogPublish", "id: '{{ entry.id }}', x: '{{ release.url }}'", "release.url", undefined],
    ["changelogUpdate", "id: '{{ entry.id }}', x: '{{ release.notes }}'", "release.notes", undefined],
    ["feedbackCreate", "text: '{{ issue.body }}', x: '{{ issue.numbr }}'", "issue.numbr", "issue.number"],
  ])("of %s names only what it is given", (purpose, args, name, meant) => {
    const [problem, ...more] = problems(purpose, args);
    expect(more).toEqual([]);
    expect(problem).toContain(`: names \`${name}\`, which nothing ever fills`);
    if (meant !== undefined) expect(problem).toContain(`did you mean \`${meant}\`?`);
  });

  it("is looked for in no more arguments than a tool has", () => {
    const many = `a: &a [${"x,".repeat(10)}], b: &b [${"*a ,".repeat(10)}], c: &c [${"*b ,".repeat(10)}], d: [${"*c ,".repeat(10)}]`;
    expect(load(withTool("categories", many)).projects).toHaveLength(1);
  });
});
