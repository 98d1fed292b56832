import { type Config, configSchema } from "../../config/schema.ts";
import { type GitHubSecret, judgeBoardKey, judgeGitHubToken } from "../../config/secrets.ts";
import { isExposed, repository, webAddress } from "../../config/values.ts";
import { ConfigError, RemoteError } from "../../errors.ts";
import type { BoardProject } from "../../model/post.ts";
import { pickProject, unknownProject } from "../../sync/read/identify.ts";
import type { Terminal } from "../print/terminal.ts";
import { oneLine } from "../print/text.ts";

/** A question is asked so often at most; whoever can't answer it by then reads first. */
export const mostAttempts = 5;

/** A project of the board, and the repository whose issues belong to it. */
export interface ChosenProject {
  readonly project: BoardProject;
  readonly repo: string;
  /** What a person should know of the repository, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Looks whether issues can be written to a repository.
 *
 * @throws ConfigError where they can't, RemoteError where that can't be found out.
 */
export type JudgeRepository = (
  name: string,
) => Promise<{ readonly name: string; readonly notes: readonly string[] }>;

/** Asks for the board's address. */
export async function askBoard(terminal: Terminal): Promise<Config["board"]> {
  const example = "https://feedback.example.com/api/v1";
  const question = `The address of the board's API, such as ${example}: `;
  return askUntil(terminal, question, "--board-url", judgeBoard);
}

/** The settings of the board at an address. */
export function judgeBoard(url: string): Config["board"] {
  if (url.trim() === "") throw new ConfigError(["The board's address is missing."]);
  const { data, error } = configSchema.shape.board.safeParse({ url: url.trim() });
  const why = error?.issues[0]?.message;
  if (data === undefined)
    throw new ConfigError([`\`${url}\`: the board's address ${why ?? "is no address"}`]);
  if (!isExposed(data.url)) return data;
  throw new ConfigError([
    `\`${url}\`: the board's address must be https, because http would show the key to the network`,
  ]);
}

/** Asks which GitHub it is. */
export async function askGitHub(terminal: Terminal): Promise<string | undefined> {
  const question =
    "GitHub: empty for github.com, or the address of your Enterprise Server, as https://HOST: ";
  return askUntil(terminal, question, "--github-url", judgeGitHub);
}

/** The address of GitHub's API, from that of the server or of its API; undefined for that of github.com. */
export function judgeGitHub(address: string): string | undefined {
  const typed = address.trim();
  const full = typed.includes("://") || typed === "" ? typed : `https://${typed}`;
  if (/^(?:https:\/\/(?:www\.|api\.)?github\.com\/?)?$/i.test(full)) return undefined;
  const { data, error } = configSchema.shape.tracker.safeParse({ url: full });
  const why = error?.issues[0]?.message ?? "must be https";
  if (data === undefined || isExposed(data.url))
    throw new ConfigError([`\`${address}\`: GitHub's address ${why}`]);
  const { protocol, pathname, host } = new URL(data.url);
  // Plain http goes to this machine alone, to something that stands in for GitHub: it is taken as it is written.
  if (protocol !== "https:" || pathname !== "/" || /^api\..+\.ghe\.com$/.test(host)) return data.url;
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** Asks where webhooks go. */
export async function askWebhook(terminal: Terminal): Promise<string | undefined> {
  const question =
    "Where GitHub reaches the daemon, as https://HOST/webhooks/github; empty for an App without webhooks: ";
  return askUntil(terminal, question, "--webhook-url", (answer) =>
    answer.trim() === "" ? undefined : judgeWebhook(answer.trim()),
  );
}

/** An address that GitHub is to deliver to. */
export function judgeWebhook(url: string): string {
  const { data, error } = webAddress().safeParse(url);
  if (data !== undefined) return data;
  throw new ConfigError([
    `\`${url}\`: the address of webhooks ${error.issues[0]?.message ?? "is no address"}`,
  ]);
}

/** Asks for the board's key. It is never written anywhere. */
export async function askKey(terminal: Terminal): Promise<string> {
  const { askSecret } = terminal;
  if (askSecret === undefined) {
    throw new ConfigError([
      "BOARD_API_KEY is not set: set it to the board's API key, so that its projects and statuses can be looked at",
    ]);
  }
  return askUntil(
    { ...terminal, ask: askSecret },
    "The board's API key (Settings → API; it is neither shown nor stored): ",
    "BOARD_API_KEY",
    judgeBoardKey,
  );
}

/** Asks for a token of GitHub's, which is never written anywhere, either; undefined where the person has none at hand. */
export async function askToken(terminal: Terminal): Promise<GitHubSecret | undefined> {
  const { askSecret } = terminal;
  if (askSecret === undefined) return undefined;
  return askUntil(
    { ...terminal, ask: askSecret },
    "A GitHub token for the repositories (neither shown nor stored; empty: they are not looked at): ",
    "GITHUB_TOKEN",
    (typed) => (typed.trim() === "" ? undefined : judgeGitHubToken(typed)),
  );
}

/** A project of the board, and the name that stands beside it. */
type Pair = Pick<ChosenProject, "project" | "repo">;

/** Pairs that flags have named as `PROJECT=OWNER/REPO`. */
export function readPairs(listed: readonly BoardProject[], pairs: readonly string[]): readonly Pair[] {
  const named = pairs.map((pair) => {
    const end = pair.lastIndexOf("=");
    const key = pair.slice(0, Math.max(0, end));
    const project = pickProject(listed, key);
    if (end < 1)
      throw new ConfigError([`\`--project ${pair}\`: write PROJECT=OWNER/REPO, as in acme-app=acme/app`]);
    if (project === undefined) throw new ConfigError([unknownProject(listed, key).message]);
    return { project, repo: judgeName(pair.slice(end + 1)) };
  });
  const twice = named.find(({ project }, index) => named.findIndex((one) => one.project === project) < index);
  if (twice === undefined) return named;
  throw new ConfigError([
    `\`${twice.project.slug ?? twice.project.id}\` is named twice; a project stands once in the file`,
  ]);
}

/** @throws ConfigError with everything that is wrong with any of the repositories. */
export async function judgePairs(
  pairs: readonly Pair[],
  judge: JudgeRepository,
): Promise<readonly ChosenProject[]> {
  const chosen: ChosenProject[] = [];
  const problems: string[] = [];
  for (const { project, repo } of pairs) {
    try {
      const { name, notes } = await judge(repo);
      chosen.push({ project, repo: name, notes });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return chosen;
}

/** Asks of every project which repository it belongs to. */
export async function askPairs(
  terminal: Terminal,
  listed: readonly BoardProject[],
  judge: JudgeRepository,
): Promise<readonly ChosenProject[]> {
  const chosen: ChosenProject[] = [];
  for (const project of listed) {
    const name = oneLine(`${project.name} (${project.slug ?? project.id})`);
    const question = `The repository of ${name}, as OWNER/REPO; empty leaves the project out: `;
    const repository = await askUntil(terminal, question, "--project", async (answer) =>
      answer.trim() === "" ? undefined : await judge(judgeName(answer.trim())),
    );
    if (repository !== undefined) chosen.push({ project, repo: repository.name, notes: repository.notes });
  }
  return chosen;
}

function judgeName(text: string): string {
  const { data, error } = repository().safeParse(text);
  if (data !== undefined) return data;
  throw new ConfigError([`\`${text}\` ${error.issues[0]?.message ?? "is no repository"}`]);
}

/** Whether a file that is there may be replaced. */
export async function mayReplace({ ask }: Terminal, file: string): Promise<boolean> {
  if (ask === undefined) {
    throw new ConfigError([
      `${file} is there already: \`--force\` replaces it, \`--output FILE\` writes another.`,
    ]);
  }
  return /^y(es)?$/i.test((await ask(`${file} is there already. Replace it? [y/N] `)).trim());
}

/** @throws ConfigError where there is nobody to ask, and whatever the last answer was refused with. */
async function askUntil<T>(
  { ask, err }: Terminal,
  question: string,
  flag: string,
  judge: (answer: string) => T | Promise<T>,
): Promise<T> {
  if (ask === undefined) throw nobodyToAsk(flag);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await judge(await ask(question));
    } catch (error) {
      if (!isOfAnswer(error) || attempt === mostAttempts) throw error;
      for (const line of error.message.split("\n")) err.write(`${oneLine(line)}\n`);
    }
  }
}

/** The error of a question that a flag has not answered, where there is no terminal. */
export function nobodyToAsk(flag: string): ConfigError {
  return new ConfigError([`There is nobody to ask here: say it with \`${flag}\`.`]);
}

/** Whether another answer may do better. */
function isOfAnswer(error: unknown): error is Error {
  if (error instanceof RemoteError) return error.fault !== "aborted" && error.fault !== "limited";
  return error instanceof ConfigError;
}
