import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Traffic } from "./traffic.ts";

/** The two that are compared. */
export const programNames = ["boardsync", "floor"] as const;
export type ProgramName = (typeof programNames)[number];

/** How much stands on the board. */
export interface Filling {
  /** Posts of each program. */
  readonly posts: number;
  /** Share of them that the config selects, 0 to 1. */
  readonly share: number;
  /** How many projects of its own each program has; its posts are spread over them evenly. */
  readonly projects: number;
  /** Whether the board sends an ETag with each page, and answers 304 to who names it. */
  readonly hasValidators: boolean;
}

/** Where the servers are. */
export interface Addresses {
  readonly board: string;
  readonly boardKey: string;
  readonly github: string;
  readonly githubToken: string;
  readonly githubLogin: string;
  /** The projects of each program, by the order of their posts. */
  readonly projects: Readonly<Record<ProgramName, readonly string[]>>;
  /** Posts of each program that the config selects. */
  readonly selected: number;
}

/** What the bench has the servers do. */
export type Order =
  | { readonly kind: "open-repository"; readonly repo: string }
  | WorkOrder
  | { readonly kind: "count" };

/** People change issues, one a second; `from` counts issues from 0 and goes round. */
export interface WorkOrder {
  readonly kind: "work";
  readonly repo: string;
  readonly from: number;
  readonly issues: number;
}

/** Posts of this category are selected. */
export const category = "cat_bench";
/** The label that makes an issue's post `in_progress`. */
export const workLabel = "in progress";

/** The two servers, in a process of their own. */
export interface Stage extends Addresses {
  openRepository(repo: string): Promise<void>;
  /** Has people label and close issues, or take it back, minutes after everything before. */
  work(repo: string, from: number, issues: number): Promise<void>;
  /** What both servers served since the last call. */
  takeTraffic(): Promise<Traffic>;
  close(): Promise<void>;
}

/** Starts and fills both servers. */
export async function startStage(filling: Filling): Promise<Stage> {
  const script = fileURLToPath(new URL("servers.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(filling)], { execArgv: [] });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The servers ended with exit code ${code}.`);
  });
  // An end that nobody waits for is no failure.
  ended.catch(() => undefined);
  // Orders go one at a time, so the next message is the answer to the last one.
  const answer = async (): Promise<unknown> => (await Promise.race([once(child, "message"), ended]))[0];
  const give = (order: Order): Promise<unknown> => {
    child.send(order);
    return answer();
  };
  // The servers send what `Order` and this file name.
  const addresses = (await answer()) as Addresses;
  return {
    ...addresses,
    openRepository: async (repo) => void (await give({ kind: "open-repository", repo })),
    work: async (repo, from, issues) => void (await give({ kind: "work", repo, from, issues })),
    takeTraffic: async () => (await give({ kind: "count" })) as Traffic,
    async close() {
      child.kill();
      await ended.catch(() => undefined);
    },
  };
}
