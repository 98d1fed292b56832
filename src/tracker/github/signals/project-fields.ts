import { z } from "zod";
import { RemoteError, type RemoteFault } from "../../../errors.ts";
import type { ProjectFieldName } from "../../../model/issue.ts";
import type { ProjectField } from "../../tracker.ts";
import { readShape } from "../wire/shapes.ts";
import type { Quote } from "../wire/words.ts";
import { projectFieldQuery } from "./queries.ts";
import type { Query, QueryError } from "./querying.ts";

const permission =
  "a classic token needs the scope read:project; a fine-grained one, or a GitHub App, needs the organization permission Projects: read, and sees no project of a user account";
/** How many names are shown when one is not among them. */
const shownLimit = 20;

/** The port's `projectField`. */
export async function findProjectField(
  query: Query,
  wanted: ProjectFieldName,
  quote: Quote,
): Promise<ProjectField> {
  const project = `project ${wanted.project} of ${quote(wanted.owner)}`;
  const variables = { owner: wanted.owner, number: wanted.project };
  const { data, errors } = await query({ text: projectFieldQuery, variables, subject: project });
  const [error] = errors;
  if (error !== undefined) throw refuse(error, project);
  const owner = data?.["repositoryOwner"];
  if (owner === null) {
    const message = `There is no user or organization ${quote(wanted.owner)}, or the token can't see it.`;
    throw fail("missing", message);
  }
  const { projectV2 } = readShape(ownerShape, owner, "repositoryOwner");
  if (projectV2 === null) throw hidden(project);
  const { id: projectId, closed, fields } = projectV2;
  const named = fields.nodes.filter((row) => row.name.toLowerCase() === wanted.field.toLowerCase());
  const found = named.find((row) => row.name === wanted.field) ?? named[0];
  if (found === undefined) {
    const names = fields.nodes.slice(0, shownLimit).map((row) => `"${quote(row.name)}"`);
    const message = `There is no field "${quote(wanted.field)}" in ${project}; it has ${names.join(", ")}.`;
    throw fail("missing", message);
  }
  const { id: fieldId, name, options } = found;
  if (options === undefined) {
    const message = `The field "${quote(name)}" of ${project} has no options to choose one from: only single-select fields can be in a rule.`;
    throw fail("missing", message);
  }
  const key = `${wanted.owner}/${wanted.project}/${wanted.field}`.toLowerCase();
  return { key, projectId, fieldId, name, options, isClosed: closed === true };
}

const ownerShape = z.object({
  projectV2: z
    .object({
      id: z.string(),
      closed: z.unknown().optional(),
      fields: z.object({
        nodes: z.array(
          z.object({
            id: z.string().default(""),
            name: z.string(),
            // Only fields of which one option is chosen have them.
            options: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
          }),
        ),
      }),
    })
    .nullable(),
});

function refuse(error: QueryError, project: string): RemoteError {
  const { type, message, isUnknownToServer } = error;
  if (isUnknownToServer)
    return fail(
      "refused",
      `This server has no projects that can be read, so ${project} can't be: ${message}.`,
    );
  if (type === "NOT_FOUND") return hidden(project);
  if (type === "INSUFFICIENT_SCOPES" || type === "FORBIDDEN")
    return fail("unauthorized", `The token may not read ${project}: ${permission}. GitHub says: ${message}`);
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
