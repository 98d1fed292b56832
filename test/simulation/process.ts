/** The process ends here: nothing after this line of it ever happens. */
export class Crash extends Error {
  override readonly name = "Crash";
}

/** When a process ends. Awaits are requests and sleeps, commits are those of the ledger. */
export interface Doom {
  readonly at: "await" | "commit";
  /** Which one, counted from 1. */
  readonly count: number;
  readonly when: "before" | "after";
}

/** One life of the program, from its start to its end. */
export interface Life {
  isDead: boolean;
  mode: "sync" | "plan" | "adopt" | "undo";
  /** Since its last run began. */
  awaits: number;
  commits: number;
  doom: Doom | undefined;
  /** Epoch ms of the program's clock before which the tracker's adapter sends nothing: it forgets that when it ends. */
  closedUntil: number;
  /** The same of signals alone. */
  signalsUntil: number;
  /** Where it is to stand still. */
  halt: Halt | undefined;
  /** When it stood still last, true times. */
  still: { readonly from: number; readonly until: number } | undefined;
  /** Another process has taken the project from its run. */
  isDeposed: boolean;
  /** Of a shared state: why it may not send anything at this true time; undefined where it may. */
  whyNot: ((leftAt: number) => string | undefined) | undefined;
}

/** A process that is stopped for a while, as by SIGSTOP, at one of the points at which it waits for somebody else. */
export interface Halt {
  /** How many points are left until then. */
  left: number;
  /** What happens meanwhile. */
  begin(): Promise<void>;
  during: Promise<void> | undefined;
}

export function startLife(): Life {
  return {
    isDead: false,
    mode: "sync",
    awaits: 0,
    commits: 0,
    doom: undefined,
    closedUntil: 0,
    signalsUntil: 0,
    halt: undefined,
    still: undefined,
    isDeposed: false,
    whyNot: undefined,
  };
}

/** A point at which a process may stand still: all of it, until it goes on. Undefined where it goes on at once. */
export function standStill(life: Life): Promise<void> | undefined {
  const { halt } = life;
  if (halt === undefined) return undefined;
  if (halt.during !== undefined) return halt.during;
  halt.left -= 1;
  if (halt.left > 0) return undefined;
  halt.during = halt.begin().finally(() => {
    life.halt = undefined;
  });
  return halt.during;
}

export function isStill({ halt }: Life): boolean {
  return halt?.during !== undefined;
}

/** Ends the process if its time has come. */
export function meetDoom(life: Life, at: Doom["at"], when: Doom["when"]): void {
  if (life.isDead) throw new Crash("This process is over.");
  if (when === "before") life[at === "await" ? "awaits" : "commits"] += 1;
  const { doom } = life;
  if (doom?.at !== at || doom.when !== when || doom.count !== life[at === "await" ? "awaits" : "commits"])
    return;
  life.isDead = true;
  throw new Crash(`The process ended ${when} its ${at} ${doom.count}.`);
}
