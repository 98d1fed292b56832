import type { Row } from "../../model/link.ts";
import { votersOf } from "../../plan/ground/fields.ts";
import {
  already,
  type Foresight,
  isAsked,
  type NamedPost,
  type Nothing,
  noMail,
  type Sight,
} from "./foresight.ts";

/** What is parked of a post is tried again; or its quarantine ends. `waits` says why there is something to do. */
export async function foreseeRetry(
  { ledger, now, pending = [] }: Sight,
  kind: "retry" | "release",
  { key, project, post }: NamedPost,
): Promise<(Foresight & { readonly waits: string }) | Nothing> {
  if (isAsked(pending, kind, post)) return { nothing: already };
  const row = await ledger.rows.row(project, post, now);
  const waits = row && (kind === "retry" ? explainParked(row) : explainQuarantine(row));
  if (row === undefined || waits === undefined) return { nothing: nothingWaits[kind] };
  return {
    waits,
    effects: [waits, effectOf[kind]],
    mailed: sayAtMost(votersOf(row.post, new Set(ledger.memory.project(key)?.seen))),
    asks: (agreed) => [{ kind: "add-request", request: { ...agreed, kind, project, posts: [post] } }],
  };
}

function explainParked({ parked, unlinkedAt }: Row): string | undefined {
  const reasons = parked.map(({ message }) => message);
  if (unlinkedAt !== undefined) reasons.push("a person wanted no issue for it");
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

function explainQuarantine({ isQuarantined }: Row): string | undefined {
  return isQuarantined ? "the post flapped too often" : undefined;
}

const nothingWaits = {
  retry: "Nothing of this post is parked, so nothing is tried again.",
  release: "This post is not quarantined.",
};

const effectOf = {
  retry: "the next run tries it again; if it is a change of status, its voters are mailed",
  release: "its quarantine ends with the next run",
};

/** What follows is decided by the run, so only the most that can happen is known. */
function sayAtMost(voters: number | null): string {
  if (voters === null)
    return "If its status changes, its voters will be mailed; the board doesn't show how many there are.";
  if (voters === 0) return noMail;
  return `At most ${voters.toLocaleString("en")} ${voters === 1 ? "voter" : "voters"} will be mailed: only if its status changes.`;
}
