import type { Board } from "./board/board.ts";
import { createHttpBoard } from "./board/http/http.ts";
import { createMcpTools } from "./board/mcp/mcp.ts";
import type { BoardTools, ToolDirectory } from "./board/tools.ts";
import { readProxies } from "./config/proxies.ts";
import type { Config, ProjectConfig } from "./config/schema.ts";
import type { GitHubSecret, Secrets } from "./config/secrets.ts";
import { createTimes } from "./config/times.ts";
import { createSender, type Send, type Sender } from "./http/send.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { createKnownSecrets, type Log, type Redact } from "./log.ts";
import type { Dialect } from "./model/dialect.ts";
import type { Clock, Random, Traffic } from "./model/surroundings.ts";
import { dayMs } from "./model/time.ts";
import { defaultBody } from "./plan/changelog/entry.ts";
import type { PullRequestWish, Rule, Select, Settings } from "./plan/ground/settings.ts";
import { defaultRules } from "./plan/rules/rules.ts";
import { leavesOf, selectGroup } from "./plan/select-conditions.ts";
import { boardHash } from "./plan/text/marker.ts";
import { createRenderer } from "./plan/text/render.ts";
import { pinTools } from "./sync/ground/pinned-tools.ts";
import type { Policy, Progress, SyncProject, World } from "./sync/ground/world.ts";
import { repositoryNames } from "./sync/ground/world.ts";
import { createGitHubAppTracker } from "./tracker/github/app/installations.ts";
import { createDialect } from "./tracker/github/dialect.ts";
import { createGitHubTracker, type ServerOptions } from "./tracker/github/github.ts";
import type { Tracker } from "./tracker/tracker.ts";

/** What the machine gives to the adapters. */
export interface Machine {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Told every secret that is made while the program runs, before it is used. Left out where nothing is printed. */
  readonly conceal?: (secret: string) => void;
  readonly progress?: Progress;
  readonly version: string;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, by any case of their names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Both sides, ready to be asked. */
export interface Sides {
  readonly board: Board & Traffic;
  readonly tracker: Tracker & Traffic;
  /** Only where the config has `board.mcp`. */
  readonly tools: (BoardTools & ToolDirectory & Traffic) | undefined;
}

/** What both sides are asked with. */
type Credentials = Pick<Secrets, "boardApiKey" | "github">;

/** The only place that names concrete adapters. */
export function connectSides(config: Config, secrets: Credentials, machine: Machine): Sides {
  // Neither side may bring the other one's secret into a message: what is quoted of it may be printed, and is stored.
  const known = createKnownSecrets();
  const { github } = secrets;
  known.add([secrets.boardApiKey, github.kind === "token" ? github.token : github.privateKey]);
  const conceal = (secret: string): void => {
    known.addPassing(secret);
    machine.conceal?.(secret);
  };
  const guarded = { ...machine, conceal, redact: known.redact };
  return {
    board: connectBoard(config.board, secrets.boardApiKey, guarded),
    tracker: kindOf(config.tracker).connect(github, {
      ...serverOptions(config.tracker, guarded),
      repositories: namedRepositories(config),
      conceal,
    }),
    tools: config.board.mcp && connectTools(config.board, secrets.boardApiKey, guarded),
  };
}

/** A machine on which secrets are known that no text may show. */
export interface GuardedMachine extends Machine {
  readonly redact: Redact;
}

/** The board alone, for whoever has no config yet. */
export function connectBoard(board: Config["board"], key: string, machine: GuardedMachine): Sides["board"] {
  const { clock, random, log, version, redact } = machine;
  return createHttpBoard({
    url: board.url,
    key,
    version,
    sender: senderOf(machine, board.timeout),
    retries: board.retries,
    limits: { bytes: board.maxBytes },
    clock,
    random,
    log,
    redact,
    overrides: board,
  });
}

/** The board's own tools: those that the config names may be called. Nothing is loaded or asked before that. */
export function connectTools(
  { url, timeout, retries, mcp }: Pick<Config["board"], "url" | "timeout" | "retries" | "mcp">,
  key: string,
  machine: GuardedMachine,
): BoardTools & ToolDirectory & Traffic {
  const { clock, random, log, version, redact } = machine;
  return createMcpTools({
    key,
    version,
    retries,
    clock,
    random,
    log,
    redact,
    url: mcp?.url ?? new URL("/api/mcp", url).href,
    sender: senderOf(machine, timeout, mostToolBytes),
    tools: mcp?.tools ?? {},
  });
}

/** Of one answer of a tool. */
const mostToolBytes = 4 * 1024 * 1024;

function serverOptions({ url, timeout }: Config["tracker"], machine: GuardedMachine): ServerOptions {
  const { clock, random, log, redact } = machine;
  return { url, sender: senderOf(machine, timeout), clock, random, log, redact };
}

/** What a connection to any tracker is made with. */
interface TrackerOptions extends ServerOptions {
  readonly repositories: readonly string[];
  readonly conceal: (secret: string) => void;
}

/** What a kind of tracker is to the program: how it is reached, and what it reads out of a text. */
interface TrackerKind {
  readonly dialect: Dialect;
  connect(secret: GitHubSecret, options: TrackerOptions): Sides["tracker"];
}

/** A new tracker is a folder, one variant in the config's schema, and one case here. */
function kindOf({ kind, url }: Config["tracker"]): TrackerKind {
  switch (kind) {
    case "github":
      return {
        dialect: createDialect(url),
        connect: (github, options) =>
          github.kind === "token"
            ? createGitHubTracker({ ...options, token: github.token })
            : createGitHubAppTracker({ ...options, app: github }),
      };
  }
}

/** The way to one side. @throws ConfigError where a proxy has no address */
function senderOf({ environment, clock }: Machine, timeoutMs: number, bodyBytes?: number): Sender {
  const proxy = readProxies(environment);
  return createSender({ proxy, clock, timeoutMs, ...(bodyBytes !== undefined && { bodyBytes }) });
}

/** The way to addresses of which only the status matters: an answer ends with the first byte of its body. */
export function createCall(machine: Machine): Send {
  return senderOf(machine, 10_000, 0).send;
}

/** Everything that a run works with. */
export function buildWorld(config: Config, sides: Sides, ledger: Ledger, machine: Machine): World {
  const { clock, log, progress } = machine;
  return {
    ...sides,
    tools: sides.tools && pinTools(sides.tools, config.board.mcp?.tools ?? {}, { ledger, clock }),
    ledger,
    clock,
    log,
    policy: policyOf(config),
    ...(progress && { progress }),
  };
}

function namedRepositories({ projects }: Config): readonly string[] {
  return [...new Set(projects.flatMap(repositoryNames))];
}

/** The history of a week, and of a day more. */
const digestMs = 8 * dayMs;

/** What holds for all projects of a config. */
export function policyOf(config: Config): Policy {
  return {
    boardHash: boardHash(config.board.url),
    boardUrl: config.board.url,
    formerBoards: config.board.formerUrls.map(boardHash),
    fields: config.board.fields ?? {},
    fullEveryMs: config.fullEvery,
    budgetMs: config.budget,
    waits: { createMs: config.waits.create, patchMs: config.waits.patch },
    pace: config.tracker.pace,
    trackerUrl: config.tracker.url,
    projectKeys: config.projects.map(({ project }) => project),
    repositories: namedRepositories(config),
    trustedAuthors: config.tracker.trustedAuthors,
    concurrency: config.board.concurrency,
    // A digest tells of all that it is about, also where it comes late.
    keepMs: Math.max(config.keep, (config.notices?.digest ?? "never") === "never" ? 0 : digestMs),
  };
}

/** The projects of a config, as the sync knows them. */
export function syncProjects(config: Config): readonly SyncProject[] {
  const { dialect } = kindOf(config.tracker);
  return config.projects.map((project) => {
    const { title, body, postUrl } = project.issue;
    const templates = { title, body, postUrl };
    return {
      key: project.project,
      settings: settingsOf(project, config),
      templates,
      renderer: createRenderer(templates, dialect),
      periodMs: (now) => createTimes(project.schedule ?? config.schedule, config.timezone).periodMs(now),
    };
  });
}

/** A key of a project that is no setting of its rows has to be taken out here: it would be part of `settingsPrint`. */
function settingsOf(project: ProjectConfig, config: Config): Omit<Settings, "project"> {
  const { project: _, schedule: __, changelog: ___, import: ____, rules, boardRules = [], ...same } = project;
  const { title: _title, body: _body, postUrl: _postUrl, ...issue } = project.issue;
  const { categories } = config.board.mcp?.tools ?? {};
  return {
    ...same,
    issue,
    select: selectOf(project.select),
    rules: rules?.map((rule) => ruleOf(rule, project.repo)) ?? defaultRules(),
    boardRules,
    ...changelogOf(project, config),
    ...importOf(project, config),
    ...(categories !== undefined && { categoryArgs: categories.args }),
    settleMs: config.settle,
    guard: config.guard,
  };
}

function changelogOf({ changelog }: ProjectConfig, { board }: Config): Pick<Settings, "changelog"> {
  if (changelog === undefined) return {};
  const { changelogList, changelogCreate, changelogUpdate, changelogPublish } = board.mcp?.tools ?? {};
  const args = {
    ...(changelogList && { list: changelogList.args }),
    ...(changelogCreate && { create: changelogCreate.args }),
    ...(changelogUpdate && { update: changelogUpdate.args }),
    ...(changelogPublish && { publish: changelogPublish.args }),
  };
  return { changelog: { ...changelog, body: changelog.body ?? defaultBody, args } };
}

function importOf({ import: given }: ProjectConfig, { board }: Config): Pick<Settings, "import"> {
  const args = board.mcp?.tools.feedbackCreate?.args ?? {};
  return given === undefined ? {} : { import: { ...given, args } };
}

/** Posts that are archived stay out, unless any condition says something else of them. */
function selectOf(given: ProjectConfig["select"]): Select {
  const named = leavesOf(selectGroup({ ...given, isArchivedDefault: false }));
  const isArchivedDefault = named.every(({ field }) => field !== "isArchived");
  return { ...given, ...(isArchivedDefault && { archived: false }), isArchivedDefault };
}

function ruleOf({ when = {}, set }: NonNullable<ProjectConfig["rules"]>[number], repo: string): Rule {
  const { projectStatus, pullRequest: wanted, fromAnyone, ...others } = when;
  const pullRequest: PullRequestWish | undefined =
    wanted !== undefined && fromAnyone === true ? `${wanted} from anyone` : wanted;
  const known = { ...others, ...(pullRequest !== undefined && { pullRequest }) };
  if (projectStatus === undefined) return { when: known, set };
  const owner = projectStatus.owner ?? ownerOf(repo);
  return { when: { ...known, projectStatus: { ...projectStatus, owner } }, set };
}

function ownerOf(repo: string): string {
  return repo.slice(0, repo.indexOf("/"));
}
