import { buildSchema, type GraphQLFieldMap, isInterfaceType, isObjectType } from "graphql";
import { describe, expect, it } from "vitest";
import {
  comparisonQuery,
  projectFieldQuery,
  releaseQuery,
  type SignalPart,
  signalQuery,
} from "../../../../src/tracker/github/signals/queries.ts";
import { checkQuery, loadGraphQLSchema } from "../../../support/graphql.ts";
import { sandboxSchemaText } from "../../../support/sandbox/github/graphql/schema.ts";

const parts: readonly SignalPart[] = [
  "pullRequests",
  "released",
  "subIssues",
  "duplicates",
  "projects",
  "facts",
  "type",
  "editors",
];

/** Every choice of parts. */
const choices = Array.from({ length: 2 ** parts.length }, (_, bits) =>
  parts.filter((_part, index) => (bits >> index) % 2 === 1),
);

const fieldsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ fieldId: `F_${index}`, name: "Status" }));

describe("every query", () => {
  it("about issues is valid by GitHub's schema, whatever parts it has", () => {
    for (const choice of choices) {
      const { text } = signalQuery(new Set(choice), ["I_1"], choice.includes("projects") ? fieldsOf(3) : []);
      expect(checkQuery({ body: { query: text } })).toEqual([]);
    }
  });

  it("about anything else is valid by GitHub's schema", () => {
    const releases = releaseQuery(Array.from({ length: 10 }, () => "acme/app"));
    const comparisons = comparisonQuery(Array.from({ length: 25 }, () => ({ tag: "tag", commit: "commit" })));
    for (const query of [projectFieldQuery, releases.text, comparisons.text]) {
      expect(checkQuery({ body: { query } })).toEqual([]);
    }
  });

  it("about issues knows which part each of its lines belongs to", () => {
    const { text, partOfLine } = signalQuery(new Set(parts), ["I_1"], fieldsOf(2));
    const lines = text.split("\n");
    expect(partOfLine).toHaveLength(lines.length);
    for (const part of parts) expect(partOfLine).toContain(part);
    for (const [index, line] of lines.entries()) {
      if (line.startsWith("subIssues:")) expect(partOfLine[index]).toBe("subIssues");
      if (line.startsWith("fragment canonical")) expect(partOfLine[index]).toBe("duplicates");
    }
  });
});

describe("the sandbox's schema", () => {
  it("says what GitHub's says, in each of its types and fields", () => {
    const real = loadGraphQLSchema();
    const types = Object.values(buildSchema(sandboxSchemaText).getTypeMap());
    const differences = types
      .filter((type) => isObjectType(type) || isInterfaceType(type))
      .filter(({ name }) => !name.startsWith("__"))
      .flatMap((type) => {
        const found = real.getType(type.name);
        if (!isObjectType(found) && !isInterfaceType(found)) return [type.name];
        return compareFields(type.name, type.getFields(), found.getFields());
      });
    expect(differences).toEqual([]);
  });
});

type Fields = GraphQLFieldMap<unknown, unknown>;

function compareFields(name: string, ours: Fields, theirs: Fields): readonly string[] {
  return Object.entries(ours).flatMap(([field, { type, args }]) => {
    const found = theirs[field];
    if (found === undefined || String(found.type) !== String(type)) return [`${name}.${field}: ${type}`];
    const unknown = args.filter((arg) => !found.args.some((other) => String(other) === String(arg)));
    const differing = args.filter((arg) =>
      found.args.some((other) => other.name === arg.name && String(other.type) !== String(arg.type)),
    );
    return [...unknown, ...differing].map((arg) => `${name}.${field}(${arg.name})`);
  });
}
