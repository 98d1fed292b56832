import { ConfigError } from "../../errors.ts";
import type { HeldAction } from "../../ledger/rows.ts";
import { inOrder } from "../../select.ts";
import {
  describeHeld,
  foreseeHeld,
  type HeldForesight,
  likenessOfHeld,
  votersOfHeld,
} from "../../sync/orders/approve.ts";
import { type NamedProject, sayNotified } from "../../sync/orders/foresight.ts";
import { foreseePublish } from "../../sync/orders/publish.ts";
import { count } from "../../sync/tell/words.ts";
import { type Beside, type BesideCall, besideRuns, findProject, postWithin } from "../open/beside.ts";
import { findTargets, type TargetOptions } from "../open/targets.ts";
import { type Block, printBlocks } from "../print/blocks.ts";
import type { CommandCall, CommonOptions } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";
import { entryNamed, isOrdered, tell, timesOf } from "./tell.ts";

interface ApproveOptions extends CommonOptions, Pick<TargetOptions, "code"> {
  readonly discard?: boolean;
  readonly full?: boolean;
  readonly yes?: boolean;
}

interface HeldPart {
  readonly named: NamedProject;
  readonly seen: HeldForesight;
}

/** `boardsync approve`: lets held actions of a project or of posts go, or takes both sides as they are. */
export function approve(called: CommandCall<ApproveOptions>): Promise<number> {
  const { options } = called;
  const words = [called.args[0] ?? "", ...called.rest];
  const entry = entryNamed(words);
  return besideRuns(called, async (call) => {
    if (entry !== undefined) return approveEntry(call, entry.key, entry.tag);
    const { discard = false } = options;
    const asked = await findAsked(call, words, options);
    const found = await inOrder(asked, async ({ named, posts }) => ({
      named,
      seen: await foreseeHeld(call, named, posts, discard),
    }));
    const parts = found.flatMap(({ named, seen }) => ("nothing" in seen ? [] : [{ named, seen }]));
    const project = asked.length === 1 ? (asked[0]?.named.key ?? null) : null;
    const say = (done: readonly HeldPart[], message: string): number => {
      const actions = done.flatMap(({ named, seen }) =>
        seen.actions.map((action) => ({
          ...(project === null && { project: named.key }),
          ...toDocument(action),
        })),
      );
      return tell(call, { project, actions, discarded: discard, message }, message);
    };
    const [first] = parts;
    if (first === undefined) return say([], "Nothing is to approve.");
    const whole = parts.length === 1 ? first.seen : joinParts(first.seen, parts, discard);
    showHeld(call, whole);
    const isAsked = await isOrdered(call, whole, questionOf(options, whole), []);
    return isAsked ? say(parts, `${whole.done}. The next run does it.`) : say([], "Nothing was changed.");
  });
}

/** `boardsync approve PROJECT changelog:TAG`: the next run publishes a draft of the changelog. */
async function approveEntry(call: BesideCall<ApproveOptions>, key: string, tag: string): Promise<number> {
  const { terminal, options } = call;
  if (options.discard === true)
    throw new ConfigError(["A draft of the changelog is not discarded: delete it on the board."]);
  const seen = await foreseePublish(call, { key, project: findProject(call, key) }, tag);
  const say = (message: string, approved: boolean): number =>
    tell(call, { project: key, changelog: tag, approved, message }, message);
  if ("nothing" in seen && seen.isUnknown === true) throw new ConfigError([seen.nothing]);
  if ("nothing" in seen) return say(seen.nothing, false);
  if (options.json !== true && options.quiet !== true) {
    const posts = seen.posts === 1 ? "1 post" : `${seen.posts} posts`;
    const url = seen.url === undefined ? "" : `, ${seen.url}`;
    printLine(terminal.out, "", oneLine(`${seen.title}: ${posts}${url}`));
  }
  const question = seen.isDraft ? "Make it?" : "Publish it?";
  if (!(await isOrdered(call, seen, `${question} ${seen.notified}`, seen.effects)))
    return say("Nothing was changed.", false);
  const next = seen.isDraft ? "makes the draft" : "publishes it, or says when";
  return say(`changelog ${tag} approved. The next run ${next}.`, true);
}

/** Held of posts of several projects. A whole project is always asked for by itself. */
function joinParts(first: HeldForesight, parts: readonly HeldPart[], isDiscard: boolean): HeldForesight {
  const actions = parts.flatMap((part) => part.seen.actions);
  const counted = count(actions.length, "action");
  return {
    ...first,
    actions,
    counted,
    notified: isDiscard ? first.notified : sayNotified(votersOfHeld(actions)),
    done: `${counted} ${isDiscard ? "discarded: both sides stay as they are" : "approved"}`,
    asks: (agreed) => parts.flatMap((part) => part.seen.asks(agreed)),
  };
}

/** The projects that the words name, each with its posts; with none of these all that is held of it. */
async function findAsked(
  beside: Beside,
  words: readonly string[],
  options: ApproveOptions,
): Promise<readonly { readonly named: NamedProject; readonly posts: readonly string[] }[]> {
  const [key = "", ...names] = words;
  const isProject = beside.config.projects.some(({ project }) => project === key);
  if (isProject && options.code === undefined) {
    const named = { key, project: findProject(beside, key) };
    return [{ named, posts: await findHeld(beside, named, names) }];
  }
  const targets = await findTargets(beside, words, options);
  const posts = targets.kind === "posts" ? targets.posts : [];
  return [...Map.groupBy(posts, ({ key: one }) => one)].map(([one, all]) => ({
    named: { key: one, project: all[0]?.project ?? findProject(beside, one) },
    posts: all.map(({ post }) => post),
  }));
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
    const inner = postWithin(key, name);
    const found = [name, inner].filter((post) => post !== undefined).filter((post) => known.has(post));
    if (found.length > 1) problems.push(`\`${name}\` is ambiguous. Write one of: ${inner}, ${key}/${name}.`);
    if (found.length === 0) {
      const listed = [...known].slice(0, 20).join(", ");
      problems.push(
        `Nothing of the post \`${inner ?? name}\` of ${key} is to approve. To approve are: ${listed || "none"}.`,
      );
    }
    return found;
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return posts;
}

function showHeld(
  call: BesideCall<ApproveOptions>,
  { actions, hold }: Pick<HeldForesight, "actions" | "hold">,
): void {
  const { out } = call.terminal;
  const { json, quiet, full } = call.options;
  if (json === true || quiet === true) return;
  const times = timesOf(call);
  if (hold !== undefined) printLine(out, "Needs you: ", oneLine(times.tell(hold)));
  for (const [why, alike] of Map.groupBy(actions, ({ message }) => message)) {
    printLine(out, "! ", oneLine(times.tell(`Needs you: ${why}:`)));
    printBlocks(out, alike.map(toBlock), ({ held }) => likenessOfHeld(held), full);
  }
}

function toBlock(held: HeldAction): Block & { readonly held: HeldAction } {
  const { post, title, planned } = held;
  const { place = null, notifies = null } = planned ?? {};
  return { post, title, place, what: describeHeld(held), notifies, why: "", held };
}

function questionOf(
  { discard }: ApproveOptions,
  { actions, counted, hold, effects, notified }: HeldForesight,
): string {
  if (discard === true) return `Leave both sides as they are, for ${counted}? ${notified}`;
  if (hold !== undefined) return `Is the board as it looks? ${effects.at(-1)} ${notified}`;
  return `Let ${actions.length === 1 ? "this action" : `these ${counted}`} go? ${notified}`;
}

function toDocument({ post, title, kind, message: held, planned }: HeldAction) {
  const { place: issue = null, changes = [], notifies = null } = planned ?? {};
  return { post, title, kind, issue, changes, notifies, held };
}
