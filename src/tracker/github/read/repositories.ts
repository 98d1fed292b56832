import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { Account } from "../../tracker.ts";
import { type Access, addressRepository } from "../wire/access.ts";
import { isGitHubError, refuseAnswer } from "../wire/answers.ts";
import { at, call } from "../wire/client.ts";
import { type ReadRequest, requireOk } from "../wire/reader.ts";
import { account, positiveInteger, readShape, repositoryName, some } from "../wire/shapes.ts";

/** Who the token belongs to. */
export async function readAccount({ read, quote }: Access): Promise<Account> {
  const request = { ...call(({ rest }) => rest.users.getAuthenticated, {}), subject: "our account" };
  const answer = await read(request);
  // Whoever has a token is somebody: where nobody is known, the address is not the API's root.
  if (answer.status === 404 && isGitHubError(answer)) {
    const message = `The server answered 404 for ${request.subject}, which GitHub's API always has.`;
    throw new RemoteError("tracker", "missing", message, { detail: "page" });
  }
  return readShape(account, requireOk(answer, request, quote).data, "login");
}

const serverShape = z.object({ installed_version: z.string() });

/** What answers at the address, with its version where it tells one: only an Enterprise Server does. */
export async function describeServer({ read, url, quote }: Access): Promise<string> {
  const { host } = new URL(url);
  const answer = await read({ ...call(({ rest }) => rest.meta.get, {}), subject: "the server" });
  const version = serverShape.safeParse(answer.data).data?.installed_version;
  return version !== undefined
    ? `GitHub Enterprise Server ${quote(version)} at ${host}`
    : `GitHub at ${host}`;
}

/** A repository. */
const repositoryShape = z
  .object({
    id: positiveInteger,
    full_name: repositoryName,
    has_issues: some,
    archived: some,
    private: some,
    permissions: z.object({ push: some }).optional().catch(undefined),
  })
  .transform(
    (found): Repository => ({
      id: found.id,
      name: found.full_name,
      hasIssues: found.has_issues !== false,
      isArchived: found.archived === true,
      // A repository that does not say is taken as public, so that nothing private is sent there by mistake.
      isPrivate: found.private === true,
      canPush: found.permissions?.push === true,
    }),
  );

/** One repository by name or id; a renamed one comes with its new name. */
export async function findRepository(
  { read, quote }: Pick<Access, "read" | "quote">,
  wanted: RepositoryName | RepositoryId,
): Promise<Repository> {
  const request: ReadRequest =
    typeof wanted === "number"
      ? {
          // Not in GitHub's description, but it is where GitHub's own redirects and page links lead.
          endpoint: at("GET /repositories/{repository_id}"),
          parameters: { repository_id: wanted },
          subject: `the repository with the id ${wanted}`,
        }
      : { ...call(({ rest }) => rest.repos.get, addressRepository(wanted, quote)), subject: wanted };
  const answer = requireOk(await read(request), request, quote);
  const repository = readShape(repositoryShape, answer.data, "repository");
  if (typeof wanted === "number" && repository.id !== wanted)
    throw refuseAnswer(answer, request.subject, quote);
  return repository;
}

/** Whether an account can be assigned: 204, or 404. */
export async function readAssignable(
  { read, quote }: Access,
  { name }: Repository,
  login: string,
): Promise<boolean> {
  const request = {
    ...call(({ rest }) => rest.issues.checkUserCanBeAssigned, {
      ...addressRepository(name, quote),
      assignee: login,
    }),
    subject: `the assignees of ${name}`,
  };
  const answer = await read(request);
  if (answer.status === 204) return true;
  if (answer.status === 404) return false;
  throw refuseAnswer(answer, request.subject, quote);
}
