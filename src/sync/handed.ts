import type { Order } from "./ground/order.ts";
import type { CarriedAction, RunReport } from "./ground/reports.ts";
import type { ProjectAfter, RunResult } from "./run.ts";

/** A run that one process asks of another, which has the state. */
export interface HandedOrder {
  readonly order: Order;
  /** As the config names them. */
  readonly projects: readonly string[];
  /** A print of the config that is meant. */
  readonly config: string;
}

/** What came of it. */
export type HandedOutcome =
  | {
      readonly kind: "done";
      readonly report: RunReport;
      readonly carried: readonly (readonly [project: string, actions: readonly CarriedAction[]])[];
      readonly projectsAfter: readonly ProjectAfter[];
    }
  | {
      readonly kind: "refused";
      /** Sentences. */
      readonly problems: readonly string[];
      readonly code: string;
      /** What the command ends with. */
      readonly exit: number;
    };

/** What a command shows of a run, whoever has made it. */
export type Carried = Pick<RunResult, "report" | "carried" | "projectsAfter">;

export function handBack({ report, carried, projectsAfter }: Carried): HandedOutcome {
  return { kind: "done", report, carried: [...carried], projectsAfter };
}
