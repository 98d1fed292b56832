import type { DoneSince } from "../ledger/journal.ts";
import type { RowCounts } from "../ledger/rows.ts";
import { dayMs, hourMs } from "../model/time.ts";
import { nameVoters } from "../sync/ground/voters.ts";
import { count, countNeeds } from "../sync/tell/words.ts";
import { clean } from "./notices.ts";

/** How often people hear of everything in one message. */
export type DigestRhythm = "never" | "daily" | "weekly";

const periods: Readonly<Record<DigestRhythm, number>> = {
  never: Number.POSITIVE_INFINITY,
  daily: dayMs,
  weekly: 7 * dayMs,
};
/** Runs come at their own times: a digest that is due within this is not left to the next one, or it would come later every day. */
const slackMs = hourMs / 2;

/** Whether it is time for a digest. @param since - when the last one was told, or they were turned on; epoch ms. */
export function isDigestDue(rhythm: DigestRhythm, since: number, now: number): boolean {
  return now - since >= periods[rhythm] - slackMs;
}

/** What a digest says of one project. */
export interface DigestPart extends DoneSince, Pick<RowCounts, "held" | "parked" | "quarantined" | "paused"> {
  readonly project: string;
  /** In its last run. */
  readonly failed: number;
}

/** One message about all projects: what was opened and which voters were notified since, what waits for a person now, and what fails. In Slack's words. */
export function composeDigest(parts: readonly DigestPart[], since: number): string {
  const lines = parts.map((part) => `• ${clean(part.project)}: ${tellDone(part)}; ${tellWaiting(part)}.`);
  return [`*boardsync* since ${new Date(since).toISOString().slice(0, 10)}:`, ...lines].join("\n");
}

function tellDone({ opened, told, ...voters }: DigestPart): string {
  const issues = `${count(opened, "issue")} opened`;
  if (told === 0) return `${issues}, nobody notified`;
  return `${issues}, ${count(told, "change")} of status, ${nameVoters(voters)} notified`;
}

function tellWaiting({ paused, failed, ...counts }: DigestPart): string {
  const waiting = [
    ...countNeeds(counts),
    ...(paused > 0 ? [`${paused} paused`] : []),
    ...(failed > 0 ? [`${failed} failed in the last run`] : []),
  ];
  return waiting.join(", ") || "nothing needs you";
}
