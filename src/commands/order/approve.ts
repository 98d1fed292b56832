import { ConfigError } from "../../errors.ts";
import type { HeldAction } from "../../ledger/rows.ts";
import type { ProjectId } from "../../model/post.ts";
import {
  describeHeld,
  type Held,
  likenessOfHeld,
  readHeld,
  requestsForHeld,
  sayMailed,
  votersOfHeld,
} from "../../sync/orders/held.ts";
import { type Group, groupAlike, nameGroup, showVoters } from "../../sync/tell/alike.ts";
import { type Beside, besideRuns, findProject } from "../open/beside.ts";
import { isAgreed } from "../print/agree.ts";
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
    const posts = await findHeld(beside, { key, project }, names);
    const held = await readHeld(beside.ledger, { key, project }, posts);
    const { actions, hold } = held;
    if (actions.length === 0 && hold === undefined)
      return say(terminal, options, key, [], "Nothing is held.");
    if (options.json !== true && options.quiet !== true) show(terminal, options, held);
    if (!(await isAgreed(terminal, options, questionOf(options, held)))) {
      return say(terminal, options, key, [], "Nothing was changed.");
    }
    const answer = { isDiscard: options.discard === true, isWhole: posts.length === 0 };
    for (const request of requestsForHeld(held, answer, { project, at: beside.now }))
      await beside.ledger.commit([{ kind: "add-request", request }]);
    const verb = options.discard === true ? "discarded: both sides stay as they are" : "approved";
    const what =
      hold === undefined
        ? `${count(actions.length, "action")} ${verb}`
        : "the board's present size is accepted";
    return say(terminal, options, key, actions, `${what}. The next run does it.`);
  });
}

/** The posts that `POST` or `PROJECT/POST` means, of those of which something is held. */
async function findHeld(
  { ledger }: Beside,
  { key, project }: { readonly key: string; readonly project: ProjectId },
  names: readonly string[],
): Promise<readonly string[]> {
  const known = new Set<string>((await ledger.rows.held(project)).map(({ post }) => post));
  const problems: string[] = [];
  const posts = names.flatMap((name) => {
    const inner = name.startsWith(`${key}/`) ? [name.slice(key.length + 1)] : [];
    const found = [name, ...inner].filter((post) => known.has(post));
    if (found.length > 1)
      problems.push(`\`${name}\` is ambiguous. Write one of: ${inner.join()}, ${key}/${name}.`);
    if (found.length === 0) {
      const listed = [...known].slice(0, 20).join(", ");
      problems.push(
        `Nothing of the post \`${inner[0] ?? name}\` of ${key} is held. Held are: ${listed || "none"}.`,
      );
    }
    return found;
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return posts;
}

function show(terminal: Terminal, { full }: ApproveOptions, { actions, hold }: Held): void {
  if (hold !== undefined) printLine(terminal.out, "Held: ", oneLine(hold));
  if (actions.length > 0) printRecords(terminal.out, columns, groupAlike(actions, likenessOfHeld, full));
}

type Line = Group<HeldAction>;

const columns: readonly Column<Line>[] = [
  { title: "post", show: (line) => nameGroup(line, ({ post }) => post) },
  { title: "title", show: (line) => nameGroup(line, ({ title }) => title ?? "–") },
  {
    title: "action",
    show: ({ first, all }) => (all.length > 1 ? `${all.length} × ${first.kind}` : first.kind),
  },
  { title: "what", show: ({ first }) => describeHeld(first) },
  { title: "voters", show: ({ all }) => showVoters(votersOfHeld(all)) },
  { title: "held because", show: ({ first }) => first.message },
];

function questionOf({ discard }: ApproveOptions, { actions, hold }: Held): string {
  const what = count(actions.length, "action");
  if (discard === true) return `Leave both sides as they are, for ${what}? No voter will be mailed.`;
  if (hold !== undefined)
    return "Is the board as small as it looks? What it no longer lists counts as missing then.";
  const which = actions.length === 1 ? "this action" : `these ${what}`;
  return `Let ${which} go? ${sayMailed(votersOfHeld(actions))}`;
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
