import { buildWorld } from "../../app.ts";
import type { Crier } from "../../daemon/announce.ts";
import type { People } from "../../daemon/daemon.ts";
import type { Metrics } from "../../daemon/metrics.ts";
import { ConfigError, StateHeldError } from "../../errors.ts";
import type { HeldProjects, Ledger } from "../../ledger/ledger.ts";
import type { GivenOrder, OrderNumber } from "../../ledger/orders.ts";
import { minuteMs } from "../../model/time.ts";
import type { Progress, World } from "../../sync/ground/world.ts";
import { type HandedOutcome, handBack, readHandedOrder } from "../../sync/handed.ts";
import { runProjects } from "../../sync/run.ts";
import type { Session } from "../open/session.ts";
import { type Take, whoIs } from "../open/state.ts";
import { classify } from "../print/failure.ts";
import { exitCodes } from "../print/terminal.ts";
import { refuseOldPlan } from "./plan-file.ts";
import { type Following, followConfig } from "./reload.ts";

/** What the parts of a daemon share. */
export interface Post extends Following {
  readonly ledger: Ledger;
  readonly take: Take;
  readonly metrics: Metrics;
  /** Takes up secrets that a person has put in the place of those in use. */
  renew(): void;
  readonly crier: Crier;
}

/** How soon a project is asked for again that another replica runs. */
const againMs = 1_000;
/** How often orders are looked for whose taker lives no more. */
const orphansMs = minuteMs;
/** How often a command hears how far its run is. */
const progressMs = 1_000;

const brokenOff: HandedOutcome = {
  kind: "refused",
  problems: [
    "The daemon that had taken the order ended before the run did, and it is not begun again. `boardsync history` shows what was written; say it again if it is still wanted.",
  ],
  code: "state.broken-off",
  exit: exitCodes.partial,
};

const notTaken: HandedOutcome = {
  kind: "refused",
  problems: [
    "By the daemon's clock it had not come to it within an hour, and nothing was done. If it was given just now, the clocks of the two machines differ by more than that: set them right, and say it again.",
  ],
  code: "state.held",
  exit: exitCodes.busy,
};

/** Carries out what commands give to this daemon, and finds what else people have asked for. */
export function createObeyer(post: Post): People {
  const { session, ledger } = post;
  const { terminal, machine } = session();
  const { clock } = machine;
  const who = whoIs(terminal, "daemon");
  const known = new Map<string, string>();
  /** What came of orders, and is not written yet: whoever gave them waits for that as long as this daemon lives. */
  const unsaid = new Map<OrderNumber, HandedOutcome>();
  const sayOutcomes = async (): Promise<void> => {
    for (const [order, outcome] of unsaid) {
      await ledger.commit([{ kind: "end-order", order, outcome }]);
      unsaid.delete(order);
    }
  };
  let orphansAt: number | undefined;
  const endOrphans = async (): Promise<void> => {
    const now = clock.now();
    if (orphansAt !== undefined && Math.abs(now - orphansAt) < orphansMs) return;
    const others = (await ledger.runs.replicas()).map((one) => one.who).filter((one) => one !== who);
    // What this process has taken before it took anything, another one of its name has taken.
    const living = orphansAt === undefined ? others : [...others, who];
    orphansAt = now;
    await ledger.commit([{ kind: "end-orphans", living, outcome: brokenOff }]);
  };
  return {
    async haveOrdered() {
      await sayOutcomes();
      await endOrphans();
      return ledger.orders.areWaiting();
    },
    async obey() {
      while (!terminal.signal.aborted) {
        const given = await ledger.orders.take(who);
        if (given === undefined) return;
        const about = { order: given.number, who: given.who };
        const isLate = given.until < clock.now();
        if (isLate)
          session().log.warn(about, "An order was not taken within its time, and is not carried out");
        else session().log.info(about, "Order taken");
        unsaid.set(given.number, isLate ? notTaken : await runOrder(post, given));
        await sayOutcomes();
      }
    },
    async haveAsked() {
      const newest = await ledger.requests.newest();
      const asked = session().projects.flatMap(({ key }) => {
        const id = ledger.memory.project(key)?.id;
        return newest.filter(({ project }) => project === id).map((one) => ({ ...one, key }));
      });
      return asked.filter(({ key, id, at }) => {
        const print = `${id}/${at}`;
        const isNew = known.get(key) !== print;
        known.set(key, print);
        return isNew;
      });
    },
  };
}

/** What becomes of one order. Never throws: whoever gave it is told. */
async function runOrder(post: Post, given: GivenOrder): Promise<HandedOutcome> {
  post.renew();
  const current = post.session();
  try {
    const { order, projects: keys, config } = readHandedOrder(given.order);
    if (config !== current.print) {
      throw new StateHeldError(
        "The daemon works by another config than this command. Nothing was done: send it SIGHUP (or start it again), so that both have the same.",
      );
    }
    const projects = current.projects.filter(({ key }) => keys.includes(key));
    const hold = await takePatiently(post, keys);
    try {
      const session = post.session();
      const progress = tellProgress(post.ledger, session, given.number);
      const machine = { ...session.machine, progress };
      const made = buildWorld(session.config, session.sides, hold.ledger, machine);
      const world: World = { ...made, changedAt: followConfig(post, session) };
      if (order.kind === "apply") refuseOldPlan(session, order.plan, world);
      const result = await runProjects(projects, world, order, session.terminal.signal);
      post.metrics.noteRun(result.report);
      if (order.kind === "sync") post.crier.tell(result.report);
      return session.clean(handBack(result));
    } finally {
      await hold.release();
      post.metrics.noteTraffic(current.sides);
    }
  } catch (error) {
    current.log.error({ order: given.number, err: error }, "The order was not carried out");
    const message = error instanceof Error ? error.message : String(error);
    const problems = error instanceof ConfigError ? error.problems : [message];
    return current.clean({ kind: "refused", problems, ...classify(error) });
  }
}

/** A replica that has one of them now will be through with it. */
async function takePatiently({ take, session }: Post, keys: readonly string[]): Promise<HeldProjects> {
  const { terminal, machine } = session();
  for (;;) {
    const hold = await take(keys);
    if (hold.kind === "held") return hold;
    if (hold.isOtherConfig || terminal.signal.aborted)
      throw new StateHeldError(`The project ${hold.project} is held by ${hold.who}. Nothing was done.`);
    await machine.clock.sleep(againMs, terminal.signal);
  }
}

/** What a bar at a terminal shows, by way of the state. */
function tellProgress(ledger: Ledger, { machine }: Session, order: OrderNumber): Progress {
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    show(progress) {
      const now = machine.clock.now();
      if (Math.abs(now - toldAt) < progressMs) return;
      toldAt = now;
      // Nothing depends on it.
      void ledger.commit([{ kind: "note-progress", order, progress }]).catch(() => undefined);
    },
  };
}
