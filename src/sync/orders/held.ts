import type { Ledger } from "../../ledger/ledger.ts";
import type { NewRequest, Who } from "../../ledger/requests.ts";
import type { HeldAction } from "../../ledger/rows.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { countVoters, showVoters, type Voters } from "../tell/alike.ts";
import { describeWritten } from "../tell/waiting-lines.ts";

/** What a person may let go, or discard. */
export interface Held {
  readonly actions: readonly HeldAction[];
  /** Why the last run held the whole project, if it did: the board had shrunk. Only where no posts are named. */
  readonly hold: string | undefined;
}

/** A project, by its name in the config and by its id. */
export interface NamedProject {
  readonly key: string;
  readonly project: ProjectId;
}

/** What is held of a project; or of some of its posts, where these are named. */
export async function readHeld(
  ledger: Pick<Ledger, "rows" | "runs">,
  { key, project }: NamedProject,
  posts: readonly string[],
): Promise<Held> {
  const all = await ledger.rows.held(project);
  if (posts.length > 0) return { actions: all.filter(({ post }) => posts.includes(post)), hold: undefined };
  return { actions: all, hold: await readHold(ledger, key) };
}

async function readHold({ runs }: Pick<Ledger, "runs">, key: string): Promise<string | undefined> {
  const report = (await runs.last(key))?.report;
  if (typeof report !== "object" || report === null || !("hold" in report)) return undefined;
  return typeof report.hold === "string" ? report.hold : undefined;
}

/** What an action would write; a dash for a hold of an older version, which has not recorded it. */
export function describeHeld({ planned }: Pick<HeldAction, "planned">): string {
  return planned === undefined ? "–" : describeWritten(planned, true);
}

/** Alike is what does the same for the same reason. */
export function likenessOfHeld(held: HeldAction): string {
  return JSON.stringify([held.kind, describeHeld(held), held.message]);
}

/** The voters who would hear of these actions. */
export function votersOfHeld(held: readonly HeldAction[]): Voters {
  return countVoters(held.map(({ planned }) => (planned === undefined ? null : planned.notifies)));
}

/** "202 voters will be mailed." */
export function sayMailed(voters: Voters): string {
  if (voters.known + voters.unknown === 0) return "No voter will be mailed.";
  const number = showVoters(voters);
  if (number === "?") return "An unknown number of voters will be mailed.";
  return `${number.slice(0, 1).toUpperCase()}${number.slice(1)} voters will be mailed.`;
}

/** How held actions are answered. */
export interface HeldAnswer {
  readonly isDiscard: boolean;
  /** Whether the whole project was meant, and not some of its posts. */
  readonly isWhole: boolean;
}

/**
 * What the next run is asked for: to let these very actions go, or to take both sides of their posts as they are. Of a
 * project that is held because the board shrank, the present size is the new measure.
 */
export function requestsForHeld(
  { actions, hold }: Held,
  { isDiscard, isWhole }: HeldAnswer,
  asked: { readonly project: ProjectId; readonly at: number } & Who,
): readonly NewRequest[] {
  const requests: NewRequest[] = [];
  if (hold !== undefined) requests.push({ ...asked, kind: "accept-size", shown: hold });
  if (actions.length === 0) return requests;
  if (isDiscard) {
    const posts: readonly PostId[] = [...new Set(actions.map(({ post }) => post))];
    requests.push({ ...asked, kind: "discard", posts });
  } else if (hold === undefined) {
    const names = actions.map(({ post, kind, signature }) => ({ post, kind, signature }));
    requests.push({ ...asked, kind: "approve", actions: names, isWhole });
  }
  return requests;
}
