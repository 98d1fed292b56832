import { buildWorld } from "../../app.ts";
import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { countVoters } from "../../sync/ground/voters.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import type { Carried } from "../../sync/handed.ts";
import { sayNotified } from "../../sync/orders/foresight.ts";
import { type RunResult, runProjects } from "../../sync/run.ts";
import { count } from "../../sync/tell/words.ts";
import { inSession, type Session } from "../open/session.ts";
import { placeOfState, withPrivateCopy } from "../open/state.ts";
import { isAgreed } from "../print/agree.ts";
import { type CommandCall, exitOf, readWhole } from "../print/terminal.ts";
import { exitOfResult } from "../reports/run.ts";
import { printLook, printUndone, reportUndo, sayNothing } from "../reports/undo.ts";
import { carryOut, type WaitOptions } from "./carry-out.ts";

interface UndoOptions extends WaitOptions {
  readonly yes?: boolean;
}

/**
 * `boardsync undo RUN`: takes back what a run has written, where nobody has touched it since. Looks first, on a private copy of
 * the state; shows that, and asks; then just that is done, as a run of its own. A daemon that has the state makes it.
 */
export function undo(called: CommandCall<UndoOptions>): Promise<number> {
  const [text = ""] = called.args;
  return inSession(called, async (session) => {
    const number = readNumber(text);
    const { terminal, options, clean } = session;
    const looked = await withPrivateCopy(placeOfState(terminal, session.config), (copy) =>
      lookAt(session, copy, number),
    );
    if (typeof looked === "string") return sayNothing(terminal, options, number, looked);
    const { result: look, concerned } = looked;
    const end = (carried: Carried, isLook: boolean): number => {
      printUndone(terminal, options, clean(reportUndo(number, carried, isLook)), carried.projectsAfter);
      return exitOfResult(carried.report.result);
    };
    const actions = look.saved.flatMap((project) => project.actions);
    if (actions.length === 0 || terminal.signal.aborted) return exitOf(terminal, end(look, true));
    if (options.json !== true && options.quiet !== true)
      printLook(terminal, clean(actions), clean(look.report));
    const notified = sayNotified(
      countVoters(actions.flatMap(({ lines }) => lines.map(({ notifies }) => notifies))),
    );
    if (!(await isAgreed(terminal, options, `Undo this, ${count(actions.length, "write")}? ${notified}`)))
      return sayNothing(terminal, options, number, "Nothing was changed.");
    const order = { kind: "undo", run: number, agreed: look.saved } as const;
    const asked = { command: "undo", projects: concerned, order } as const;
    return carryOut(session, asked, (carried) => end(carried, false));
  });
}

/** What an undo would do now; a sentence where it is nothing. */
async function lookAt(
  session: Session,
  copy: Ledger,
  number: number,
): Promise<string | { readonly result: RunResult; readonly concerned: readonly SyncProject[] }> {
  const concerned = await findConcerned(session, copy, number);
  const loss = await lossOf(copy, number);
  if (concerned.length === 0) return loss ?? "It has written nothing that this state still knows of.";
  if (loss !== undefined) session.log.warn({ run: number }, loss);
  const world = buildWorld(session.config, session.sides, copy, session.machine);
  const order = { kind: "undo", run: number, agreed: undefined } as const;
  return { result: await runProjects(concerned, world, order, session.terminal.signal), concerned };
}

function readNumber(text: string): number {
  const number = readWhole(text);
  if (number > 0) return number;
  throw new ConfigError([`\`${text}\` is no run: give its number, as \`boardsync history\` shows it.`]);
}

/** What is not known of a run any more, as a sentence; undefined where all of it is. */
async function lossOf({ upkeep }: Ledger, number: number): Promise<string | undefined> {
  const { pruned } = await upkeep.size();
  if (pruned === undefined || number > pruned.run) return undefined;
  const before = new Date(pruned.before).toISOString();
  return `What it may have written before ${before} was deleted from the history (\`keep\` in the config) and can't be undone.`;
}

/** The projects of the config that the run has written for. */
async function findConcerned(
  { projects }: Session,
  ledger: Ledger,
  number: number,
): Promise<readonly SyncProject[]> {
  const writes = await ledger.journal.writesOf(number);
  const last = (await ledger.runs.lastOfAll()) ?? 0;
  if (writes.length === 0 && number > last) {
    throw new ConfigError([
      `There is no run ${number}: ${last === 0 ? "none has ended yet" : `the last one is ${last}`}.`,
    ]);
  }
  const found = projects.filter(({ key }) => {
    const id = ledger.memory.project(key)?.id;
    return writes.some(({ project }) => project === id);
  });
  const known = new Set(found.map(({ key }) => ledger.memory.project(key)?.id));
  const strangers = writes.filter(({ project }) => !known.has(project)).length;
  if (strangers > 0) {
    throw new ConfigError([
      `Run ${number} has made ${count(strangers, "write")} for a project that the config does not name any more. Nothing was undone: name it again first.`,
    ]);
  }
  return found;
}
