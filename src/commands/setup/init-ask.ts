import { apiUrl, repository, webAddress } from "../../config/values.ts";
import { ConfigError, ProjectError, RemoteError } from "../../errors.ts";
import type { BoardProject } from "../../model/post.ts";
import { inOrder } from "../../select.ts";
import { requireProject } from "../../sync/read/identify.ts";
import type { Terminal } from "../print/terminal.ts";
import { oneLine } from "../print/text.ts";

/** A question is asked so often at most; whoever can't answer it by then reads first. */
const mostAttempts = 5;

interface Question<T> {
  /** The answer, where it is known without asking. */
  readonly given?: string | undefined;
  /** The flag or variable that gives it. */
  readonly by: string;
  /** Whether what is typed is not to be shown. */
  readonly isSecret?: boolean;
  readonly text: string;
  readonly judge: (answer: string) => T | Promise<T>;
}

/** @throws ConfigError where there is nobody to ask, and whatever the last answer was refused with. */
export async function askUntil<T>(terminal: Terminal, question: Question<T>): Promise<T> {
  const { given, by, isSecret = false, text, judge } = question;
  if (given !== undefined) return judge(given);
  const ask = isSecret ? terminal.askSecret : terminal.ask;
  if (ask === undefined) throw new ConfigError([`There is nobody to ask here: say it with \`${by}\`.`]);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(text);
    if (answer === undefined) throw new ConfigError(["The input ended. Nothing was written."]);
    try {
      return await judge(answer.trim());
    } catch (error) {
      const isRefused = error instanceof RemoteError && error.fault === "unauthorized";
      if (attempt === mostAttempts || !(isRefused || error instanceof ConfigError)) throw error;
      terminal.err.write(`${oneLine(error.message)}\n`);
    }
  }
}

/** A schema of one setting. */
interface Setting {
  safeParse(text: string): {
    readonly data?: string | undefined;
    readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
  };
}

/** @throws ConfigError with what is wrong with it, as the config would say it. */
function judge(text: string, subject: string, ...settings: readonly Setting[]): string {
  return settings.reduce((value, setting) => {
    const { data, error } = setting.safeParse(value);
    if (data !== undefined) return data;
    throw new ConfigError([`\`${withoutSecret(text)}\`: ${subject} ${error?.issues.at(-1)?.message}`]);
  }, text.trim());
}

/** Where an address may hold a password or a key. */
function withoutSecret(text: string): string {
  return text.replace(/^.*@/s, "…@").replace(/[?#].*/s, "…");
}

/** The address of the board's API. */
export function judgeBoard(url: string): string {
  return judge(url, "the board's address", apiUrl(), webAddress());
}

/** The address of GitHub's API, from that of the server or of its API; undefined for that of github.com. */
export function judgeGitHub(address: string): string | undefined {
  const full = address.includes("://") ? address : `https://${address}`;
  if (/^https:\/\/(?:www\.|api\.)?github\.com\/?$/i.test(full)) return undefined;
  const url = judge(full, "GitHub's address", apiUrl("https://HOST/api/v3"), webAddress());
  const { protocol, pathname, host } = new URL(url);
  // Plain http goes to this machine alone, to something that stands in for GitHub: it is taken as it is written.
  if (protocol !== "https:" || pathname !== "/" || /^api\..+\.ghe\.com$/.test(host)) return url;
  return host.endsWith(".ghe.com") ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** A project of the board, and the repository whose issues belong to it. */
interface Pair {
  readonly project: BoardProject;
  readonly repo: string;
}

/** Pairs that flags have named as `PROJECT=OWNER/REPO`. */
export function readPairs(listed: readonly BoardProject[], pairs: readonly string[]): readonly Pair[] {
  return pairs.map((pair) => {
    const end = pair.lastIndexOf("=");
    const key = pair.slice(0, Math.max(0, end));
    if (end < 1)
      throw new ConfigError([`\`--project ${pair}\`: write PROJECT=OWNER/REPO, as in acme-app=acme/app`]);
    return { project: nameProject(listed, key), repo: judgeRepository(pair.slice(end + 1)) };
  });
}

function nameProject(listed: readonly BoardProject[], key: string): BoardProject {
  try {
    return requireProject(listed, key);
  } catch (error) {
    throw error instanceof ProjectError ? new ConfigError([error.message]) : error;
  }
}

/** Asks of every project which repository it belongs to. */
export async function askPairs(
  terminal: Terminal,
  listed: readonly BoardProject[],
): Promise<readonly Pair[]> {
  const pairs = await inOrder(listed, (project) =>
    askUntil(terminal, {
      by: "--project",
      text: `The repository of ${oneLine(`${project.name} (${project.slug ?? project.id})`)}, as OWNER/REPO; empty leaves the project out: `,
      judge: (answer) => (answer === "" ? undefined : { project, repo: judgeRepository(answer) }),
    }),
  );
  return pairs.filter((pair) => pair !== undefined);
}

function judgeRepository(name: string): string {
  return judge(name, "it", repository());
}
