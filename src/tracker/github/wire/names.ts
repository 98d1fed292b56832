import type { RepositoryName } from "../../../model/issue.ts";

/** `owner/name`, each one a path segment that can mean nothing else. */
export function isRepositoryName(name: RepositoryName): boolean {
  return /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(name) && !/^\.+\/|\/\.+$/.test(name);
}

/** `owner` and `repo`, as GitHub's routes call them, of what is a repository's name. */
export function splitName(name: RepositoryName): { owner: string; repo: string } {
  const slash = name.indexOf("/");
  return { owner: name.slice(0, slash), repo: name.slice(slash + 1) };
}
