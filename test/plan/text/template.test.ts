import { describe, expect, it, vi } from "vitest";
import { checkTemplate, readTemplate, templateValues } from "../../../src/plan/text/template.ts";

describe("a template", () => {
  it("gives its text for each scope", () => {
    const template = readTemplate("Hi {{ name | upcase }}{% if name == 'a' %}!{% endif %}", (value) => value);
    expect(template({ name: "a" })).toBe("Hi A!");
    expect(template({ name: "b" })).toBe("Hi B");
  });

  it("makes what an expression gives safe after all its filters, and keeps its own text", () => {
    const template = readTemplate(
      "<b>{{ a | url_decode }}</b>{% echo a | append: '<' %}{% assign b = a | url_decode %}{{ b }}",
      (value) => value.replaceAll("<", "[lt]"),
    );
    expect(template({ a: "%3Ci" })).toBe("<b>[lt]i</b>%3Ci[lt][lt]i");
  });

  it("is read and checked without a look at the machine's language", () => {
    const asked = vi.spyOn(Intl, "DateTimeFormat");
    expect(readTemplate("{{ a }}", String)({ a: 1 })).toBe("1");
    expect(checkTemplate("{{ post.title }}", "text")).toBeUndefined();
    expect(asked).not.toHaveBeenCalled();
  });

  it("gives nothing for what is missing", () => {
    const template = readTemplate("({{ a }}{{ a.b.c }}{{ nil }}{{ n }})", (value) => value);
    expect(template({ n: 0 })).toBe("(0)");
  });

  it("sees own properties only, and never takes a value for a template", () => {
    const template = readTemplate("{{ a.constructor }}{{ a.inherited }}{{ a.own }}", (value) => value);
    const a = Object.assign(Object.create({ inherited: "no" }), { own: "{{ a.own }}" });
    expect(template({ a })).toBe("{{ a.own }}");
  });

  it("stops one that builds without end", () => {
    const template = readTemplate("{% for i in (1..100000000) %}{{ i }}{% endfor %}", (value) => value);
    expect(() => template({})).toThrow("memory alloc limit exceeded");
  });

  it.each([
    ["{{ a | nope }}", "The template can't be read: undefined filter: nope (line 1, column 1)."],
    ["a\n  {{ b", 'The template can\'t be read: output "{{ b" not closed (line 2, column 3).'],
    ["{% if a %}", "The template can't be read: tag {% if a %} not closed (line 1, column 1)."],
    ["{% include 'x' %}", 'The template can\'t be read: tag "include" not found (line 1, column 1).'],
    ["{% render 'x' %}", 'The template can\'t be read: tag "render" not found (line 1, column 1).'],
    ["{% layout 'x' %}", 'The template can\'t be read: tag "layout" not found (line 1, column 1).'],
    ["{{ 'now' | date: '%s' }}", "The template can't be read: undefined filter: date (line 1, column 1)."],
    ["{{ a | sample }}", "The template can't be read: undefined filter: sample (line 1, column 1)."],
    ["{{ a | raw }}", "The template can't be read: undefined filter: raw (line 1, column 1)."],
    ["x".repeat(100_001), "The template can't be read: parse length limit exceeded."],
  ])("is refused with its place: %.20s", (text, expected) => {
    expect(checkTemplate(text, "text")).toBe(expected);
  });

  it.each([
    "{{ post.title }}",
    "{{ post['title'] | upcase }}",
    "{{ post.title.size }}",
    "{% if post.votes > 10 %}{{ post }}{% endif %}",
    "{% assign a = post.url %}{{ a }}{% capture b %}c{% endcapture %}{{ b }}{% for i in (1..2) %}{{ i }}{{ forloop.index }}{% endfor %}",
    "{{ post[project.id] }}{{ nil }}{{ empty }}{{ true }}",
    "{{ post[post.title] }}",
  ])("is not complained about when it can be used: %s", (text) => {
    expect(checkTemplate(text, "text")).toBeUndefined();
  });

  it.each([
    ["{{ post.tittle }}", "post.tittle"],
    ["{{ post['tittle'] }}", "post.tittle"],
    ["{% if post.internalNote %}a{% endif %}", "post.internalNote"],
    ["{% for tag in post.tags %}{{ tag }}{% endfor %}", "post.tags"],
    ["{{ 'a' | append: titel }}", "titel"],
    ["{{ project.name }}", "project.name"],
    ["{{ post.id }}{{ issue.number }}", "issue.number"],
  ])("that names what nothing ever fills is found out: %s", (text, name) => {
    expect(checkTemplate(text, "text")).toEqual({ name, known: templateValues.text });
  });

  it.each(["{post.title}", "$".concat("{post.title}"), "[x] { post.title }: {{ post.id }}"])(
    "with a value in single braces, which would be kept as it is, is found out: %s",
    (text) => {
      expect(checkTemplate(text, "text")).toContain("a value stands in double braces, `{{ post.title }}`");
    },
  );

  it.each([
    "{ title }",
    "{{post.title}}",
    "{% if post.votes %}{x}{% endif %}",
    "{% raw %}{post.title}{% endraw %}",
    "{%- comment -%}\nwas {post.title}\n{%- endcomment -%}{{ post.title }}",
    "mvn -Dversion=$".concat("{project.version}"),
  ])("may have braces of its own: %s", (text) => {
    expect(checkTemplate(text, "text")).toBeUndefined();
  });

  it("of an address sees less of a post", () => {
    expect(checkTemplate("https://x.example/{{ post.votes }}", "address")).toEqual({
      name: "post.votes",
      known: templateValues.address,
    });
    expect(checkTemplate("https://x.example/{{ post.id }}", "address")).toBeUndefined();
  });
});
