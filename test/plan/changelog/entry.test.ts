import { describe, expect, it } from "vitest";
import { entryArguments, renderEntry, type ShippedPost } from "../../../src/plan/changelog/entry.ts";
import { TemplateError } from "../../../src/plan/text/template.ts";
import { createRelease } from "./make.ts";

const post = (id: string, facts: Partial<ShippedPost> = {}): ShippedPost => ({
  id,
  title: `Post ${id}`,
  url: `https://feedback.example.com/p/${id}`,
  votes: 1,
  ...facts,
});
const list = "{% for post in posts %}- {{ post.link }}\n{% endfor %}";

describe("an entry of the changelog", () => {
  it("has the name of the release, its notes, and the posts by their votes", () => {
    const body = `{{ release.notes }}\n\n${list}`;
    const release = createRelease("v1.2", { name: "Spring", body: "New by @ann (#3)" });
    const posts = [
      post("a"),
      post("b", { votes: 9, title: "[x] y" }),
      post("c", { url: undefined, votes: undefined }),
      post("d", { votes: undefined }),
    ];
    expect(renderEntry({ title: "{{ release.name }}", body }, release, posts)).toEqual({
      title: "Spring",
      body: "New\n\n- [\\[x\\] y](https://feedback.example.com/p/b)\n- [Post a](https://feedback.example.com/p/a)\n- Post c\n- [Post d](https://feedback.example.com/p/d)",
    });
  });

  it("shows what templates ask for, and the tag where its title is blank", () => {
    const title = "{{ release.nothing }}";
    const body =
      "{{ release.tag }} {{ release.date }} {{ release.url }} {{ posts.size }} {{ more }} {{ posts[0].votes }} {{ posts[0].id }} {{ posts[0].title }} {{ posts[0].url }}";
    const posts = Array.from({ length: 102 }, (_, index) => post(String(index)));
    expect(renderEntry({ title, body }, createRelease("v1.2"), posts)).toEqual({
      title: "v1.2",
      body: "v1.2 2026-02-03 https://github.com/acme/app/releases/tag/v1.2 100 2 1 0 Post 0 https://feedback.example.com/p/0",
    });
  });

  it("keeps nothing that could harm whoever reads it, of the release and of posts", () => {
    const release = createRelease("v1", {
      name: "<img src=x> call +49 30 1234567",
      body: "@all <b>x</b> ann@example.com [a](javascript:alert(1)) ghp_abcdefghijklmnopqrstuvwx",
    });
    const body = `{{ release.body }} {{ release.notes }} ${list}`;
    const entry = renderEntry({ title: "{{ release.name }}", body }, release, [
      post("a", { title: "@ann <script> ](javascript:x)" }),
    ]);
    const text = `${entry.title} ${entry.body}`;
    for (const bad of [
      "<img",
      "<b>",
      "<script",
      "ann@example.com",
      "(javascript:",
      "@all",
      "@ann",
      "1234567",
      "ghp_a",
    ])
      expect(text).not.toContain(bad);
  });

  it("is named by its id where a post has nothing else", () => {
    expect(
      renderEntry({ title: "t", body: list }, createRelease("v1"), [post("a", { title: "\u200B" })]).body,
    ).toBe("- [a](https://feedback.example.com/p/a)");
  });

  it("says which template fails", () => {
    expect(() => renderEntry({ title: "{{ x | nothing }}", body: "" }, createRelease("v1"), [])).toThrow(
      TemplateError,
    );
  });

  it("fills in what a tool is called with", () => {
    const entry = { title: "T", body: "B" };
    const args = {
      title: "{{ entry.title }}",
      id: "{{ entry.id }}",
      tag: "{{ release.tag }}",
      draft: true,
      of: "{{ project.id }}",
    };
    const release = createRelease("v1");
    expect(entryArguments(args, { entry, release, project: "prj_1" }, "x")).toEqual({
      title: "T",
      id: "",
      tag: "v1",
      draft: true,
      of: "prj_1",
    });
    expect(entryArguments(args, { entry, release, project: "prj_1", id: "e1" }, "x")).toMatchObject({
      id: "e1",
    });
  });

  it("and each names the entry: one that is made by its title, as a whole, one that is there by its id", () => {
    const about = { entry: { title: "T", body: "B" }, release: createRelease("v1"), project: "prj_1" };
    expect(() => entryArguments({ title: "New: {{ entry.title }}" }, about, "x")).toThrow(
      "x: no argument is `{{ entry.title }}`, by which the entry is known",
    );
    expect(() => entryArguments({ tag: "{{ release.tag }}" }, { ...about, id: "e1" }, "x")).toThrow(
      "x: no argument is `{{ entry.id }}`, by which the entry is known",
    );
    const inside = { post: { headline: "{{ entry.title }}" } };
    expect(entryArguments(inside, about, "x")).toEqual({ post: { headline: "T" } });
  });
});
