import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
  visit,
} from "graphql";
import type { Answer } from "../../loopback/loopback.ts";
import type { SandboxQuirks } from "../rest/answer.ts";
import { findRepository, type GitHubState } from "../state/state.ts";
import { createSandboxSchema } from "./schema.ts";
import { createGraphShapes, type GraphObject, graphError } from "./shapes.ts";

/** The most ids that `nodes` takes. */
const maxIds = 100;

/** Answers a query of GraphQL: always 200, with errors in the body, as GitHub does. */
export type AnswerQuery = (text: string) => Answer;

/** GraphQL of a sandbox. The schema is made once, at the first query. */
export function createGraphQL(state: GitHubState, quirks: SandboxQuirks): AnswerQuery {
  let schema: GraphQLSchema | undefined;
  return (text) => {
    const { query, variables } = readRequest(text);
    if (query === undefined)
      return failed([{ message: "A query attribute must be specified and must be a string." }]);
    schema ??= createSandboxSchema(quirks.graphQLLacks);
    let document: DocumentNode;
    try {
      document = parse(query);
    } catch (error) {
      return failed([{ message: String(error), extensions: { code: "parseError" } }]);
    }
    const mistakes = validate(schema, document);
    if (mistakes.length > 0) return failed(mistakes.map(describeMistake));
    const forbidden = quirks.projectScope ? [] : needsScope(document);
    if (forbidden.length > 0) return failed(forbidden);
    const result = execute({
      schema,
      document,
      variableValues: variables,
      rootValue: createRoot(state),
    });
    if (result instanceof Promise) throw new Error("The sandbox answers at once.");
    const errors = result.errors?.map(describeError);
    return { status: 200, body: { data: result.data, ...(errors !== undefined && { errors }) } };
  };
}

function failed(errors: readonly GraphObject[]): Answer {
  return { status: 200, body: { errors } };
}

function readRequest(text: string): { query: string | undefined; variables: Record<string, unknown> } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "query" in body && typeof body.query === "string") {
      const variables = "variables" in body && typeof body.variables === "object" ? body.variables : {};
      return { query: body.query, variables: { ...variables } };
    }
  } catch {
    // No JSON is no query.
  }
  return { query: undefined, variables: {} };
}

function createRoot(state: GitHubState): GraphObject {
  const shapes = createGraphShapes(state);
  const nodeOrError = (id: string): GraphObject | Error =>
    shapes.node(id) ?? graphError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
  return {
    node: ({ id }: { id: string }) => nodeOrError(id),
    nodes: ({ ids }: { ids: readonly string[] }) => {
      if (ids.length > maxIds) {
        throw graphError(
          "ARGUMENT_LIMIT",
          "You may not provide more than 100 node ids; you provided too many.",
        );
      }
      return ids.map(nodeOrError);
    },
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const found = findRepository(state, `${owner}/${name}`);
      return found?.isVisible
        ? shapes.repository(found)
        : graphError("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
    },
    repositoryOwner: ({ login }: { login: string }) => ownerShape(state, login, shapes.project),
  };
}

/** An owner is who has a repository or a project; whoever's repositories have types is an organisation. */
function ownerShape(
  { repositories, signals }: GitHubState,
  login: string,
  show: ReturnType<typeof createGraphShapes>["project"],
): GraphObject | null {
  const isOwner = (name: string): boolean => name.split("/")[0]?.toLowerCase() === login.toLowerCase();
  const owned = [...repositories.values()].filter(({ name }) => isOwner(name));
  const projects = signals.projects.filter(({ owner }) => isOwner(owner));
  if (owned.length === 0 && projects.length === 0) return null;
  return {
    __typename: owned.some(({ types }) => types !== undefined) ? "Organization" : "User",
    id: `O_${login}`,
    login,
    projectV2: ({ number }: { number: number }) => {
      const project = projects.find((one) => one.number === number && one.sight !== "none");
      return project === undefined
        ? graphError("NOT_FOUND", `Could not resolve to a ProjectV2 with the number ${number}.`)
        : show(project);
    },
  };
}

/** An error of execution as GitHub writes it: its type stands beside the message. */
function describeError({ message, path, locations, extensions }: GraphQLError): GraphObject {
  const { type } = extensions;
  return { ...(type !== undefined && { type }), path, locations, message };
}

/** A mistake in the query as GitHub writes it. */
function describeMistake({ message, locations }: GraphQLError): GraphObject {
  const field = /^Cannot query field "(?<field>\w+)" on type "(?<type>\w+)"/u.exec(message)?.groups;
  const argument = /^Unknown argument "(?<argument>\w+)" on field "\w+\.(?<field>\w+)"/u.exec(
    message,
  )?.groups;
  if (field !== undefined) {
    const words = `Field '${field["field"]}' doesn't exist on type '${field["type"]}'`;
    return { extensions: { code: "undefinedField" }, locations, message: words };
  }
  const code = argument === undefined ? "invalid" : "argumentNotAccepted";
  const words = argument && `Field '${argument["field"]}' doesn't accept argument '${argument["argument"]}'`;
  return { extensions: { code }, locations, message: words ?? message };
}

/** One error for each field that only the scope `read:project` opens; there is no data then. */
function needsScope(document: DocumentNode): readonly GraphObject[] {
  const errors: GraphObject[] = [];
  visit(document, {
    [Kind.FIELD]: ({ name, loc }) => {
      if (!["projectItems", "projectV2"].includes(name.value)) return;
      errors.push({
        type: "INSUFFICIENT_SCOPES",
        locations: [{ line: loc?.startToken.line, column: loc?.startToken.column }],
        message: `Your token has not been granted the required scopes to execute this query. The '${name.value}' field requires one of the following scopes: ['read:project'], but your token has only been granted the: ['repo'] scopes.`,
      });
    },
  });
  return errors;
}
