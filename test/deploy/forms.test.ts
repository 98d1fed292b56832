import { globSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { read, root } from "./files.ts";

/** What GitHub's documentation says of these files, as far as ours use it; anything else is an error. */
const text = { type: "string", minLength: 1 };
const formSchema = {
  type: "object",
  required: ["name", "description", "body"],
  additionalProperties: false,
  properties: {
    name: text,
    description: text,
    labels: { type: "array", items: text },
    body: {
      type: "array",
      contains: { properties: { type: { not: { const: "markdown" } } } },
      items: {
        type: "object",
        required: ["type", "attributes"],
        additionalProperties: false,
        properties: {
          type: { enum: ["markdown", "textarea", "input", "dropdown", "checkboxes"] },
          id: { type: "string", pattern: "^[\\w-]+$" },
          attributes: {
            type: "object",
            additionalProperties: false,
            properties: {
              label: text,
              description: text,
              placeholder: text,
              value: text,
              render: { enum: ["markdown", "yaml", "shell", "json", "text"] },
              multiple: { type: "boolean" },
              options: {
                type: "array",
                minItems: 1,
                items: {
                  anyOf: [
                    text,
                    {
                      type: "object",
                      required: ["label"],
                      additionalProperties: false,
                      properties: { label: text, required: { type: "boolean" } },
                    },
                  ],
                },
              },
            },
          },
          validations: {
            type: "object",
            additionalProperties: false,
            properties: { required: { type: "boolean" } },
          },
        },
        if: { properties: { type: { const: "markdown" } } },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
        then: { properties: { attributes: { required: ["value"] } } },
        else: { required: ["id"], properties: { attributes: { required: ["label"] } } },
      },
    },
  },
};
const cooldown = {
  type: "object",
  additionalProperties: false,
  patternProperties: {
    "^(default|semver-(major|minor|patch))-days$": { type: "integer", minimum: 1, maximum: 90 },
  },
};
const dependabotSchema = {
  type: "object",
  required: ["version", "updates"],
  additionalProperties: false,
  properties: {
    version: { const: 2 },
    updates: {
      type: "array",
      items: {
        type: "object",
        required: ["package-ecosystem", "schedule"],
        oneOf: [{ required: ["directory"] }, { required: ["directories"] }],
        additionalProperties: false,
        properties: {
          "package-ecosystem": { enum: ["npm", "github-actions", "docker"] },
          directory: { type: "string", pattern: "^/" },
          directories: { type: "array", items: { type: "string", pattern: "^/" } },
          schedule: {
            type: "object",
            additionalProperties: false,
            required: ["interval"],
            properties: { interval: { enum: ["daily", "weekly", "monthly"] } },
          },
          cooldown,
          groups: {
            type: "object",
            additionalProperties: {
              type: "object",
              minProperties: 1,
              additionalProperties: false,
              properties: {
                "dependency-type": { enum: ["production", "development"] },
                patterns: { type: "array", items: text },
                "update-types": { type: "array", items: { enum: ["major", "minor", "patch"] } },
              },
            },
          },
          ignore: {
            type: "array",
            items: {
              type: "object",
              required: ["dependency-name"],
              additionalProperties: false,
              properties: {
                "dependency-name": text,
                "update-types": {
                  type: "array",
                  items: {
                    enum: [
                      "version-update:semver-major",
                      "version-update:semver-minor",
                      "version-update:semver-patch",
                    ],
                  },
                },
              },
            },
          },
          "commit-message": {
            type: "object",
            additionalProperties: false,
            properties: { prefix: { type: "string", maxLength: 50 } },
          },
        },
      },
    },
  },
};

const forms = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root }).filter(
  (name) => !name.endsWith("/config.yml"),
);

function faultsOf(schema: object, value: unknown): unknown {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  return ajv.validate(schema, value) ? [] : ajv.errors;
}

describe("the forms for issues", () => {
  it.each(forms)("%s is a form, and each of its fields has a name of its own", (file) => {
    const form = parse(read(file));
    expect(faultsOf(formSchema, form)).toEqual([]);
    const ids = form.body.flatMap(({ id }: { readonly id?: string }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("ask for a bug's report, and take its text as it is", () => {
    const { body } = parse(read(".github/ISSUE_TEMPLATE/bug.yml"));
    const field = body.find(({ id }: { readonly id?: string }) => id === "report");
    expect(field).toMatchObject({
      type: "textarea",
      attributes: { render: "text" },
      validations: { required: true },
    });
  });

  it("what is wrong is found", () => {
    const field = { type: "textarea", id: "a", attributes: { label: "A" } };
    const form = { name: "a", description: "b", body: [field] };
    expect(faultsOf(formSchema, form)).toEqual([]);
    expect(faultsOf(formSchema, { ...form, body: [{ ...field, attributes: {} }] })).not.toEqual([]);
    expect(faultsOf(formSchema, { ...form, body: [{ ...field, required: true }] })).not.toEqual([]);
    expect(
      faultsOf(formSchema, { ...form, body: [{ type: "markdown", attributes: { value: "x" } }] }),
    ).not.toEqual([]);
  });
});

describe("the updates of dependencies", () => {
  const config = parse(read(".github/dependabot.yml"));

  it("are in the form that Dependabot reads", () => {
    expect(faultsOf(dependabotSchema, config)).toEqual([]);
    expect(faultsOf(dependabotSchema, { ...config, update: [] })).not.toEqual([]);
  });

  it("look at the packages, the base of the image, the workflows, and the action", () => {
    const places = config.updates.flatMap((one: Record<string, unknown>) =>
      [one["directories"] ?? one["directory"]].flat().map((place) => `${one["package-ecosystem"]} ${place}`),
    );
    expect(places).toEqual(["npm /", "github-actions /", "github-actions /config/deploy/action", "docker /"]);
  });
});
