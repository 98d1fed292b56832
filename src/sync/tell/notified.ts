import { type AuditEntry, votersWhoHeard } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectId } from "../../model/post.ts";
import { dayMs } from "../../model/time.ts";
import { countVoters, nameVoters } from "../ground/voters.ts";
import { count } from "./words.ts";

/** Who was notified of a project's posts in the last 24 hours. */
export interface Notified {
  /** How many changes of a status they were notified of. */
  readonly changes: number;
  /** These, newest first, as far as they are among the last writes. */
  readonly writes: readonly AuditEntry[];
}

/** So many of the last writes are looked at. */
const mostRead = 200;

/** Looks up who was notified; undefined where nobody was. @param now - epoch ms. */
export async function readNotified(
  { journal }: Pick<Ledger, "journal">,
  project: ProjectId,
  now: number,
): Promise<Notified | undefined> {
  const since = now - dayMs;
  const { told: changes } = await journal.doneSince(project, since);
  if (changes === 0) return undefined;
  const writes = (await journal.history(project, undefined, mostRead)).filter(
    (entry) => entry.at > since && entry.outcome === "applied" && votersWhoHeard(entry) !== 0,
  );
  return { changes, writes };
}

/** "5,020 voters of 40 changes" */
export function describeHeard({ changes, writes }: Notified): string {
  const voters = countVoters(writes.map(votersWhoHeard));
  const who = nameVoters({ ...voters, unknown: voters.unknown + changes - writes.length });
  return `${who} of ${count(changes, "change")}`;
}
