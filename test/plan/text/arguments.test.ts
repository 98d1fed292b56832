import { describe, expect, it } from "vitest";
import { fillArguments, listArguments } from "../../../src/plan/text/arguments.ts";
import { TemplateError } from "../../../src/plan/text/template.ts";

const values = { entry: { title: "v1.2 {{ entry.id }}", id: "e1", votes: 3, isDraft: true }, posts: [1, 2] };

describe("the arguments of a tool", () => {
  it.each<[string, unknown, unknown]>([
    ["a text with a value in it", "Release {{ entry.title }}!", "Release v1.2 {{ entry.id }}!"],
    ["nothing but a text's value", "{{ entry.title }}", "v1.2 {{ entry.id }}"],
    ["nothing but a number's", "{{ entry.votes }}", 3],
    ["nothing but a boolean's", " {{- entry.isDraft -}} ", true],
    ["a number with something beside it", "{{ entry.votes }} votes", "3 votes"],
    ["a value that passes a filter", "{{ entry.votes | plus: 1 }}", "4"],
    ["a value that is not there", "{{ entry.nothing.at.all }}", ""],
    ["a value of what is no map", "{{ entry.id.more }}", ""],
    ["a name that every object has", "{{ entry.constructor }}", ""],
    ["a list, entry by entry", ["{{ entry.id }}", false, 7, null], ["e1", false, 7, null]],
    ["a map, by its values", { "{{ key }}": { deep: "{{ entry.id }}" } }, { "{{ key }}": { deep: "e1" } }],
    ["a boolean", false, false],
    ["nothing", null, null],
  ])("are filled in: %s", (_, template, expected) => {
    expect(fillArguments({ given: template }, values, "args")).toEqual({ given: expected });
  });

  it("whose template fails are named by their place", () => {
    const fail = () => fillArguments({ a: { b: ["x", "{{ entry | nothing }}"] } }, values, "tools.x.args");
    expect(fail).toThrow(TemplateError);
    expect(fail).toThrow(/^tools\.x\.args\.a\.b\.1: /);
  });
});

describe("the arguments of a tool that lists", () => {
  it("name the project, and are told nothing of any post", () => {
    const args = { projectId: "{{ project.id }}", of: "{{ post.id }}", limit: 50 };
    expect(listArguments(args, "categories", "acme")).toEqual({ projectId: "acme", of: "", limit: 50 });
  });

  it("are named by their tool where a template fails", () => {
    expect(() => listArguments({ a: "{{ x | nothing }}" }, "changelogList", "acme")).toThrow(
      /^board\.mcp\.tools\.changelogList\.args\.a: /,
    );
  });
});
