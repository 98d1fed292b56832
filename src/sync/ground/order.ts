import type { ProjectMemory } from "../../ledger/memory.ts";
import type { PostId } from "../../model/post.ts";
import type { SavedPlan, SavedProject } from "./reports.ts";

/** What a run has been ordered to do. The steps of a run ask the questions below, and never which order it is. */
export type Order =
  /** Writes what is decided and nothing holds: what the schedule asks for. */
  | { readonly kind: "sync" }
  /** Decides, and writes nothing; it is given a ledger of its own. */
  | {
      readonly kind: "plan";
      /** Of which posts the whole text of their issue is wanted; left out: of none. */
      readonly shows?: (project: string, post: PostId) => boolean;
      /** The entry of this release is to be shown as it would be made now, whatever was; of the newest one without a tag. */
      readonly entry?: { readonly tag: string | undefined };
    }
  /** Links what carries our marker, and takes both sides as they are. */
  | {
      readonly kind: "adopt";
      /** Of a rebuild, when it began, epoch ms: what the projects knew before counts as that of an old copy. */
      readonly rebuildStamp?: number;
    }
  /** Writes what a saved plan names, and nothing beside it. */
  | { readonly kind: "apply"; readonly plan: SavedPlan }
  | UndoOrder;

/** Takes back what another run has written, and writes nothing beside that. */
export interface UndoOrder {
  readonly kind: "undo";
  readonly run: number;
  /** What a person was shown and wants undone; undefined for a look at what that would be. */
  readonly agreed: readonly SavedProject[] | undefined;
}

interface Ordered {
  readonly order: Order;
}

/** Whether it is a run like every other: it shares the pace with other projects, and its success counts as the project's. */
export function isRoutine({ order }: Ordered): boolean {
  return order.kind === "sync";
}

/** Whether it only shows what a run would do, on a copy of the state that nobody uses afterwards. */
export function isPreview({ order }: Ordered): boolean {
  return order.kind === "plan";
}

/** Whether a plan is to show the whole text of the issue of a post. */
export function showsIssue({ order }: Ordered, project: string, post: PostId): boolean {
  return order.kind === "plan" && order.shows?.(project, post) === true;
}

/** Which entry of the changelog a plan is to show. */
export function shownEntry({ order }: Ordered): { readonly tag: string | undefined } | undefined {
  return order.kind === "plan" ? order.entry : undefined;
}

/** Whether both sides are taken as they are, whatever differs. */
export function takesAsItIs({ order }: Ordered): boolean {
  return order.kind === "adopt";
}

/** What becomes of a project's own stamp in this run. */
export function rebuildStamp({ order }: Ordered): Pick<ProjectMemory, "rebuildStamp"> {
  return order.kind === "adopt" && order.rebuildStamp !== undefined
    ? { rebuildStamp: order.rebuildStamp }
    : {};
}

/** Whether it names the very actions that may be written; else whatever is decided may. */
export function namesActions({ order }: Ordered): boolean {
  return order.kind === "apply" || order.kind === "undo";
}

/** Whether a later run does by itself what this one leaves: what an undo writes no rule asks for. */
export function isTakenUp({ order }: Ordered): boolean {
  return order.kind !== "undo";
}

/** When the saved plan was made, epoch ms, where the order is to apply one. */
export function savedAt({ order }: Ordered): number {
  return order.kind === "apply" ? Date.parse(order.plan.madeAt) : Number.POSITIVE_INFINITY;
}

/** What a saved plan names of a project, where the order is to apply one. */
export function savedActions({ order }: Ordered, project: string): SavedProject["actions"] {
  if (order.kind !== "apply") return [];
  return order.plan.projects.find((one) => one.project === project)?.actions ?? [];
}
