import type { ListShape } from "../../board/board.ts";
import { ProjectError, RemoteError } from "../../errors.ts";
import type { Repository } from "../../model/issue.ts";
import { type AskedPaging, showWay } from "../../model/page.ts";
import type { BoardProject, PostField } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { spellStatus } from "../../plan/fields/fields.ts";
import { impossibleRules, shadowedRules } from "../../plan/rules/rules.ts";
import { unseenConditions } from "../../plan/select.ts";
import type { Settings } from "../../plan/settings.ts";
import { adviceOn } from "../../sync/ground/remedy.ts";
import type { SyncProject, World } from "../../sync/ground/world.ts";
import { repositoryNames } from "../../sync/ground/world.ts";
import { pickProject, unknownProject } from "../../sync/read/identify.ts";
import { checkBoardRules } from "./board-rules.ts";
import { type Finding, say } from "./findings.ts";
import { checkScan } from "./scan.ts";
import { checkFields, checkNames, checkSignals, checkTypes } from "./signals.ts";

/** ` — did you mean …?` where one of the words is near to what was written; else nothing. */
export type Suggest = (word: string, words: readonly string[]) => string;

/** Looks at everything that the config promises, writes nothing, and goes on past what is wrong. */
export async function checkAll(
  projects: readonly SyncProject[],
  world: Pick<World, "board" | "tracker">,
  bounds: ReadBounds,
  suggest: Suggest,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const listed = await look(findings, "board", () => checkBoard(findings, world, bounds));
  const account = await look(findings, "tracker", () => checkAccount(findings, world, bounds));
  for (const project of projects) {
    if (listed !== undefined) {
      await look(findings, project.key, () =>
        checkPosts(findings, project, { listed, suggest }, world, bounds),
      );
    }
    if (account !== undefined) {
      for (const name of repositoryNames(project.settings)) {
        await look(findings, project.key, () =>
          checkRepository(findings, project, { name, account }, world, bounds),
        );
      }
      await look(findings, project.key, () => checkFields(findings, project, world.tracker, bounds));
    }
    checkRules(findings, project);
    checkBoardRules(findings, project);
  }
  return findings;
}

/** Runs one look; a failure is a finding, and the rest goes on. */
async function look<T>(findings: Finding[], subject: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RemoteError || error instanceof ProjectError)) throw error;
    const { code, message } = error;
    const advice = adviceOn({ code, detail: error instanceof RemoteError ? error.detail : undefined });
    findings.push({ level: "error", subject, code, message, ...(advice !== undefined && { advice }) });
    return undefined;
  }
}

async function checkBoard(
  findings: Finding[],
  { board }: Pick<World, "board">,
  bounds: ReadBounds,
): Promise<readonly BoardProject[]> {
  await board.verifyKey(bounds);
  const listed = await board.listProjects(bounds);
  const names = listed.map(({ id, slug }) => (slug === undefined ? id : `${slug} (${id})`)).join(", ");
  say(findings, "ok", "board", `The key is accepted; it sees ${listed.length} projects: ${names}.`);
  return listed;
}

async function checkAccount(
  findings: Finding[],
  { tracker }: Pick<World, "tracker">,
  bounds: ReadBounds,
): Promise<string> {
  const { login } = await tracker.account(bounds);
  say(findings, "ok", "tracker", `The token is accepted; issues will be opened by ${login}.`);
  say(findings, "ok", "tracker", `The server is ${await tracker.server(bounds)}.`);
  return login;
}

async function checkPosts(
  findings: Finding[],
  project: SyncProject,
  { listed, suggest }: { readonly listed: readonly BoardProject[]; readonly suggest: Suggest },
  { board }: Pick<World, "board">,
  bounds: ReadBounds,
): Promise<void> {
  const found = pickProject(listed, project.key);
  if (found === undefined) throw unknownProject(listed, project.key);
  const seen = new Set<PostField>();
  const statuses = new Map<string, number>();
  let posts = 0;
  let shape: ListShape | undefined;
  let asked: AskedPaging | undefined;
  for await (const page of board.listPosts(found.id, bounds)) {
    shape ??= page.shape;
    asked ??= page.asked;
    posts += page.posts.length;
    for (const field of page.seen) seen.add(field);
    for (const { values } of page.posts) {
      if (typeof values.status === "string")
        statuses.set(values.status, (statuses.get(values.status) ?? 0) + 1);
    }
    for (const message of page.unusable) say(findings, "warning", project.key, message);
    if (page.end !== undefined && page.end.kind !== "complete") {
      say(
        findings,
        page.end.kind === "cut" ? "warning" : "error",
        project.key,
        page.end.message,
        "board.incomplete",
      );
    }
  }
  const settings: Settings = { ...project.settings, project: found.id };
  sayShape(findings, project.key, posts, shape);
  if (asked !== undefined) sayAsked(findings, project.key, asked);
  checkStatuses(findings, settings, project.key, seen, statuses, suggest);
  if (posts === 0) return;
  for (const problem of unseenConditions(settings, seen)) {
    const message = `\`${problem}\` needs a field that no record of the board shows. Remove it, or name the field in board.fields.`;
    say(findings, "error", project.key, message, "board.unseen");
  }
}

function sayShape(findings: Finding[], subject: string, posts: number, shape: ListShape | undefined): void {
  if (shape === undefined || posts === 0) {
    say(
      findings,
      "warning",
      subject,
      "The list has no posts, so its shape and its statuses are not known yet.",
    );
    return;
  }
  say(
    findings,
    "ok",
    subject,
    `${posts} posts, found under ${shape.items}; id field \`${shape.id ?? "?"}\`; paging: ${shape.paging}. Fields: ${shape.keys.join(", ")}.`,
  );
}

function sayAsked(findings: Finding[], subject: string, asked: AskedPaging): void {
  if (asked.way === undefined) say(findings, "ok", subject, showAsked(asked));
  else say(findings, "warning", subject, showAsked(asked), "board.paging-found");
}

/** What asking for more has shown, where the first page had no sign of how the list goes on. */
export function showAsked({ way }: AskedPaging): string {
  if (way === undefined) return "The board was asked for further posts in the usual ways, and sent none.";
  if (way.kind === "none")
    return `The list has no further pages, only larger ones. The line that asks for them, below \`board:\` in the config: \`${showWay(way)}\`.`;
  return `The list shows no sign of how it goes on; asking the board has found out. The line that says so below \`board:\` in the config: \`${showWay(way)}\`.`;
}

/** The values of `status` are the board's own: a rule's word that nobody has seen may be a slip. */
function checkStatuses(
  findings: Finding[],
  settings: Settings,
  subject: string,
  seen: ReadonlySet<PostField>,
  statuses: ReadonlyMap<string, number>,
  suggest: Suggest,
): void {
  if (!seen.has("status")) return;
  const counted = [...statuses].map(([status, count]) => `${status} (${count})`).join(", ");
  say(findings, "ok", subject, `Statuses seen: ${counted || "none"}.`);
  const named = [
    ...(settings.select.statuses ?? []).map((status) => ({ status, where: "select.statuses" })),
    ...settings.rules.flatMap(({ set }, index) =>
      typeof set.status === "string" ? [{ status: set.status, where: `rules[${index}].set.status` }] : [],
    ),
    ...settings.boardRules.flatMap(({ when: { status } }, index) =>
      status === undefined ? [] : [{ status, where: `boardRules[${index}].when.status` }],
    ),
  ];
  const shown = [...statuses.keys()];
  for (const { status, where } of named) {
    const spelling = spellStatus(status, shown);
    if (shown.includes(spelling)) {
      if (spelling === status || !where.endsWith(".set.status")) continue;
      say(findings, "ok", subject, `${where} \`${status}\` is sent as the board spells it: \`${spelling}\`.`);
      continue;
    }
    const near = suggest(status, shown);
    const message =
      near === ""
        ? `No post has the status \`${status}\` of ${where}. That may be right (nothing has got there yet), or a slip: the board refuses what it does not know.`
        : `No post has the status \`${status}\` of ${where}${near}`;
    say(findings, near === "" ? "warning" : "error", subject, message, "board.status");
  }
}

async function checkRepository(
  findings: Finding[],
  project: SyncProject,
  { name, account }: { readonly name: string; readonly account: string },
  { tracker }: Pick<World, "tracker">,
  bounds: ReadBounds,
): Promise<void> {
  const { settings, key } = project;
  const repository = await tracker.repository(name, bounds);
  if (repository.isArchived) {
    say(findings, "error", key, `${name} is archived, so nothing can be written there.`, "tracker.archived");
  }
  if (!repository.hasIssues) {
    const message = `Issues are switched off in ${name}. Switch them on in the repository's settings.`;
    say(findings, "error", key, message, "tracker.no-issues");
  }
  sayAccess(findings, key, name, repository);
  const catalogue = await tracker.catalogue(repository, bounds);
  const { labels, milestones } = catalogue;
  const known = new Set(labels.map((label) => label.toLowerCase()));
  const wanted = [...settings.issue.labels, ...Object.values(settings.issue.categoryLabels)];
  const missing = wanted.filter((label) => !known.has(label.toLowerCase()));
  if (missing.length > 0) {
    say(
      findings,
      "warning",
      key,
      `${name} has no label ${missing.join(", ")}; it is created with the first issue that needs it.`,
    );
  }
  const isThere = (milestone: string): boolean => milestones.some(({ title }) => title === milestone);
  const { milestone } = settings.issue;
  if (milestone !== undefined && !isThere(milestone)) {
    const message = `${name} has no milestone "${milestone}". Create it, or correct issue.milestone; until then issues are opened without one.`;
    say(findings, "error", key, message, "tracker.milestone");
  }
  for (const [index, { set }] of settings.boardRules.entries()) {
    if (typeof set.milestone !== "string" || isThere(set.milestone)) continue;
    const message = `${name} has no milestone "${set.milestone}". Create it, or correct boardRules[${index}].set.milestone; until then issues are left without one, and that is parked.`;
    say(findings, "error", key, message, "tracker.milestone");
  }
  checkNames(findings, project, name, catalogue);
  await checkTypes(findings, project, repository, tracker, bounds);
  if (!repository.hasIssues) return;
  await checkSignals(findings, project, repository, tracker, bounds);
  await checkScan(findings, key, repository, account, tracker, bounds);
}

function sayAccess(findings: Finding[], key: string, name: string, repository: Repository): void {
  if (repository.name.toLowerCase() !== name.toLowerCase()) {
    const message = `${name} is called ${repository.name} now; correct \`repo\` in the config.`;
    say(findings, "warning", key, message, "tracker.renamed");
  }
  if (!repository.isPrivate) {
    say(
      findings,
      "warning",
      key,
      `${name} is public: titles and descriptions of the selected posts become public.`,
    );
  }
  if (repository.canPush) {
    say(findings, "ok", key, `${name} is there, and the token may write to it.`);
    return;
  }
  const message = `The token may not push to ${name}: GitHub then drops labels, assignees and milestones without a word. Give it write access to issues.`;
  say(findings, "error", key, message, "tracker.permission");
}

function checkRules(findings: Finding[], project: SyncProject): void {
  for (const { index, why } of impossibleRules(project.settings.rules)) {
    say(findings, "error", project.key, `rules[${index}] can never match: ${why}.`, "config.impossible");
  }
  for (const { index, by } of shadowedRules(project.settings.rules)) {
    const message = `rules[${index}] can never match: rules[${by}] above it matches whenever it would.`;
    say(findings, "error", project.key, message, "config.shadowed");
  }
}
