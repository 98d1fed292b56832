import { createCall } from "../../app.ts";
import type { AnnounceOptions } from "../../daemon/announce.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Session } from "../open/session.ts";

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
