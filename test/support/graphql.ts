import { schema as packaged } from "@octokit/graphql-schema";
import { buildSchema, extendSchema, type GraphQLSchema, parse, validate } from "graphql";
import type { ApiRequest } from "./openapi.ts";

/** Issue types are in GitHub's own schema and its documents, and not yet in the packaged one. */
const newer = "extend type Issue { issueType: IssueType } type IssueType { id: ID! name: String! }";

let shared: GraphQLSchema | undefined;

/** GitHub's schema. It is made at the first call, which takes a second. */
export function loadGraphQLSchema(): GraphQLSchema {
  // The package describes one field twice, which a strict reading refuses.
  shared ??= extendSchema(buildSchema(packaged.idl, { assumeValidSDL: true }), parse(newer));
  return shared;
}

/** Problems of a query by GitHub's own schema: that it is valid, asks for pages of 100 at most, and changes nothing. */
export function checkQuery({ body }: Pick<ApiRequest, "body">): readonly string[] {
  if (typeof body !== "object" || body === null || !("query" in body) || typeof body.query !== "string") {
    return ["POST /graphql: the body has no query"];
  }
  if (/^\s*(?:mutation|subscription)\b/u.test(body.query)) return ["POST /graphql: it is not a query"];
  const pages = [...body.query.matchAll(/\b(?:first|last): (\d+)/gu)].map(([, size]) => Number(size));
  const tooLarge = pages.filter((size) => size < 1 || size > 100);
  const mistakes = validate(loadGraphQLSchema(), parse(body.query));
  return [
    ...tooLarge.map((size) => `POST /graphql: ${size} is no size of a page`),
    ...mistakes.map(({ message }) => `POST /graphql: ${message}`),
  ];
}
