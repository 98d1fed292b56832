import { RemoteError } from "../../errors.ts";
import {
  isSameRepository,
  type PinKind,
  type Readable,
  type Repository,
  type RepositoryName,
} from "../../model/issue.ts";
import { includesName, isSameName } from "../../plan/ground/issue-fields.ts";
import { namesOfRules } from "../../plan/rules/pins.ts";
import { neededSignals, projectFieldKey } from "../../plan/rules/signals.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { hasOption, isFieldFault, namedOptions } from "../../sync/read/signals/project-fields.ts";
import { closedMilestone } from "../../sync/write/prepare.ts";
import type { Catalogue, IssuePage, IssueQuery, SignalAnswer } from "../../tracker/tracker.ts";
import type { Checking } from "./findings.ts";

type AnySettings = SyncProject["settings"];

/** A look at one repository that the config names. */
interface Looking extends Checking {
  readonly settings: AnySettings;
  readonly repository: Repository;
  readonly name: RepositoryName;
  /** Whether a run has found what a rule names: what has become of that is said by who knows the state (`findNames`). */
  isPinned(kind: PinKind, name: string): boolean;
}

/** Looks at one repository: what the token may do there, and whether it has what the config names. */
export async function checkRepository(
  checking: Checking,
  { key, settings }: Pick<SyncProject, "key" | "settings">,
  name: RepositoryName,
  account: string,
): Promise<void> {
  const { say, tracker, bounds, known: state } = checking;
  const repository = await findRepository(checking, name);
  const pins = state?.pins(key).filter(({ repositoryId }) => repositoryId === repository.id);
  const isPinned: Looking["isPinned"] = (kind, title) =>
    pins?.some((pin) => pin.kind === kind && isSameName(pin.name, title)) === true;
  const looking: Looking = { ...checking, settings, repository, name, isPinned };
  sayAccess(looking);
  const catalogue = await tracker.catalogue(repository, bounds);
  const { labels, milestones } = catalogue;
  const known = labels.map((label) => label.name);
  const { categoryLabels, voteLabels = {} } = settings.issue;
  const wanted = [...settings.issue.labels, ...Object.values(categoryLabels), ...Object.values(voteLabels)];
  const missing = wanted.filter((label) => !includesName(known, label));
  if (missing.length > 0) {
    const message = `${name} has no label ${quoted(missing)}; it is created with the first issue that needs it.`;
    say("warning", message);
  }
  const called = (wanted: string) => milestones.filter(({ title }) => title === wanted);
  const { milestone } = settings.issue;
  if (milestone !== undefined && called(milestone).length === 0) {
    const message = `${name} has no milestone "${milestone}". Create it, or correct issue.milestone; until then issues are opened without one.`;
    say("error", message, "tracker.milestone");
  } else if (milestone !== undefined && called(milestone).every(({ state }) => state === "closed")) {
    say("error", closedMilestone(name, milestone), "tracker.milestone");
  }
  for (const [index, { set }] of settings.boardRules.entries()) {
    if (typeof set.milestone !== "string" || called(set.milestone).length > 0) continue;
    const message = `${name} has no milestone "${set.milestone}". Create it, or correct boardRules[${index}].set.milestone; until then issues are left without one, and that needs you.`;
    say("error", message, "tracker.milestone");
  }
  checkNames(looking, catalogue);
  await checkTypes(looking);
  await checkAssignees(looking);
  if (!repository.hasIssues) return;
  await checkSignals(looking);
  await checkScan(looking, account);
}

/** The one that a run has found by that name, whatever it is called now. */
async function findRepository(
  { tracker, bounds, known }: Checking,
  name: RepositoryName,
): Promise<Repository> {
  const id = known?.repository(name);
  if (id === undefined) return tracker.repository(name, bounds);
  try {
    return await tracker.repository(id, bounds);
  } catch (error) {
    // What has become of it is said by what looks ahead, as the run would.
    if (error instanceof RemoteError && error.fault === "missing") return tracker.repository(name, bounds);
    throw error;
  }
}

function sayAccess({ say, name, repository }: Looking): void {
  if (!isSameRepository(repository.name, name)) {
    const message = `${name} is called ${repository.name} now; correct \`repo\` in the config.`;
    say("warning", message, "tracker.renamed");
  }
  if (!repository.isPrivate)
    say("warning", `${name} is public: titles and descriptions of the selected posts become public.`);
  if (repository.isArchived)
    say("error", `${name} is archived, so nothing can be written there.`, "tracker.archived");
  if (!repository.hasIssues) {
    const message = `Issues are switched off in ${name}. Switch them on in the repository's settings.`;
    say("error", message, "tracker.no-issues");
  }
  if (!repository.canPush) {
    const message = `The token may not push to ${name}: GitHub then drops labels, assignees and milestones without a word. Give it write access to issues.`;
    say("error", message, "tracker.permission");
    return;
  }
  if (repository.isArchived || !repository.hasIssues) return;
  // The account's rights are told, and not what of them a token was given: nothing but a write shows that.
  const rights = repository.isWriteKnown
    ? "and the App may write issues there"
    : "and the account may write to it; whether the token may, too, shows with the first write";
  say("ok", `${name} is there, ${rights}.`);
}

/** Whether the fields of projects that the rules name are there, can be read, and have the options that the rules name. */
export async function checkFields({ say, tracker, bounds }: Checking, settings: AnySettings): Promise<void> {
  for (const wanted of neededSignals(settings).projects) {
    const where = `Project ${wanted.owner}/${wanted.project}`;
    try {
      const found = await tracker.projectField(wanted, bounds);
      const options = found.options.map(({ name }) => `"${name}"`).join(", ") || "none";
      say("ok", `${where} can be read; its field ${found.name} has the options ${options}.`);
      if (found.isClosed) say("warning", `${where} is closed.`, "tracker.project");
      const named = namedOptions(settings, projectFieldKey(wanted));
      for (const name of named.filter((option) => !hasOption(found, option))) {
        const message = `${where} has no option "${name}" in the field ${found.name}, which a rule looks at. What the field shows is then taken as unknown, and posts whose decision hangs on it stay as they are. Correct the rule, or make the option.`;
        say("error", message, "tracker.project-option");
      }
    } catch (error) {
      if (!(error instanceof RemoteError) || !isFieldFault(error)) throw error;
      say("error", error.message, "tracker.project");
    }
  }
}

/** Tries what the rules look at beside an issue's record, on the issue of a repository that changed last. */
async function checkSignals(looking: Looking): Promise<void> {
  const { say, tracker, bounds, settings, repository } = looking;
  const { pullRequests, subIssues, released, duplicates } = neededSignals(settings);
  if (!(pullRequests || subIssues || released || duplicates)) return;
  const latest = await firstPage(looking, { kind: "latest", etag: undefined });
  const nodeId = latest?.issues[0]?.issue.nodeId;
  if (nodeId === undefined) {
    const message = `${repository.name} has no issue yet on which to try whether pull requests, releases, sub-issues and duplicates can be read.`;
    say("ok", message);
    return;
  }
  const wish = { pullRequests, subIssues, released, duplicates, projects: [], facts: false };
  const answers: SignalAnswer[] = [];
  for await (const page of tracker.readSignals([nodeId], wish, bounds)) answers.push(...page);
  const [answer] = answers;
  const parts: readonly (readonly [string, Readable<unknown> | undefined])[] = [
    ["linked pull requests", answer?.signals.pullRequests],
    ["sub-issues", answer?.signals.subIssues],
    ["releases", answer?.signals.isReleased],
    ["duplicates", answer?.duplicateOf],
  ];
  if (answer?.fault !== undefined) {
    const message = `An issue of ${repository.name} that the list shows is not found by its id (GraphQL), so nothing beside its record can be read.`;
    say("error", message, "tracker.signals");
  }
  const names: string[] = [];
  for (const [part, found] of parts) {
    if (found?.kind === "known") names.push(part);
    if (found?.kind !== "unknown") continue;
    const message = `In ${repository.name} the rules look at ${part}, and they can't be read: ${found.message}`;
    say("error", message, "tracker.signals");
  }
  if (names.length > 0) say("ok", `Of issues of ${repository.name} can be read: ${names.join(", ")}.`);
}

async function firstPage(
  { tracker, bounds, repository }: Looking,
  query: IssueQuery,
): Promise<IssuePage | undefined> {
  for await (const page of tracker.listIssues(repository, query, bounds)) return page;
  return undefined;
}

/** Labels and milestones that the rules look at and no issue of a repository can have. */
function checkNames({ say, settings, name, isPinned }: Looking, { labels, milestones }: Catalogue): void {
  const looked = namesOfRules(settings.rules);
  const known = labels.map((label) => label.name);
  const unknown = looked.label.filter((label) => !includesName(known, label) && !isPinned("label", label));
  if (unknown.length > 0) {
    const message = `${name} has no label ${quoted(unknown)}, which the rules look at: no issue can have it yet.`;
    say("warning", message, "tracker.label");
  }
  const titles = new Set(["any", ...milestones.map(({ title }) => title)]);
  const missing = looked.milestone.filter((title) => !titles.has(title) && !isPinned("milestone", title));
  if (missing.length > 0) {
    const message = `${name} has no milestone ${quoted(missing)}, which the rules look at: no issue can have it yet.`;
    say("warning", message, "tracker.milestone");
  }
}

/** Names end where a sentence can't tell: "in progress". */
function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Issue types that the config names, for new issues or in a rule. */
async function checkTypes({ say, tracker, bounds, settings, repository, isPinned }: Looking): Promise<void> {
  const ruled = namesOfRules(settings.rules).type.filter((type) => !isPinned("type", type));
  const wanted = [settings.issue.type ?? [], ruled].flat();
  if (wanted.length === 0) return;
  const listed = await tracker.issueTypes(repository, undefined, bounds);
  const types = listed.kind === "listed" ? listed.rows.map(({ name }) => name) : [];
  const unknown = [...new Set(wanted)].filter((type) => !includesName(types, type));
  if (unknown.length === 0) return;
  const has = types.length === 0 ? "no issue types (only organisations do)" : `only ${quoted(types)}`;
  const message = `${repository.name} has no issue type ${quoted(unknown)}, it has ${has}: such issues are opened without one, and such a rule never matches.`;
  say("error", message, "tracker.type");
}

/** Accounts that new issues are to be assigned to. */
async function checkAssignees({ say, tracker, bounds, settings, repository }: Looking): Promise<void> {
  const refused: string[] = [];
  for (const login of settings.issue.assignees)
    if (!(await tracker.isAssignable(repository, login, bounds))) refused.push(login);
  if (refused.length === 0) return;
  const message = `Issues of ${repository.name} can't be assigned to ${refused.join(", ")}: they are opened without. Give access to the repository, or correct issue.assignees.`;
  say("error", message, "tracker.assignee");
}

/** Of fewer pages nobody need know. */
const longScan = 10;

/** Says what the first search for marks in a repository costs, where that is much. */
async function checkScan(looking: Looking, account: string): Promise<void> {
  const first = await firstPage(looking, { kind: "by", author: account, createdSince: undefined });
  // undefined where the tracker does not say.
  const pages = first === undefined ? 1 : first.pages;
  if (pages !== undefined && pages < longScan) return;
  const [many, cost] =
    pages === undefined
      ? ["more than 100 issues (GitHub does not say how many)", "a request for each 100 of them"]
      : [`about ${pages * 100} issues`, `${pages} requests`];
  const message = `${account} has opened ${many} in ${looking.repository.name}. The first run looks through them for marks (${cost}) before it opens one. If that takes longer than \`budget\` allows, let \`boardsync rebuild\` do it: it has six hours.`;
  looking.say("ok", message);
}
