import { ConfigError } from "../../errors.ts";
import type { HeldAction } from "../../ledger/rows.ts";
import {
  describeHeld,
  foreseeHeld,
  type HeldForesight,
  likenessOfHeld,
  votersOfHeld,
} from "../../sync/orders/approve.ts";
import type { NamedProject } from "../../sync/orders/foresight.ts";
import { type Group, groupAlike, nameGroup, showVoters } from "../../sync/tell/alike.ts";
import { type Beside, besideRuns, findProject } from "../open/beside.ts";
import { isAgreed } from "../print/agree.ts";
import { type Column, printRecords } from "../print/table.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";
import { tell } from "./tell.ts";

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
    const { discard = false, json, quiet } = options;
    const named = { key, project: findProject(beside, key) };
    const seen = await foreseeHeld(beside, named, await findHeld(beside, named, names), discard);
    const say = (actions: readonly HeldAction[], message: string): number => {
      const document = { project: key, actions: actions.map(toDocument), discarded: discard, message };
      return tell(terminal, options, document, message);
    };
    if ("nothing" in seen) return say([], "Nothing is held.");
    if (json !== true && quiet !== true) show(terminal, options, seen);
    if (!(await isAgreed(terminal, options, questionOf(options, seen))))
      return say([], "Nothing was changed.");
    await beside.ledger.commit(seen.asks({ at: beside.now }));
    return say(seen.actions, `${seen.done}. The next run does it.`);
  });
}

/** The posts that `POST` or `PROJECT/POST` means, of those of which something is held. */
async function findHeld(
  { ledger }: Beside,
  { key, project }: NamedProject,
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

function show({ out }: Terminal, { full }: ApproveOptions, { actions, hold }: HeldForesight): void {
  if (hold !== undefined) printLine(out, "Held: ", oneLine(hold));
  if (actions.length > 0) printRecords(out, columns, groupAlike(actions, likenessOfHeld, full));
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

function questionOf(
  { discard }: ApproveOptions,
  { actions, counted, hold, effects, mailed }: HeldForesight,
): string {
  if (discard === true) return `Leave both sides as they are, for ${counted}? ${mailed}`;
  if (hold !== undefined) return `Is the board as small as it looks? ${effects.at(-1)}`;
  return `Let ${actions.length === 1 ? "this action" : `these ${counted}`} go? ${mailed}`;
}

function toDocument({ post, title, kind, message: held, planned }: HeldAction) {
  const { place: issue = null, changes = [], notifies = null } = planned ?? {};
  return { post, title, kind, issue, changes, notifies, held };
}
