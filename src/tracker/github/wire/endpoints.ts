import type { Octokit } from "@octokit/rest";

type Answering = ReturnType<Octokit["request"]>;

/** What is asked of GitHub: a method of Octokit's, such as `({ rest }) => rest.issues.create`. */
export type Endpoint = (octokit: Octokit) => (parameters: never) => Answering;

/** A method of Octokit's with the parameters that GitHub describes for it. */
export function call<Parameters>(
  endpoint: (octokit: Octokit) => (parameters?: Parameters) => Answering,
  parameters: { readonly [Name in keyof Parameters]: Parameters[Name] | undefined },
): { readonly endpoint: Endpoint; readonly parameters: Readonly<Record<string, unknown>> } {
  return { endpoint, parameters };
}

/** Method and URL template of what Octokit has no method for, such as addresses by a repository's id. */
export function at(route: string): Endpoint {
  return (octokit) => (parameters: Readonly<Record<string, unknown>>) => octokit.request(route, parameters);
}
