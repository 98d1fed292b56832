import type { Change } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PersonRequest, Who } from "../../ledger/orders.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import { nameVoters, type Voters } from "../ground/voters.ts";
import { beginSentence, count } from "../tell/words.ts";

/** A project, by its name in the config and by its id. */
export interface NamedProject {
  /** `project` of the config. */
  readonly key: string;
  readonly project: ProjectId;
}

/** Those of these projects that a run has found. */
export function foundProjects(
  keys: readonly string[],
  { memory }: Pick<Ledger, "memory">,
): readonly NamedProject[] {
  return keys.flatMap((key) => {
    const project = memory.project(key)?.id;
    return project === undefined ? [] : [{ key, project }];
  });
}

/** A post that a person named. */
export interface NamedPost extends NamedProject {
  readonly post: PostId;
}

/** What is looked at to foresee an order. */
export interface Sight {
  readonly ledger: Ledger;
  /** Epoch ms. */
  readonly now: number;
  /** What is not to be asked for twice. The commands leave it out: there the later word of a person counts. */
  readonly pending?: readonly PersonRequest[];
}

/** What an order will do. Nothing of it is done until a person agrees, and what it asks for is committed. */
export interface Foresight {
  /** What happens, as sentences; their capitals and full stops may be missing. */
  readonly effects: readonly [string, ...string[]];
  /** "202 voters will be notified." */
  readonly notified: string;
  /** What is committed, in one transaction. */
  asks(agreed: Agreed): readonly Change[];
}

/** When a person agreed, epoch ms, and where. */
export interface Agreed extends Who {
  readonly at: number;
}

/** There is nothing to do, and why. */
export interface Nothing {
  readonly nothing: string;
  /** There is no such thing as was named. */
  readonly isUnknown?: true;
}

/** "202 voters will be notified." */
export function sayNotified(voters: Voters): string {
  if (voters.known + voters.unknown === 0) return notifiesNobody;
  const who = voters.known === 0 ? "an unknown number of voters" : nameVoters(voters);
  return `${beginSentence(who)} will be notified.`;
}

/** An effect, with the number of posts that it is one on. */
export function onPosts(posts: number, effect: string): string {
  return posts === 1 ? effect : `${count(posts, "post")}: ${effect}`;
}

/** Asks for something to be done to posts: one request a project. */
export function askOf(
  kind: "retry" | "release" | "resume" | "resume-discard",
  posts: readonly NamedPost[],
): Foresight["asks"] {
  const projects = Map.groupBy(posts, ({ project }) => project);
  return (agreed) =>
    [...projects].map(([project, named]) => ({
      kind: "add-request",
      request: { ...agreed, kind, project, posts: named.map(({ post }) => post) },
    }));
}

export const notifiesNobody = "No voter will be notified.";
export const already = "that is asked for already, and the next run does it.";

/** Whether an order of this kind waits for the post. */
export function isAsked(pending: readonly PersonRequest[], kind: string, post: PostId): boolean {
  return pending.some((request) => request.kind === kind && postsOf(request).includes(post));
}

/** The posts that an order names. */
export function postsOf(request: PersonRequest): readonly PostId[] {
  if ("posts" in request) return request.posts;
  if ("post" in request) return [request.post];
  return request.kind === "approve" ? request.actions.map(({ post }) => post) : [];
}

/** The posts of a project of which something of a kind waits. */
export async function listWaiting(
  { rows }: Ledger,
  { key, project }: NamedProject,
  kind: WaitingRow["kind"],
  isIt: (waiting: WaitingRow) => boolean = () => true,
): Promise<readonly NamedPost[]> {
  const found = (await rows.waiting(project, Number.MAX_SAFE_INTEGER, [kind])).filter(isIt);
  return [...new Set(found.map(({ post }) => post))].map((post) => ({ key, project, post }));
}
