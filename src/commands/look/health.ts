import { loadEnvironment } from "../../config/environment.ts";
import { readTextFile } from "../../config/files.ts";
import { locateState } from "../../config/place.ts";
import { isPostgresUrl } from "../../config/state-address.ts";
import { describeDistance } from "../../sync/tell/times.ts";
import { systemClock } from "../open/clock.ts";
import { type Heartbeat, judgeSign, nameState, readSignOfLife } from "../open/heartbeat.ts";
import { failWith } from "../print/failure.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";

/** `boardsync health`: whether the daemon on this state is alive. Needs no config, no secret and no port. */
export async function health({ terminal, options }: CommandCall): Promise<number> {
  const { env, cwd } = terminal;
  const readText = readTextFile;
  try {
    const environment = loadEnvironment({ env, cwd, readText });
    const found = await locateState({ file: options.config, environment, cwd, readText });
    const state = nameState(cwd, found);
    const beat = judgeSign(await readSignOfLife(isPostgresUrl(found) ? found : state));
    const message = describeHealth(state, beat);
    const isAlive = beat?.isAlive === true;
    if (options.json === true) {
      printJson(terminal.out, { alive: isAlive, ageMs: beat?.ageMs ?? null, message });
    } else if (options.quiet !== true) {
      terminal.out.write(`${message}\n`);
    }
    return isAlive ? exitCodes.ok : exitCodes.partial;
  } catch (error) {
    failWith(terminal, options, error);
    return exitCodes.partial;
  }
}

function describeHealth(state: string, beat: Heartbeat | undefined): string {
  if (beat === undefined)
    return `No daemon has left a sign of life at ${state}: none has run on it yet, or it was deleted or moved.`;
  const age = describeDistance(beat.at - systemClock.now());
  if (beat.hasEnded) return `The daemon on ${state} was stopped ${age}.`;
  return beat.isAlive
    ? `The daemon is alive: last sign of life ${age}.`
    : `The daemon on ${state} is not running, or it hangs: last sign of life ${age}.`;
}
