import { ConfigError } from "../../errors.ts";
import type { HeldAction } from "../../ledger/rows.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import {
  countVoters,
  type Group,
  groupAlike,
  nameGroup,
  showVoters,
  type Voters,
} from "../../sync/tell/alike.ts";
import { describeWritten } from "../../sync/tell/waiting-lines.ts";
import { type Beside, besideRuns, findProject } from "../open/beside.ts";
import { printJson } from "../print/json.ts";
import { type Column, printRecords } from "../print/table.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { count, oneLine, printLine } from "../print/text.ts";

interface ApproveOptions extends CommonOptions {
  readonly discard?: boolean;
  readonly full?: boolean;
  readonly yes?: boolean;
}

/** `boardsync approve PROJECT [POST…]`: lets held actions go, or takes both sides as they are. */
export function approve(
  terminal: Terminal,
  options: ApproveOptions,
  key: string,
  names: readonly string[],
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const project = findProject(beside, key);
    const posts = names.map((name) => (name.startsWith(`${key}/`) ? name.slice(key.length + 1) : name));
    const all = await beside.ledger.rows.held(project);
    const held = posts.length === 0 ? all : all.filter(({ post }) => posts.includes(post));
    refuseUnknown(key, posts, all);
    const hold = posts.length === 0 ? await readHold(beside, key) : undefined;
    if (held.length === 0 && hold === undefined) return say(terminal, options, key, [], "Nothing is held.");
    if (options.json !== true && options.quiet !== true) show(terminal, options, held, hold);
    if (!(await isAgreed(terminal, options, held, hold))) {
      return say(terminal, options, key, [], "Nothing was changed.");
    }
    await request(beside, project, options, held, hold, posts.length === 0);
    const verb = options.discard === true ? "discarded: both sides stay as they are" : "approved";
    const what =
      hold === undefined ? `${count(held.length, "action")} ${verb}` : "the board's present size is accepted";
    return say(terminal, options, key, held, `${what}. The next run does it.`);
  });
}

/** Why the last run held the whole project, if it did: the board had shrunk. */
async function readHold({ ledger }: Beside, key: string): Promise<string | undefined> {
  const report = (await ledger.runs.last(key))?.report;
  if (typeof report !== "object" || report === null || !("hold" in report)) return undefined;
  return typeof report.hold === "string" ? report.hold : undefined;
}

function refuseUnknown(key: string, posts: readonly string[], held: readonly HeldAction[]): void {
  const unknown = posts.filter((name) => !held.some(({ post }) => post === name));
  if (unknown.length === 0) return;
  const known = [...new Set(held.map(({ post }) => post))].slice(0, 20).join(", ");
  throw new ConfigError(
    unknown.map((post) => `Nothing of the post \`${post}\` of ${key} is held. Held are: ${known || "none"}.`),
  );
}

function show(
  terminal: Terminal,
  { full }: ApproveOptions,
  held: readonly HeldAction[],
  hold: string | undefined,
): void {
  if (hold !== undefined) printLine(terminal.out, "Held: ", oneLine(hold));
  if (held.length > 0) printRecords(terminal.out, columns, groupAlike(held, kindOf, full));
}

type Line = Group<HeldAction>;

const columns: readonly Column<Line>[] = [
  { title: "post", show: (line) => nameGroup(line, ({ post }) => post) },
  { title: "title", show: (line) => nameGroup(line, ({ title }) => title ?? "–") },
  {
    title: "action",
    show: ({ first, all }) => (all.length > 1 ? `${all.length} × ${first.kind}` : first.kind),
  },
  { title: "what", show: ({ first }) => describe(first) },
  { title: "voters", show: ({ all }) => showVoters(votersOf(all)) },
  { title: "held because", show: ({ first }) => first.message },
];

/** Alike is what does the same for the same reason. */
function kindOf(held: HeldAction): string {
  return JSON.stringify([held.kind, describe(held), held.message]);
}

function describe({ planned }: HeldAction): string {
  return planned === undefined ? "–" : describeWritten(planned, true);
}

function votersOf(held: readonly HeldAction[]): Voters {
  return countVoters(held.map(({ planned }) => (planned === undefined ? null : planned.notifies)));
}

/** Asks on a terminal; elsewhere somebody must have said so with `--yes`. */
async function isAgreed(
  terminal: Terminal,
  options: ApproveOptions,
  held: readonly HeldAction[],
  hold: string | undefined,
): Promise<boolean> {
  if (options.yes === true) return true;
  if (terminal.ask === undefined) {
    throw new ConfigError(["There is nobody to ask here: say `--yes` to agree."]);
  }
  const question = questionOf(options, held, hold);
  return /^y(es)?$/i.test((await terminal.ask(`${question} [y/N] `)).trim());
}

function questionOf(
  { discard }: ApproveOptions,
  held: readonly HeldAction[],
  hold: string | undefined,
): string {
  const what = count(held.length, "action");
  if (discard === true) return `Leave both sides as they are, for ${what}? No voter will be mailed.`;
  if (hold !== undefined)
    return "Is the board as small as it looks? What it no longer lists counts as missing then.";
  const voters = votersOf(held);
  const mailed = voters.known + voters.unknown === 0 ? "No voter" : `${capital(showVoters(voters))} voters`;
  return `Let ${held.length === 1 ? "this action" : `these ${what}`} go? ${mailed} will be mailed.`;
}

function capital(text: string): string {
  return text === "?" ? "An unknown number of" : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

async function request(
  { ledger, now }: Beside,
  project: ProjectId,
  { discard }: ApproveOptions,
  actions: readonly HeldAction[],
  hold: string | undefined,
  isWhole: boolean,
): Promise<void> {
  const asked = { project, at: now };
  if (hold !== undefined)
    await ledger.commit([{ kind: "add-request", request: { ...asked, kind: "accept-size" } }]);
  if (actions.length === 0) return;
  if (discard === true) {
    const posts: readonly PostId[] = [...new Set(actions.map(({ post }) => post))];
    await ledger.commit([{ kind: "add-request", request: { ...asked, kind: "discard", posts } }]);
  } else if (hold === undefined) {
    const names = actions.map(({ post, kind, signature }) => ({ post, kind, signature }));
    await ledger.commit([
      { kind: "add-request", request: { ...asked, kind: "approve", actions: names, isWhole } },
    ]);
  }
}

function say(
  terminal: Terminal,
  options: ApproveOptions,
  project: string,
  actions: readonly HeldAction[],
  message: string,
): number {
  if (options.json === true) {
    const listed = actions.map(({ post, title, kind, message, planned }) => {
      const { place: issue = null, changes = [], notifies = null } = planned ?? {};
      return { post, title, kind, issue, changes, notifies, held: message };
    });
    printJson(terminal.out, { project, actions: listed, discarded: options.discard === true, message });
  } else if (options.quiet !== true) {
    printLine(terminal.out, `${project}: `, message);
  }
  return exitCodes.ok;
}
