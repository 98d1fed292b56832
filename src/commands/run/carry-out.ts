import { buildWorld, createCall } from "../../app.ts";
import { type AnnounceOptions, announceRun } from "../../daemon/announce.ts";
import { ConfigError, OrderError, StateHeldError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { OrderNumber } from "../../ledger/orders.ts";
import { hourMs } from "../../model/time.ts";
import type { Order } from "../../sync/ground/order.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import {
  type Carried,
  type HandedOrder,
  type HandedOutcome,
  readHandedOutcome,
  readHandedProgress,
} from "../../sync/handed.ts";
import { runProjects } from "../../sync/run.ts";
import { readHeartbeat } from "../open/heartbeat.ts";
import type { Session } from "../open/session.ts";
import { openBeside, placeOfState, whoIs, withState } from "../open/state.ts";
import { type CommonOptions, exitCodes, exitOf } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";
import { refuseOldPlan } from "./plan-file.ts";

/** The option of the commands that a daemon carries out where it has the state. */
export interface WaitOptions extends CommonOptions {
  readonly wait?: boolean;
}

/** A run that a command asks for. */
export interface AskedRun {
  readonly command: "sync" | "apply" | "undo";
  readonly projects: readonly SyncProject[];
  readonly order: Order;
}

/** An order that no daemon has taken by then is not carried out any more: whoever gave it may have gone. */
const keepMs = hourMs;
const lookMs = 500;

/**
 * Makes a run: in this process, or by the daemon that has the state.
 *
 * @param show prints what came of it, and returns the exit code.
 */
export async function carryOut(
  session: Session<WaitOptions>,
  asked: AskedRun,
  show: (carried: Carried) => number,
): Promise<number> {
  const { terminal, config, machine, sides } = session;
  const place = placeOfState(terminal, config);
  const { command, projects, order } = asked;
  try {
    return await withState(place, machine.log, command, projects, async (ledger) => {
      const world = buildWorld(config, sides, ledger, machine);
      if (order.kind === "apply") refuseOldPlan(session, order.plan, world);
      const result = await runProjects(projects, world, order, terminal.signal);
      const code = show(result);
      if (order.kind === "sync") await announceRun(result.report, announceOptions(session, ledger));
      return exitOf(terminal, code);
    });
  } catch (error) {
    if (!(error instanceof StateHeldError)) throw error;
    return handOver(session, asked, error, show);
  }
}

/** Gives the run to the daemon that has the state, and waits for what comes of it. */
async function handOver(
  session: Session<WaitOptions>,
  { command, projects, order }: AskedRun,
  held: StateHeldError,
  show: (carried: Carried) => number,
): Promise<number> {
  const { config, print, machine, terminal, options } = session;
  const ledger = await openBeside(placeOfState(terminal, config), command, true);
  if (ledger === undefined) throw held;
  try {
    if (!(await isAnyAlive(ledger))) throw held;
    const keys = projects.map(({ key }) => key);
    const handed: HandedOrder = { order, projects: keys, config: print };
    const at = machine.clock.now();
    const who = whoIs(terminal, command);
    const until = at + keepMs;
    const number = await ledger.orders.give({ at, until, who, order: handed });
    if (options.wait === false) return sayGiven(session, number);
    if (options.json !== true && options.quiet !== true)
      terminal.err.write("The daemon has the state, and carries this out. Waiting for it …\n");
    const outcome = await waitFor({ session, ledger, number, until, held });
    if (outcome.kind === "done")
      return exitOf(terminal, show({ ...outcome, carried: new Map(outcome.carried) }));
    const { problems, code, exit } = outcome;
    if (code === "config") throw new ConfigError(problems);
    throw new OrderError(problems.join("\n"), { code, exit });
  } finally {
    ledger.close();
  }
}

/** Whether a daemon is at work that could take an order, on whichever host. */
async function isAnyAlive(ledger: Ledger): Promise<boolean> {
  return (await ledger.runs.replicas()).length > 0 || (await readHeartbeat(ledger))?.isAlive === true;
}

function sayGiven({ terminal: { out }, options }: Session, order: OrderNumber): number {
  const message = "Given to the daemon. `boardsync status` and `boardsync history` show what comes of it.";
  if (options.json === true) printJson(out, { order, message });
  else if (options.quiet !== true) printLine(out, "", message);
  return exitCodes.ok;
}

/** An order that was given to the daemon which has the state. */
interface Given {
  readonly session: Session;
  readonly ledger: Ledger;
  readonly number: OrderNumber;
  /** As in `NewOrder`. */
  readonly until: number;
  readonly held: StateHeldError;
}

/**
 * What came of an order. It is taken back, where it is still nobody's, when its time is over, whoever could take it lives no more, or
 * this command is ended.
 *
 * @throws StateHeldError where nothing came of it by then; OrderError where this command is ended.
 */
async function waitFor({ session, ledger, number, until, held }: Given): Promise<HandedOutcome> {
  const { terminal, machine } = session;
  let why: string | undefined;
  for (;;) {
    const state = await ledger.orders.find(number);
    if (state?.outcome !== undefined) return readHandedOutcome(state.outcome);
    if (why !== undefined) {
      const message =
        state === undefined
          ? `${why}, and nothing was done.`
          : `${why}, and the daemon had begun with it: \`boardsync history\` shows what it writes.`;
      if (!terminal.signal.aborted) throw new StateHeldError(message);
      throw new OrderError(message, { code: "run.stopped", exit: exitOf(terminal, exitCodes.busy) });
    }
    if (state === undefined) throw held;
    if (state.progress !== undefined) machine.progress?.show(readHandedProgress(state.progress));
    const isAlive = await isAnyAlive(ledger);
    if (terminal.signal.aborted) why = "This command was ended";
    else if (!isAlive) why = `${held.message} It gives no sign of life`;
    else if (state.takenBy === undefined && machine.clock.now() > until)
      why = `${held.message} It had not come to it within an hour`;
    if (why === undefined) await machine.clock.sleep(lookMs, terminal.signal);
    else await ledger.commit([{ kind: "withdraw-order", order: number }]);
  }
}

/** What a run of this session is announced with. */
export function announceOptions(
  { terminal, config, machine, log }: Session,
  ledger: Ledger,
): AnnounceOptions {
  const { signal, version, command } = terminal;
  return {
    heartbeat: config.heartbeat,
    notices: config.notices,
    projects: config.projects.map(({ project }) => project),
    ledger,
    clock: machine.clock,
    log,
    send: createCall(machine),
    version,
    command,
    signal,
  };
}
