import { buildWorld } from "../../app.ts";
import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { SavedProject } from "../../sync/ground/reports.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { type RunResult, runProjects } from "../../sync/run.ts";
import { exitOf, inSession, type Session } from "../open/session.ts";
import { placeOfState, withPrivateCopy, withState } from "../open/state.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { count } from "../print/text.ts";
import { exitOfResult } from "../reports/run.ts";
import { printLook, printUndone, reportUndo, sayNothing } from "../reports/undo.ts";

/** The options of `undo`. */
export interface UndoOptions extends CommonOptions {
  readonly yes?: boolean;
}

/**
 * `boardsync undo RUN`: takes back what a run has written, where nobody has touched it since. Looks first, on a private copy of
 * the state; shows that, and asks; then does just that, as a run of its own. Needs the state for itself all the while.
 */
export function undo(terminal: Terminal, options: UndoOptions, text: string): Promise<number> {
  return inSession(terminal, options, (session) => {
    const number = readNumber(text);
    const state = placeOfState(terminal, session.config);
    return withState(terminal, session.machine.log, "undo", state, session.projects, async (ledger) => {
      const concerned = await findConcerned(session, ledger, number);
      if (concerned.length === 0) {
        return sayNothing(
          session.terminal,
          options,
          number,
          (await lossOf(ledger, number)) ?? "It has written nothing that this state still knows of.",
        );
      }
      const loss = await lossOf(ledger, number);
      if (loss !== undefined) session.log.warn({ run: number }, loss);
      const take = (on: Ledger, agreed: readonly SavedProject[] | undefined): Promise<RunResult> => {
        const world = buildWorld(session.config, session.sides, on, session.machine);
        return runProjects(concerned, world, { kind: "undo", run: number, agreed }, terminal.signal);
      };
      const look = await withPrivateCopy(terminal, state, (copy) => take(copy, undefined));
      const actions = look.saved.flatMap((project) => project.actions);
      const end = (result: RunResult): number => {
        const report = session.clean(reportUndo(number, result, result === look));
        printUndone(session.terminal, options, report, result.projectsAfter);
        return exitOf(terminal, exitOfResult(result.report.result));
      };
      if (actions.length === 0 || terminal.signal.aborted) return end(look);
      if (options.json !== true && options.quiet !== true) {
        printLook(session.terminal, session.clean(actions), session.clean(look.report));
      }
      if (!(await isAgreed(session.terminal, options, actions.length))) {
        return sayNothing(session.terminal, options, number, "Nothing was changed.");
      }
      return end(await take(ledger, look.saved));
    });
  });
}

function readNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
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
  const last = (await ledger.runs.last(undefined))?.run ?? 0;
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

/** Asks on a terminal; elsewhere somebody must have said so with `--yes`. */
async function isAgreed(terminal: Terminal, { yes }: UndoOptions, actions: number): Promise<boolean> {
  if (yes === true) return true;
  if (terminal.ask === undefined)
    throw new ConfigError(["There is nobody to ask here: say `--yes` to agree."]);
  const answer = await terminal.ask(`Undo this, ${count(actions, "write")}? Voters may be mailed. [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}
