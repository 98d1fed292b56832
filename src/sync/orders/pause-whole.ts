import type { WaitingRow } from "../../ledger/rows.ts";
import { isPausedAsWhole } from "../../model/causes.ts";
import type { WholePause } from "../../model/link.ts";
import { inOrder, sum } from "../../select.ts";
import { countVoters } from "../ground/voters.ts";
import { describePlanned, groupWaiting, nameTitled } from "../tell/waiting-lines.ts";
import {
  type Foresight,
  type NamedProject,
  type Nothing,
  notifiesNobody,
  type Sight,
  sayNotified,
} from "./foresight.ts";
import { effectOfResume } from "./pause.ts";

/** What is paused, or goes on again, as one: a project, or all of them. */
export interface Whole {
  readonly of: WholePause["of"];
  /** Those of the config that a run has found; the one where it is one. */
  readonly projects: readonly NamedProject[];
}

/** What a pause holds up, and since when it stands. */
export interface WholeForesight extends Foresight {
  /** Epoch ms; undefined where it was not paused as this whole. */
  readonly since: number | undefined;
  /** Whether a resume was asked for that no run has taken up. */
  readonly isResuming: boolean;
  /** Writes that have left already and whose outcome nobody knows. */
  readonly open: number;
  readonly waits: readonly WaitingRow[];
}

/** It is not paused as this whole. */
export interface NotPaused extends Nothing {
  /** But with all. */
  readonly isBeyond: boolean;
}

/** From now on nothing is written for a project, or for any: also by a run that is under way. */
export async function foreseePauseWhole(sight: Sight, whole: Whole, until: string): Promise<WholeForesight> {
  const seen = await look(sight, whole);
  const [first] = whole.projects;
  const what = whole.of === "all" ? "for any project" : `for ${first?.key}`;
  const left =
    seen.open === 0
      ? ""
      : ` ${seen.open === 1 ? "1 write has" : `${seen.open} writes have`} left already, and nobody knows yet what became of ${seen.open === 1 ? "that: it is" : "those: they are"} looked up, and not sent again.`;
  return {
    ...seen,
    effects: [
      `from now on nothing is written ${what}, to either side, until ${until}; a run that is under way stops before its next write.${left}`,
    ],
    notified: notifiesNobody,
    asks: ({ at }) => [{ kind: "pause-whole", project: whole.of === "all" ? undefined : first?.project, at }],
  };
}

/** The pause of a whole ends with the next run. A project that is paused by itself, too, stays so when the pause of all ends. */
export async function foreseeResumeWhole(
  sight: Sight,
  whole: Whole,
  isDiscard: boolean,
): Promise<WholeForesight | NotPaused> {
  const { ledger } = sight;
  const known = await inOrder(whole.projects, async (named) => ({
    named,
    pauses: await ledger.rows.wholePauses(named.project),
  }));
  const own = known.filter(({ pauses }) => pauses.some(({ of }) => of === "project"));
  const [all] = await ledger.rows.wholePauses(undefined);
  const isOfAll = whole.of === "all" && all !== undefined;
  if (!isOfAll && own.length === 0) {
    if (all !== undefined)
      return { nothing: "All projects are paused: `boardsync resume --all` ends that.", isBeyond: true };
    return { nothing: whole.of === "all" ? "No project is paused." : "It is not paused.", isBeyond: false };
  }
  const ended = isOfAll ? known.filter((one) => !own.includes(one)) : own;
  const projects = ended.map(({ named }) => named);
  const seen = await look(sight, { ...whole, projects });
  const voters = countVoters(seen.waits.flatMap(({ planned }) => (planned ? [planned.notifies] : [])));
  const ownKeys = own.map(({ named }) => named.key).join(", ");
  const kept = isOfAll
    ? ownKeys && ` Paused by themselves, too, and stay so: ${ownKeys}.`
    : whole.of === "project" && all
      ? " All projects stay paused: `boardsync resume --all` ends that."
      : "";
  return {
    ...seen,
    effects: [`${effectOfResume[isDiscard ? "resume-discard" : "resume"]}${kept}`, ...tellWaits(seen.waits)],
    notified: isDiscard ? notifiesNobody : sayNotified(voters),
    asks: ({ at, by }) => [
      ...(isOfAll
        ? [
            ...projects.map(({ project }) => ({ kind: "pause-whole", project, at: all.since }) as const),
            { kind: "resume-whole", project: undefined, request: undefined } as const,
          ]
        : []),
      ...projects.map(
        ({ project }) =>
          ({
            kind: "add-request",
            request: { kind: "resume-project", project, isDiscard, at, ...(by && { by }) },
          }) as const,
      ),
    ],
  };
}

async function look(
  { ledger }: Sight,
  { of, projects }: Whole,
): Promise<Pick<WholeForesight, "since" | "isResuming" | "open" | "waits">> {
  const found = await inOrder(projects, async ({ project }) => ({
    pauses: await ledger.rows.wholePauses(project),
    isResuming: (await ledger.requests.pending(project)).some(({ kind }) => kind === "resume-project"),
    open: (await ledger.journal.open(project)).filter(({ state }) => state !== "PREPARED").length,
    waits: (await ledger.rows.waiting(project, mostRead, ["paused"])).filter(({ cause }) =>
      isPausedAsWhole(cause),
    ),
  }));
  const pauses = of === "all" ? await ledger.rows.wholePauses(undefined) : (found[0]?.pauses ?? []);
  return {
    since: pauses.find((pause) => pause.of === of)?.since,
    isResuming: found.some(({ isResuming }) => isResuming),
    open: sum(found.map(({ open }) => open)),
    waits: found.flatMap(({ waits }) => waits),
  };
}

/** So much of what a pause holds up is looked at. */
const mostRead = 10_000;

/** A line for what is alike: what it would write, and how many voters would be notified. */
function tellWaits(waits: readonly WaitingRow[]): readonly string[] {
  if (waits.length === 0) return ["As of the last run it holds nothing up."];
  return groupWaiting(waits, false).flatMap(({ lines, shown, isGroup, notified }) => {
    const named = shown.map((wait) => {
      const what = isGroup ? "" : `: ${describePlanned(wait.planned, true)}`;
      return `${nameTitled(wait)}${what}`;
    });
    if (!isGroup) return named;
    return [
      `${lines.length} alike${notified === "" ? "" : `; ${notified}`}; for example ${named.join(", ")}`,
    ];
  });
}
