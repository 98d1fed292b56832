import { resolve } from "node:path";
import { policyOf, syncProjects } from "../app.ts";
import { loadConfig } from "../config/load.ts";
import { suggest } from "../config/suggest.ts";
import { ConfigError } from "../errors.ts";
import type { IssueRef } from "../model/issue.ts";
import type { PostId } from "../model/post.ts";
import { explainPost } from "../sync/explain.ts";
import type { Explanation } from "../sync/explanation.ts";
import { repositoryNames } from "../sync/repositories.ts";
import { type Beside, findPost, type NamedPost } from "./beside.ts";
import { systemClock } from "./clock.ts";
import { printExplanation } from "./explain-report.ts";
import { failWith } from "./failure.ts";
import { printJson } from "./json.ts";
import { configSource } from "./session.ts";
import { readState } from "./state.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/** `boardsync explain POST|OWNER/REPO#N`: the story of one post, or of every post of one issue. Only reads the state. */
export function explain(terminal: Terminal, options: CommonOptions, text: string): number {
  try {
    const { config } = loadConfig(configSource(terminal, options));
    const state = resolve(terminal.cwd, config.state);
    const ledger = readState(state);
    if (ledger === undefined) {
      throw new ConfigError([`No run yet: there is no state at ${state}. Next: \`boardsync plan\`.`]);
    }
    try {
      const explanations = explainAll({ config, ledger, now: systemClock.now() }, text);
      if (options.json === true) printJson(terminal.out, { posts: explanations });
      else if (options.quiet !== true) for (const one of explanations) printExplanation(terminal.out, one);
      return exitCodes.ok;
    } finally {
      ledger.close();
    }
  } catch (error) {
    return failWith(terminal, options, error);
  }
}

function explainAll(beside: Beside, text: string): readonly Explanation[] {
  const { config, ledger, now } = beside;
  const sources = { ledger, policy: policyOf(config), now };
  const projects = syncProjects(config);
  return findPosts(beside, text).flatMap(({ key, post }) => {
    const project = projects.find((one) => one.key === key);
    return project === undefined ? [] : (explainPost(project, post, sources) ?? []);
  });
}

function findPosts(beside: Beside, text: string): readonly Pick<NamedPost, "key" | "post">[] {
  const [, name, number] = /^([^/\s]+\/[^#\s]+)#(\d+)$/.exec(text) ?? [];
  const repository = name === undefined ? undefined : findRepository(beside, name);
  if (repository === undefined || name === undefined) return [findPost(beside, text)];
  const issue: IssueRef = { repositoryId: repository, number: Number(number) };
  const posts = postsOf(beside, issue);
  if (posts.length === 0) throw new ConfigError([describeUnlinked(beside, text, issue)]);
  return posts;
}

/** The numeric id of a repository of the config, by the name that stands there or the one that it has now. */
function findRepository({ config, ledger }: Beside, name: string): number | undefined {
  const wanted = name.toLowerCase();
  const known = [...new Set(config.projects.flatMap(repositoryNames))].flatMap(
    (one) => ledger.memory.repository(one) ?? [],
  );
  return known.find(({ name: one, repository }) =>
    [one, repository.name].some((each) => each.toLowerCase() === wanted),
  )?.repository.id;
}

function postsOf({ config, ledger }: Beside, issue: IssueRef): readonly { key: string; post: PostId }[] {
  const keys = config.projects.flatMap(({ project: key }) => {
    const memory = ledger.memory.project(key);
    return memory === undefined ? [] : [{ key, id: memory.id }];
  });
  return ledger.rows.linkedTo(issue).flatMap(({ project, post }) => {
    const found = keys.find(({ id }) => id === project);
    return found === undefined ? [] : [{ key: found.key, post }];
  });
}

/** An issue that no post is linked to may be a slip of the finger, or nobody's business. */
function describeUnlinked({ ledger }: Beside, text: string, issue: IssueRef): string {
  const absence = ledger.absences.of(issue);
  const moved = absence?.kind === "moved" ? ` It was moved to ${absence.name}#${absence.to.number}.` : "";
  const name = text.slice(0, text.indexOf("#"));
  const near = ledger.pulls
    .linkedIssues(issue.repositoryId)
    .filter(({ number }) => suggest(String(issue.number), [String(number)]) !== "")
    .map(({ number }) => `${name}#${number}`);
  return `${text} is linked to no post of the config${suggest(text, near) || "."}${moved}`;
}
