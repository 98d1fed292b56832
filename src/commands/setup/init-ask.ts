import { configSchema } from "../../config/schema.ts";
import { judgeBoardKey, readBoardKey } from "../../config/secrets.ts";
import { isExposed, repository } from "../../config/values.ts";
import { ConfigError } from "../../errors.ts";
import type { BoardProject } from "../../model/post.ts";
import { pickProject, unknownProject } from "../../sync/read/identify.ts";
import type { Terminal } from "../print/terminal.ts";
import { oneLine } from "../print/text.ts";

/** A question is asked so often at most; whoever can't answer it by then reads first. */
const mostAttempts = 5;

/** A project of the board, and the repository whose issues belong to it. */
export interface ChosenProject {
  readonly project: BoardProject;
  readonly repo: string;
}

/** The settings of the board at an address that was given or is asked for. */
export async function askBoard(terminal: Terminal, given: string | undefined) {
  if (given !== undefined) return judgeBoard(given);
  const example = "https://feedback.example.com/api/v1";
  return askUntil(
    terminal,
    `The address of the board's API, such as ${example}: `,
    "--board-url",
    judgeBoard,
  );
}

function judgeBoard(url: string) {
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

/** The address of a GitHub of one's own. */
export function judgeGitHub(url: string): string {
  const { data, error } = configSchema.shape.tracker.safeParse({ url: url.trim() });
  const why = error?.issues[0]?.message ?? "must be https";
  if (data !== undefined && !isExposed(data.url)) return data.url;
  throw new ConfigError([`\`${url}\`: GitHub's address ${why}`]);
}

/** The board's key, from the environment or from a person; it is never written anywhere. */
export async function askKey(
  terminal: Terminal,
  source: Parameters<typeof readBoardKey>[0],
): Promise<string> {
  const known = readBoardKey(source);
  if (known !== undefined) return known;
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

/** Pairs that flags have named as `PROJECT=OWNER/REPO`. */
export function readPairs(
  listed: readonly BoardProject[],
  pairs: readonly string[],
): readonly ChosenProject[] {
  const chosen = pairs.map((pair) => {
    const end = pair.lastIndexOf("=");
    const key = pair.slice(0, Math.max(0, end));
    const project = pickProject(listed, key);
    if (end < 1)
      throw new ConfigError([`\`--project ${pair}\`: write PROJECT=OWNER/REPO, as in acme-app=acme/app`]);
    if (project === undefined) throw new ConfigError([unknownProject(listed, key).message]);
    return { project, repo: judgeRepository(pair.slice(end + 1)) };
  });
  const twice = chosen.find(
    ({ project }, index) => chosen.findIndex((one) => one.project === project) < index,
  );
  if (twice === undefined) return chosen;
  throw new ConfigError([
    `\`${twice.project.slug ?? twice.project.id}\` is named twice; a project stands once in the file`,
  ]);
}

/** Asks of every project which repository it belongs to. */
export async function askPairs(
  terminal: Terminal,
  listed: readonly BoardProject[],
): Promise<readonly ChosenProject[]> {
  const chosen: ChosenProject[] = [];
  for (const project of listed) {
    const name = oneLine(`${project.name} (${project.slug ?? project.id})`);
    const question = `The repository of ${name}, as OWNER/REPO; empty leaves the project out: `;
    const repo = await askUntil(terminal, question, "--project", (answer) =>
      answer.trim() === "" ? undefined : judgeRepository(answer.trim()),
    );
    if (repo !== undefined) chosen.push({ project, repo });
  }
  return chosen;
}

function judgeRepository(text: string): string {
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

/** @throws ConfigError where there is nobody to ask, or no answer will do. */
async function askUntil<T>(
  { ask, err }: Terminal,
  question: string,
  flag: string,
  judge: (answer: string) => T,
): Promise<T> {
  if (ask === undefined) throw new ConfigError([`There is nobody to ask here: say it with \`${flag}\`.`]);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return judge(await ask(question));
    } catch (error) {
      if (!(error instanceof ConfigError) || attempt === mostAttempts) throw error;
      err.write(`${oneLine(error.message)}\n`);
    }
  }
}
