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
  mode: "sync" | "plan" | "adopt";
  /** Since its last run began. */
  awaits: number;
  commits: number;
  doom: Doom | undefined;
  /** Epoch ms of the program's clock before which the tracker's adapter sends nothing: it forgets that when it ends. */
  closedUntil: number;
}

export function startLife(): Life {
  return { isDead: false, mode: "sync", awaits: 0, commits: 0, doom: undefined, closedUntil: 0 };
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
