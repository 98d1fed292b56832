import { buildWorld } from "../../app.ts";
import { StateError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { knownSchema } from "../../ledger/sqlite/migrate.ts";
import { select } from "../../select.ts";
import { findNames, findUnnamed } from "../../story/check/check.ts";
import type { Finding } from "../../story/check/findings.ts";
import { adviceOn } from "../../sync/ground/remedy.ts";
import type { PlannedAction, ProjectReport, ReportedError } from "../../sync/ground/reports.ts";
import { describeNotified } from "../../sync/ground/voters.ts";
import { runProjects } from "../../sync/run.ts";
import { count } from "../../sync/tell/words.ts";
import { createTerminalLog, type Session } from "../open/session.ts";
import { placeOfState, withPrivateCopy } from "../open/state.ts";
import { type DraftedAction, hasDraft } from "../reports/plan.ts";

/** What the next sync of a project would do, as `check --json` prints it; what is held is in none of the other numbers. */
export interface Ahead extends ReturnType<typeof sumUp> {
  /** Drafts of the changelog that would be made, changed or published; absent where none would. */
  readonly drafts?: number;
}

/**
 * Plans every project on a private copy of the state. One that can't be planned is an error, as its next run would fail in the same
 * way; what only waits is said. The copy knows then, too, what has become of the names in the rules, and where issues are.
 *
 * @param said - what has been found wrong before: it need not be said twice.
 * @param isFirstDrafted - whether the first new issue is wanted, with all its text.
 */
export async function lookAhead(
  session: Session,
  said: readonly Finding[],
  isFirstDrafted: boolean,
): Promise<{
  readonly ahead: readonly Ahead[];
  readonly names: readonly Finding[];
  /** What keeps projects from being planned: their own, or the state. */
  readonly failed: readonly Finding[];
  readonly example?: DraftedAction | undefined;
}> {
  const { config, sides, projects, machine, terminal } = session;
  const { progress: _, ...unseen } = machine;
  // Whatever is wrong has been found and said by then.
  const quiet = { ...unseen, log: createTerminalLog(terminal, "fatal", (text) => text) };
  try {
    return await withPrivateCopy(placeOfState(terminal, config), async (ledger: Ledger) => {
      const known = new Set(
        (await select(projects, async ({ key }) => (await ledger.runs.last(key)) !== undefined)).map(
          ({ key }) => key,
        ),
      );
      const world = buildWorld(config, sides, ledger, quiet);
      let isWanted = isFirstDrafted;
      const shows = (): boolean => {
        const isShown = isWanted;
        isWanted = false;
        return isShown;
      };
      const { plan, report } = await runProjects(projects, world, { kind: "plan", shows }, terminal.signal);
      const isKnown = (project: string, code: string): boolean =>
        said.some((one) => isOf(one, project, code));
      const failed = plan.projects.flatMap(({ project, errors }) =>
        errors
          .filter(({ post, code }) => post === undefined && !isOfTime(code) && !isKnown(project, code))
          .map(({ code, message }): Finding => ({ level: "error", subject: project, code, message })),
      );
      const ahead = plan.projects.flatMap(({ project, actions, entries = [], errors }) => {
        const found = report.projects.find((one) => one.project === project);
        const unlooked = errors.filter(({ post }) => post === undefined);
        if (found === undefined || failed.some(({ subject }) => subject === project)) return [];
        // The copy may still take the name for what it was.
        if (isKnown(project, "board.project") || unlooked.some(({ code }) => isKnown(project, code)))
          return [];
        const planned = unlooked.length > 0 ? [] : actions;
        const drafts = entries.filter(({ when }) => when === "now").length;
        return [{ ...sumUp(planned, found, unlooked, !known.has(project)), ...(drafts > 0 && { drafts }) }];
      });
      return {
        ahead,
        failed,
        example: plan.projects.flatMap(({ actions }) => actions).find(hasDraft),
        names: [
          ...(await findNames(ledger, world.policy.projectKeys)),
          ...(await findUnnamed(ledger, projects)),
        ],
      };
    });
  } catch (error) {
    if (error instanceof StateError) return { ahead: [], names: [], failed: [findUnread(error)] };
    throw error;
  }
}

/** A state that can't be read; one of an older schema is brought up to date by the next run. */
function findUnread({ code, message, schema = knownSchema }: StateError): Finding {
  const advice = adviceOn({ code, detail: undefined });
  const level = schema < knownSchema ? "warning" : "error";
  return { level, subject: "state", code, message, ...(advice !== undefined && { advice }) };
}

/** Whether it is over by itself: a limit, the end of the time, a signal. */
function isOfTime(code: string): boolean {
  return /\.limited$|^run\./.test(code);
}

/** Whether a line of the check says already what keeps a project from being planned; a limit is said as what it puts off, too. */
function isOf({ level, subject, code }: Finding, project: string, failed: string): boolean {
  return level !== "ok" && subject === project && code === failed && !failed.endsWith(".limited");
}

function sumUp(
  actions: readonly PlannedAction[],
  report: ProjectReport,
  unlooked: readonly ReportedError[],
  isFirst: boolean,
) {
  const free = actions.filter(({ when }) => when === "now");
  const held = actions.filter(({ when }) => when === "held");
  const amount = (...kinds: readonly PlannedAction["kind"][]): number =>
    free.filter(({ kind }) => kinds.includes(kind)).length;
  const made = amount("create-post");
  return {
    project: report.project,
    /** Whether the project has never run on this state. */
    isFirst,
    opened: amount("create-issue"),
    linked: report.adopted,
    changed: amount("update-issue", "change-issue", "comment-issue"),
    patched: amount("patch-post", "patch-note"),
    /** Of issues. */
    ...(made > 0 && { made }),
    /** As far as the board shows votes. */
    notified: free.reduce((sum, { notifies }) => sum + (notifies ?? 0), 0),
    /** Posts whose voters would be notified, and of which the board does not show how many they are. */
    unseenVotes: free.filter(({ notifies }) => notifies === null).length,
    held: held.length,
    /** New issues for posts whose page an issue names already. */
    named: held.filter((action) => action.cause === "named").length,
    /** Why new issues are held because issues carry marks of another address of the board. */
    otherAddress: held.find((action) => action.cause === "other-address")?.held ?? null,
    /** Why something could not be looked at or would be left to a later run: a limit, the pace, the end of the time. */
    putOff: [
      ...(report.putOff ?? []),
      ...unlooked.map(({ code, message, until }) => {
        return { code, message: message.replace(/\.$/, ""), ...(until !== undefined && { until }) };
      }),
    ],
  };
}

/** The same as lines of the check. */
export function findAhead(ahead: readonly Ahead[]): readonly Finding[] {
  return ahead.flatMap((one): readonly Finding[] => {
    const { project: subject, putOff } = one;
    const level = putOff.length > 0 ? "warning" : "ok";
    const planned = { level, subject, code: undefined, message: describeAhead(one) } as const;
    if (one.otherAddress === null) return [planned];
    const message = `New issues wait for \`boardsync approve\`: ${one.otherAddress}.`;
    return [{ level: "warning", subject, code: "tracker.other-address", message }, planned];
  });
}

function describeAhead(ahead: Ahead): string {
  const { isFirst, opened, linked, changed, patched, notified, unseenVotes, held, named, putOff } = ahead;
  const { made = 0, drafts = 0 } = ahead;
  const why = putOff.map(({ message }) => message).join("; ");
  const parts = [
    { amount: linked, said: `${count(linked, "issue")} linked by the mark in them` },
    { amount: opened, said: `${count(opened, "issue")} opened` },
    { amount: changed, said: `${count(changed, "write")} to issues that are there` },
    { amount: patched, said: `${count(patched, "post")} patched` },
    { amount: made, said: `${count(made, "post")} made of issues` },
    { amount: drafts, said: `${count(drafts, "draft")} of the changelog` },
  ].filter(({ amount }) => amount > 0);
  if (parts.length + held === 0 && why !== "") return `Nothing could be planned: ${why}.`;
  const what = parts.length === 0 ? "nothing to do" : parts.map(({ said }) => said).join(", ");
  const voters = describeNotified({ known: notified, unknown: unseenVotes }) || "no voter to notify";
  const isThere =
    named === 0
      ? ""
      : ` (${named} because an issue names the post's page: \`boardsync link\` or \`approve\`)`;
  const rest = held === 0 ? "" : `; ${count(held, "further write")} to approve${isThere}`;
  return `The ${isFirst ? "first" : "next"} sync: ${what}, ${voters}${rest}${why && `; put off: ${why}`}.`;
}
