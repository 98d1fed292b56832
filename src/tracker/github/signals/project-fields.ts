import { RemoteError, type RemoteFault } from "../../../errors.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { ProjectField, ProjectFieldName } from "../../tracker.ts";
import { asList, asObject, asText, complain, isObject } from "../wire/shapes.ts";
import type { Quote } from "../wire/words.ts";
import { projectFieldQuery } from "./queries.ts";
import type { Query, QueryAnswer, QueryError } from "./querying.ts";

const permission =
  "a classic token needs the scope read:project; a fine-grained one, or a GitHub App, needs the organization permission Projects: read, and sees no project of a user account";
/** How many names are shown when one is not among them. */
const shownLimit = 20;

/** The port's `projectField`. */
export async function findProjectField(
  query: Query,
  wanted: ProjectFieldName,
  bounds: ReadBounds,
  quote: Quote,
): Promise<ProjectField> {
  const project = `project ${wanted.project} of ${quote(wanted.owner)}`;
  const variables = { owner: wanted.owner, number: wanted.project };
  const answer = await query({ text: projectFieldQuery, variables, subject: project }, bounds);
  const fields = readFields(answer, wanted, { project, quote });
  const name = wanted.field.toLowerCase();
  const named = fields.rows.filter((row) => row.name.toLowerCase() === name);
  const found = named.find((row) => row.name === wanted.field) ?? named[0];
  if (found === undefined) {
    const names = fields.rows.slice(0, shownLimit).map((row) => `"${quote(row.name)}"`);
    throw fail(
      "missing",
      `There is no field "${quote(wanted.field)}" in ${project}; it has ${names.join(", ")}.`,
    );
  }
  if (found.options === undefined) {
    throw fail(
      "missing",
      `The field "${quote(found.name)}" of ${project} has no options to choose one from: only single-select fields can be in a rule.`,
    );
  }
  const { projectId, isClosed } = fields;
  const key = `${wanted.owner}/${wanted.project}/${wanted.field}`.toLowerCase();
  return { key, projectId, fieldId: found.id, name: found.name, options: found.options, isClosed };
}

interface Field {
  readonly id: string;
  readonly name: string;
  /** undefined for a field of another kind. */
  readonly options: ProjectField["options"] | undefined;
}

interface Fields {
  readonly projectId: string;
  readonly isClosed: boolean;
  readonly rows: readonly Field[];
}

function readFields(
  { data, errors }: QueryAnswer,
  wanted: ProjectFieldName,
  { project, quote }: { readonly project: string; readonly quote: Quote },
): Fields {
  const [error] = errors;
  if (error !== undefined) throw refuse(error, project);
  const owner = data?.["repositoryOwner"];
  if (owner === null) {
    throw fail(
      "missing",
      `There is no user or organization ${quote(wanted.owner)}, or the token can't see it.`,
    );
  }
  const shown = asObject(owner, "repositoryOwner")["projectV2"];
  if (shown === null) throw hidden(project);
  const found = asObject(shown, "projectV2");
  const connection = asObject(found["fields"], "fields");
  return {
    projectId: asText(found["id"], "project.id"),
    isClosed: found["closed"] === true,
    rows: asList(connection["nodes"], "fields").map((row) => readField(asObject(row, "field"))),
  };
}

function readField(field: Readonly<Record<string, unknown>>): Field {
  const name = asText(field["name"], "field.name");
  if (field["__typename"] !== "ProjectV2SingleSelectField") return { id: "", name, options: undefined };
  const options = asList(field["options"], "field.options").map((row) => {
    if (!isObject(row)) throw complain("field.options");
    return { id: asText(row["id"], "option.id"), name: asText(row["name"], "option.name") };
  });
  return { id: asText(field["id"], "field.id"), name, options };
}

function refuse(error: QueryError, project: string): RemoteError {
  const { type, message, isUnknownToServer } = error;
  if (isUnknownToServer) {
    return fail(
      "refused",
      `This server has no projects that can be read, so ${project} can't be: ${message}.`,
    );
  }
  if (type === "NOT_FOUND") return hidden(project);
  if (type === "INSUFFICIENT_SCOPES" || type === "FORBIDDEN") {
    return fail("unauthorized", `The token may not read ${project}: ${permission}. GitHub says: ${message}`);
  }
  return fail("unreachable", `GitHub could not show ${project}: ${message}`);
}

/** Without permission GitHub says the same as without a project. */
function hidden(project: string): RemoteError {
  return fail("missing", `There is no ${project}, or the token can't see it: ${permission}.`);
}

function fail(fault: RemoteFault, message: string): RemoteError {
  const detail = fault === "unauthorized" ? "forbidden" : fault === "unreachable" ? "server" : undefined;
  return new RemoteError("tracker", fault, message, { detail });
}
