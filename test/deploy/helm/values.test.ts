import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { load } from "../../config/support.ts";
import { read, version } from "../files.ts";
import { folder, guide } from "../sample.ts";
import { at, cases, config, place, values } from "./cases.ts";
import type { Values } from "./helm.ts";

const schema = JSON.parse(read(`${place}values.schema.json`));

describe("the values", () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);

  it.each([["the defaults", values], ...cases])("%s are what their schema describes", (_, given) => {
    validate(given);
    expect(validate.errors).toBeNull();
  });

  it("are all described, and nothing else is", () => {
    const pathsOf = (one: object, path: string): readonly string[] =>
      Object.entries(one).flatMap(([key, inner]: [string, unknown]) =>
        inner === null || typeof inner !== "object" || Array.isArray(inner)
          ? [`${path}${key}`]
          : [`${path}${key}`, ...pathsOf(inner, `${path}${key}.`)],
      );
    const described = (one: Values, path: string): readonly string[] =>
      Object.entries(at(one, "properties")).flatMap(([key, inner]) => {
        const { $ref } = Object(inner);
        const own = $ref === undefined ? Object(inner) : at(schema, ...String($ref).slice(2).split("/"));
        return [`${path}${key}`, ...described(own, `${path}${key}.`)];
      });
    // Of these the chart knows no more than Kubernetes does. `global` is Helm's own.
    const open = /^(resources\..*|global)$/;
    const sorted = (paths: readonly string[]) => paths.filter((path) => !open.test(path)).toSorted();
    expect(sorted(described(schema, ""))).toEqual(sorted(pathsOf(values, "")));
  });

  it("have an example of a config that the program takes", () => {
    expect(load(JSON.stringify(config)).projects.map(({ project }) => project)).toEqual(["acme-app"]);
  });

  it("never hold a secret", () => {
    for (const secret of Object.values(at(values, "secrets"))) {
      expect(Object.keys(Object(secret)).toSorted()).toEqual(["key", "name"]);
    }
  });
});

describe("the chart's files", () => {
  it("are of this version", () => {
    expect(parse(read(`${place}Chart.yaml`))).toMatchObject({
      name: "boardsync",
      version,
      appVersion: version,
    });
  });

  it("have the same alert rules as the sample", () => {
    expect(read(`${place}alerts.yaml`)).toBe(read(`${folder}alerts.yaml`));
  });

  it("have documents that set only values which there are", () => {
    const documents = [read(`${place}README.md`), read(guide)].join("\n");
    const names = [...documents.matchAll(/--set ([\w.]+)=/g)].map(([, name = ""]) => name);
    const table = [...read(`${place}README.md`).matchAll(/^\|.*\| (.*) \|$/gm)].map(([, cell = ""]) => cell);
    const cells = table.flatMap((cell) => [...cell.matchAll(/`([a-z][A-Za-z]+(?:\.[A-Za-z]+)*)`/g)]);
    const used = [...names, ...cells.map(([, name = ""]) => name)].filter(
      (name) => name !== "name" && name !== "key",
    );
    expect(used.length).toBeGreaterThan(15);
    const isValue = (name: string): boolean =>
      name.split(".").reduce<unknown>((inner, key) => Object(inner)[key], values) !== undefined;
    expect(used.filter((name) => !isValue(name))).toEqual([]);
  });
});
