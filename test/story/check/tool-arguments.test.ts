import { describe, expect, it } from "vitest";
import { suggest } from "../../../src/config/suggest.ts";
import { findArgumentFaults } from "../../../src/story/check/tool-arguments.ts";

const schema = {
  type: "object",
  properties: {
    title: { type: "string" },
    count: { type: "integer" },
    publish: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    state: { enum: ["draft", "published"] },
    at: { anyOf: [{ type: "string" }, { type: "null" }] },
    inner: { $ref: "#/$defs/inner" },
    open: { type: "object", properties: {}, additionalProperties: true },
  },
  required: ["title"],
  additionalProperties: false,
  $defs: { inner: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
};

describe("arguments of the config", () => {
  it.each<[string, Record<string, unknown>]>([
    ["texts and templates", { title: "{{ entry.title }}", state: "{{ entry.state }}" }],
    ["a template for a number or a boolean", { title: "a", count: "{{ n }}", publish: " {{ yes }} " }],
    ["one of several types", { title: "a", at: null }],
    ["a list", { title: "a", tags: ["b", "{{ c }}"] }],
    ["an inner object", { title: "a", inner: { name: "b" }, open: { whatever: 1 } }],
  ])("fit with %s", (_, args) => {
    expect(findArgumentFaults(args, schema, suggest)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, (string | number)[], string]>([
    ["a missing one", {}, [], "lacks `title`, which the tool requires"],
    [
      "an unknown one",
      { title: "a", publsh: true },
      ["publsh"],
      "is no argument of the tool — did you mean `publish`?",
    ],
    ["one of another type", { title: 7 }, ["title"], "must be string"],
    ["a broken number", { title: "a", count: 1.5 }, ["count"], "must be integer"],
    ["a text for a boolean", { title: "a", publish: "no" }, ["publish"], "must be boolean"],
    ["no such choice", { title: "a", state: "hidden" }, ["state"], "must be one of draft, published"],
    ["none of several types", { title: "a", at: 7 }, ["at"], "is nothing that the tool takes there"],
    ["one deep down", { title: "a", tags: ["b", 7] }, ["tags", 1], "must be string"],
    ["one missing deep down", { title: "a", inner: {} }, ["inner"], "lacks `name`, which the tool requires"],
  ])("don't fit with %s", (_, args, path, message) => {
    expect(findArgumentFaults(args, schema, suggest)).toEqual([{ path, message }]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a list", []],
    ["types that are none", { type: [7], properties: 7, required: "title", enum: 7 }],
    ["a circle", { $ref: "#" }],
    ["a definition that is nowhere", { $ref: "https://x.example/schema" }],
  ])("are not held against a schema that is %s", (_, hostile) => {
    expect(findArgumentFaults({ title: "a" }, hostile, suggest)).toEqual([]);
  });

  it("are looked at to a bounded depth and number, whatever the schema says", () => {
    const circle = { type: "object", properties: { a: { $ref: "#" } }, required: ["b"] };
    let args: Record<string, unknown> = {};
    for (let depth = 0; depth < 100; depth += 1) args = { a: args };
    expect(findArgumentFaults(args, circle, suggest).length).toBeLessThanOrEqual(20);
  });
});
