import type { FieldBase, Row, Target } from "../../model/link.ts";
import type { FieldValue, PostField } from "../../model/post.ts";
import { dayMs } from "../../model/time.ts";
import { noBase } from "../fields/base.ts";
import { readField } from "../ground/fields.ts";
import { byVotes } from "../ground/settings.ts";
import type { DerivedField } from "./rules.ts";

/*
 * `roadmapOrder: byVotes`: the place of a post in its column follows its votes. Boards show a column by ascending order, so the
 * order is the votes with their sign turned: no post has to know of another, and a vote moves one post alone. It is sent in a
 * PATCH of its own, so no voter is notified, and of one post at most as often as `fullEvery`.
 */

/** Whether a rule asks for the order by votes. */
export function isByVotes({ field, target }: Pick<DerivedField, "field" | "target">): boolean {
  return field === "roadmapOrder" && target.kind === "value" && target.value === byVotes;
}

/** A target in the values of the board: an order by votes is a number there. undefined where the board shows no votes. */
export function inNumbers(
  asked: Pick<DerivedField, "field" | "target">,
  { post }: Pick<Row, "post">,
  seen: ReadonlySet<PostField>,
): Target | undefined {
  if (!isByVotes(asked)) return asked.target;
  const votes = readField(post, "votes", seen);
  return typeof votes === "number" ? { kind: "value", value: 0 - votes } : undefined;
}

/** As a rule asks for it. */
const asked: Target = { kind: "value", value: byVotes };

/**
 * What the votes of a post ask for; undefined where the board shows none. Posts that are there already are sorted, too: what was
 * there before is what a restore goes back to. `settleMs`: how long the target has to wait, from its first sight on.
 */
export function orderAsk(
  row: Row,
  post: FieldValue | undefined,
  seen: ReadonlySet<PostField>,
  { now, fullEveryMs }: { readonly now: number; readonly fullEveryMs: number },
) {
  const target = inNumbers({ field: "roadmapOrder", target: asked }, row, seen);
  if (target === undefined) return undefined;
  const known = row.base.roadmapOrder ?? { ...noBase, post, foreign: post };
  // While other rules wait for a person, a vote is none that lets them go.
  if (known.ruled !== undefined) return { target, base: { ...known, target }, settleMs: 0 };
  // Votes that go on moving must not put it off for ever: it waits from the first one on.
  const since = known.pending?.since ?? now;
  const base = known.pending === undefined ? known : { ...known, pending: { target, since } };
  return { target, base, settleMs: Math.max(0, nextAt(row, base, since, fullEveryMs) - since) };
}

/** When the order may be sent again. The journal is asked for a day; what is older is waited for whole. */
function nextAt({ accepted = [] }: Row, { written }: FieldBase, since: number, fullEveryMs: number): number {
  const last = accepted.findLast(({ writes }) => writes.some(({ field }) => field === "roadmapOrder"));
  if (last !== undefined) return last.at + fullEveryMs;
  return written !== undefined && fullEveryMs > dayMs ? since + fullEveryMs : since;
}
