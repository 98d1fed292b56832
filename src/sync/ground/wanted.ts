import type { PlannedChange } from "../../ledger/rows.ts";
import type { PostId } from "../../model/post.ts";
import type { ActionKind } from "../../plan/action.ts";
import type { Lane } from "./lane.ts";
import type { PlannedAction } from "./world.ts";

/** An action that the plan wants, by name only: when its turn comes it is planned again from the row as it is then. */
export interface Wanted {
  readonly post: PostId;
  readonly kind: ActionKind;
  /** How many it opens or writes. */
  readonly issues: number;
  readonly isNotifying: boolean;
  /** Where it writes to. */
  readonly lanes: readonly Lane[];
  /** What an approval names it by. */
  readonly signature: string;
  /** What it would write. */
  readonly planned: PlannedChange;
  /** What a saved plan names it by. */
  readonly planSignature: string;
  /** Why the plan itself wants a person to let it go, whatever the guard says; undefined when it doesn't. */
  readonly hold: string | undefined;
  /** Why it is held in this run; undefined when it may go. */
  readonly held: string | undefined;
  /** Whether a person may let it go: not where its cause holds more than this action. */
  readonly isApprovable: boolean;
  /** Why the PATCH that follows a create is held although the create may go. */
  readonly followUpHeld: string | undefined;
  /** Of mode `plan`: what is shown of it. */
  readonly lines: readonly PlannedAction[];
}

/** The posts for which an action of a kind may go in this run. */
export function postsWith(wanted: readonly Wanted[], kind: ActionKind): ReadonlySet<PostId> {
  return new Set(wanted.flatMap((one) => (one.kind === kind && one.held === undefined ? [one.post] : [])));
}
