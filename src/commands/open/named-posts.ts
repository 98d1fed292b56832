import { suggest } from "../../config/suggest.ts";
import { ConfigError } from "../../errors.ts";
import type { IssueRef } from "../../model/issue.ts";
import { repositoryNames } from "../../sync/ground/world.ts";
import type { NamedPost } from "../../sync/orders/foresight.ts";
import { type Beside, findPost } from "./beside.ts";

/**
 * The posts that `POST`, `PROJECT/POST` or `OWNER/REPO#N` means; of an issue every post that is linked to it.
 *
 * @throws ConfigError when there is none, or an id means several.
 */
export async function findPosts(beside: Beside, text: string): Promise<readonly NamedPost[]> {
  const [, name, number] = /^([^/\s]+\/[^#\s]+)#(\d+)$/.exec(text) ?? [];
  const repository = name === undefined ? undefined : findRepositoryId(beside, name);
  if (repository === undefined || name === undefined) return [await findPost(beside, text)];
  const issue: IssueRef = { repositoryId: repository, number: Number(number) };
  const posts = await postsOf(beside, issue);
  // One that may become a post is called so until it has.
  const own = posts.length === 0 ? await findPost(beside, text).catch(() => undefined) : undefined;
  if (own !== undefined) return [own];
  if (posts.length === 0) throw new ConfigError([await describeUnlinked(beside, text, issue)]);
  return posts;
}

/** The numeric id of a repository of the config, by the name that stands there or the one that it has now. */
function findRepositoryId({ config, ledger }: Beside, name: string): number | undefined {
  const wanted = name.toLowerCase();
  const known = [...new Set(config.projects.flatMap(repositoryNames))].flatMap(
    (one) => ledger.memory.repository(one) ?? [],
  );
  return known.find(({ name: one, repository }) =>
    [one, repository.name].some((each) => each.toLowerCase() === wanted),
  )?.repository.id;
}

async function postsOf({ config, ledger }: Beside, issue: IssueRef): Promise<readonly NamedPost[]> {
  const keys = config.projects.flatMap(({ project: key }) => {
    const memory = ledger.memory.project(key);
    return memory === undefined ? [] : [{ key, id: memory.id }];
  });
  return (await ledger.rows.linkedTo(issue)).flatMap(({ project, post }) => {
    const found = keys.find(({ id }) => id === project);
    return found === undefined ? [] : [{ key: found.key, project, post }];
  });
}

/** An issue that no post is linked to may be a slip of the finger, or nobody's business. */
async function describeUnlinked({ ledger }: Beside, text: string, issue: IssueRef): Promise<string> {
  const absence = await ledger.absences.of(issue);
  const moved = absence?.kind === "moved" ? ` It was moved to ${absence.name}#${absence.to.number}.` : "";
  const name = text.slice(0, text.indexOf("#"));
  const near = (await ledger.pulls.linkedIssues(issue.repositoryId))
    .filter(({ number }) => suggest(String(issue.number), [String(number)]) !== "")
    .map(({ number }) => `${name}#${number}`);
  return `${text} is linked to no post of the config${suggest(text, near) || "."}${moved}`;
}
