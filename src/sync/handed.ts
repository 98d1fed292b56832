import { z } from "zod";
import { check } from "../ledger/stored.ts";
import type { Order } from "./ground/order.ts";
import type { CarriedAction, RunReport } from "./ground/reports.ts";
import type { ProgressStep } from "./ground/world.ts";
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

/** What the state holds of orders is what another process of this version has put there: parts that lead somewhere are looked at. */
const text = z.string();
const orderKind = z.enum(["sync", "plan", "adopt", "apply", "undo"]);
const orderShape = z.object({
  order: z.looseObject({ kind: orderKind }),
  projects: z.array(text),
  config: text,
});
const reportShape = z.looseObject({ projects: z.array(z.looseObject({ project: text })) });
const outcomeShape = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("done"),
    report: reportShape,
    carried: z.array(z.tuple([text, z.array(z.looseObject({ kind: text }))])),
    projectsAfter: z.array(z.looseObject({})),
  }),
  z.object({ kind: z.literal("refused"), problems: z.array(text), code: text, exit: z.number() }),
]);
const progressShape = z.object({
  project: text,
  what: text,
  done: z.number(),
  total: z.number().optional(),
  doneAt: z.number().exactOptional(),
});

/** @throws StateError */
export function readHandedOrder(order: unknown): HandedOrder {
  return check("orders.request", orderShape, order) as unknown as HandedOrder;
}

/** @throws StateError */
export function readHandedOutcome(outcome: unknown): HandedOutcome {
  return check("orders.outcome", outcomeShape, outcome) as unknown as HandedOutcome;
}

/** @throws StateError */
export function readHandedProgress(progress: unknown): ProgressStep {
  const { total, ...step } = check("orders.progress", progressShape, progress);
  return { ...step, total };
}
