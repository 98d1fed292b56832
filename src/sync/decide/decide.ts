import type { Intent } from "../../ledger/journal.ts";
import { beyondReach } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { type Action, countIssues, type Decision, isNotifying } from "../../plan/action.ts";
import { isUnsettled } from "../../plan/ahead.ts";
import { type GuardVerdict, guard } from "../../plan/guard.ts";
import { absence, isAllowed } from "../../plan/obstacle.ts";
import { planRow } from "../../plan/plan.ts";
import { contentSignature, planSignature } from "../../plan/print.ts";
import type { Settings } from "../../plan/settings.ts";
import { wishedActions } from "../../plan/wished.ts";
import { attemptNow } from "../ground/attempt.ts";
import { delayAction, isApproved, type PulledCycle } from "../ground/cycle-state.ts";
import { eachDueRowInTurns } from "../ground/due-rows.ts";
import { isSameAsked } from "../ground/holds.ts";
import { lanesOf } from "../ground/lane.ts";
import { recordDecision, recordRow } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { postsWith, type Wanted } from "../ground/wanted.ts";
import type { PlannedAction, SavedAction } from "../ground/world.ts";
import { saveActions, withoutTexts } from "../orders/plan-file.ts";
import { approveSaved } from "../orders/saved-actions.ts";
import { adoptDecision, adoptMarked } from "../past/adopt.ts";
import { isAbsenceSaid } from "../read/absent.ts";
import { holdNamed } from "../read/naming.ts";
import { publicHold } from "../read/visibility.ts";
import { planLater, timeWrites } from "./plan-later.ts";
import { describeAction, describeChange, withoutRepeated } from "./plan-lines.ts";
import { markApproved, takeRequests } from "./requests.ts";

/** Voters count as notified by one burst for this long. */
const guardWindowMs = 3_600_000;

/**
 * Decides every due row. What needs no write is recorded at once; a row with actions stays due until they are done. Then
 * the guard looks over all of it, before the first write.
 */
export async function decide(cycle: PulledCycle): Promise<readonly Wanted[]> {
  takeRequests(cycle);
  const wanted: Wanted[] = [];
  const unsettled = new Set<PostId>();
  const show = countProgress(cycle);
  await eachDueRowInTurns(cycle, (row, now) => {
    show();
    const decided = attemptNow(cycle, row.post.id, () => decideRow(cycle, row, now));
    if (decided === undefined || decided === "unsettled") unsettled.add(row.post.id);
    else wanted.push(...decided);
  });
  const all = holdBack(cycle, await holdNamed(cycle, wanted), unsettled);
  const judged = withoutFollowing(all);
  recordHeld(cycle, judged);
  dropUnwanted(cycle, judged);
  if (cycle.run.mode === "plan") tellPlan(cycle, all, judged);
  return judged;
}

/** What the next run does, and what follows it by itself or when a person lets it go. */
function tellPlan(cycle: PulledCycle, all: readonly Wanted[], judged: readonly Wanted[]): void {
  const later = timeWrites(cycle, judged);
  const timed = judged.flatMap((action) => {
    const notBefore = later.get(action);
    const lines = showLines(action);
    if (!later.has(action)) return lines;
    return lines.map((line) => (line.when === "now" ? { ...line, ...laterThan(notBefore) } : line));
  });
  const going = new Set(judged);
  const following = all.filter((action) => !going.has(action)).flatMap(showLines);
  const { planned } = cycle.tally;
  planned.push(...withoutRepeated(timed));
  planned.push(
    ...following.map((line) => (line.when === "now" ? { ...line, ...laterThan(undefined) } : line)),
  );
  planned.push(...planLater(cycle));
  cycle.tally.saved = saveActions(cycle, judged.map(toSaved));
}

function laterThan(notBefore: string | undefined): Pick<PlannedAction, "when" | "notBefore"> {
  return { when: "later", ...(notBefore !== undefined && { notBefore }) };
}

/** Told of every row. A board that has just grown takes a while, and the pages' bar has come to its end by then. */
function countProgress({ world, project }: PulledCycle): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (done % shownAtOnce > 0) return;
    world.progress?.show({ project: project.key, what: "posts decided", done, total: undefined });
  };
}

const shownAtOnce = 500;

/** Decides one row as it is now, and records what needs no write. */
function decideRow(cycle: PulledCycle, row: Row, now: number): readonly Wanted[] | "unsettled" {
  if (adoptMarked(cycle, row, now)) return [];
  if (cycle.run.mode === "adopt") {
    adoptDecision(cycle, row, now);
    return [];
  }
  const decision = planRow(row, cycle.context(now));
  sayUndecided(cycle, row, decision);
  // A quarantine counts from here on, for the note of the post, too.
  const isQuarantined = decision.notes.some(({ kind }) => kind === "quarantined");
  if (decision.actions.length === 0 || isQuarantined) recordDecision(cycle, row, decision, now);
  if (decision.actions.length === 0 && isUnsettled(row, decision)) return "unsettled";
  return decision.actions.map((action) => ({
    post: row.post.id,
    kind: action.kind,
    issues: countIssues(action),
    isNotifying: isNotifying(action),
    lanes: lanesOf(cycle.world, action),
    hold: holdOf(cycle, action),
    signature: contentSignature(action),
    planned: describeChange(cycle, row, action),
    planSignature: planSignature(action),
    held: undefined,
    isApprovable: false,
    followUpHeld: undefined,
    lines: cycle.run.mode === "plan" ? describeAction(cycle, row, action) : [],
  }));
}

/** Why a person has to let an action go, whatever the guard says. */
function holdOf(cycle: PulledCycle, action: Action): string | undefined {
  switch (action.kind) {
    case "patch-post":
    case "change-issue":
      return action.hold;
    case "create-issue":
      return publicHold(cycle, cycle.repositories.get(action.repo), action.post);
    case "update-issue":
    case "comment-issue":
      return undefined;
  }
}

/** A fact that is missing is a failure; of an issue that is not where it was, that has been said by itself. */
function sayUndecided(cycle: PulledCycle, row: Row, { notes }: Decision): void {
  const undecided = notes.filter(({ kind }) => kind === "undecided");
  if (undecided.length === 0 || isAbsenceSaid(cycle, row)) return;
  for (const { message } of undecided) {
    const failure = { post: row.post.id, code: "tracker.undecided", message };
    if (!message.includes(beyondReach)) noteError(cycle.tally, failure);
    else if (isDaily(cycle, row)) cycle.world.log.warn({ project: cycle.project.key, ...failure }, tooMuch);
  }
}

const tooMuch =
  "A post stays undecided, because its issue shows more than can be read; nothing else waits for it";
const dayMs = 24 * 3_600_000;

/** Anybody may add to what is too much to be read, so it is no failure of the run, and said at first and once a day. */
function isDaily({ world: { ledger, clock }, memory, project }: PulledCycle, { post }: Row): boolean {
  const said = ledger.lookup.notes(memory.id, post.id).find(({ message }) => message.includes(beyondReach));
  const last = ledger.runs.last(project.key)?.finishedAt;
  if (said === undefined || last === undefined) return true;
  const days = (at: number): number => Math.floor((at - said.since) / dayMs);
  return days(clock.now()) > days(last);
}

function holdBack(
  cycle: PulledCycle,
  wanted: readonly Wanted[],
  unsettled: ReadonlySet<PostId>,
): readonly Wanted[] {
  approveSaved(cycle, wanted);
  markApproved(cycle, wanted, unsettled);
  return judge(cycle, wanted);
}

/**
 * Nothing is said of a post between our PATCH and the next look at it, so what board rules ask for then waits for the next run:
 * no plan names what the run after it will not send.
 */
function withoutFollowing(judged: readonly Wanted[]): readonly Wanted[] {
  const patched = postsWith(judged, "patch-post");
  return judged.filter(({ post, kind }) => !isOfBoardRule(kind) || !patched.has(post));
}

function isOfBoardRule(kind: Wanted["kind"]): boolean {
  return kind === "change-issue" || kind === "comment-issue";
}

/**
 * Says of every action why it is held, if it is. What a person approved goes. What was held before stays held until then,
 * whatever room there is by now. Neither fills the guard's measure: new actions are counted by themselves.
 */
function judge(cycle: PulledCycle, wanted: readonly Wanted[]): readonly Wanted[] {
  const { world, memory, settings, tally } = cycle;
  const since = world.clock.now() - guardWindowMs;
  const isFree = ({ post, kind }: Wanted): boolean => isApproved(cycle, post, kind);
  const holds = Map.groupBy(world.ledger.rows.held(memory.id), ({ post }) => post);
  const holdOn = (action: Wanted): string | undefined =>
    holds.get(action.post)?.find((held) => held.planned?.isPassing !== true && isSameAsked(held, action))
      ?.message;
  const verdict = guard(
    wanted
      .filter((action) => action.hold === undefined && holdOn(action) === undefined)
      .map((action) => ({ ...action, isApproved: isFree(action) })),
    { statusWrites: world.ledger.journal.statusWrites(memory.id, since) },
    settings.guard,
  );
  return wanted.map((action) => {
    const isPatch = action.kind === "patch-post";
    const { holdIssues, holdStatuses } = isFree(action) ? nothingHeld : verdict;
    const heldStatus = action.isNotifying ? holdStatuses : undefined;
    const before = isFree(action) ? undefined : (action.hold ?? holdOn(action));
    const held = before ?? (isPatch ? heldStatus : holdIssues);
    const isFollowed = isAllowed({ kind: "patch-post" }, settings);
    const followUpHeld = isFollowed ? heldStatus : writesHold(settings);
    // These hold more than the action, and end with their cause.
    const other = isAllowed(action, settings) ? tally.hold : writesHold(settings);
    return {
      ...action,
      held: other ?? held,
      // What the guard would hold anew waits for nobody while it is held for another reason.
      isApprovable: other === undefined ? held !== undefined : before !== undefined,
      ...(!isPatch && { followUpHeld }),
    };
  });
}

function writesHold({ writes }: Pick<Settings, "writes">): string {
  return `\`writes: ${writes}\` in the config`;
}

const nothingHeld: GuardVerdict = { holdIssues: undefined, holdStatuses: undefined };

/** A held action says so for as long as it is held: its row stays due, until it is approved or no longer wanted. */
function recordHeld(cycle: PulledCycle, judged: readonly Wanted[]): void {
  const held = judged.filter((action) => action.held !== undefined);
  for (const { post, kind, hold, held: message = "", isApprovable } of held) {
    // What holds a new issue beside the guard is its repository, or what is there already.
    const isPassing = kind === "create-issue" && message === hold;
    const delay = {
      kind: "held",
      message,
      ...(isApprovable && { isApprovable }),
      ...(isPassing && { isPassing }),
    } as const;
    delayAction(cycle, { post, kind }, delay);
  }
  if (held.length === 0) return;
  cycle.world.ledger.transaction(() => {
    for (const post of new Set(held.map(({ post }) => post))) {
      attemptNow(cycle, post, () => recordRow(cycle, post));
    }
  });
}

/** What was prepared for an earlier run and is not asked for any more ends here. */
function dropUnwanted(cycle: PulledCycle, judged: readonly Wanted[]): void {
  for (const intent of cycle.world.ledger.journal.open(cycle.memory.id)) {
    const { post, kind, state } = intent;
    if (state !== "PREPARED" || judged.some((wanted) => wanted.post === post && wanted.kind === kind))
      continue;
    attemptNow(cycle, post, () => dropIfUnwanted(cycle, intent));
  }
}

function dropIfUnwanted(cycle: PulledCycle, { id, post, kind }: Intent): void {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const row = ledger.rows.row(cycle.memory.id, post, now);
  if (row === undefined) return;
  // For a post that people took away nothing is wanted; should it come back, it is decided afresh.
  const wished = absence(row) === undefined ? wishedActions(row, cycle.context(now)) : [];
  if (wished === undefined || wished.some((action) => action.kind === kind)) return;
  ledger.journal.resolve(id, "REJECTED", now, "not sent; it is not wanted any more");
}

function toSaved(wanted: Wanted): SavedAction {
  const { kind, post, planSignature: signature } = wanted;
  return { kind, post, signature, lines: showLines(wanted).map(withoutTexts) };
}

/** A change of several issues has a line for each; the PATCH that a create leads to is held for reasons of its own. */
function showLines({ kind, lines, held, followUpHeld }: Wanted): readonly PlannedAction[] {
  return lines.map((line) => {
    const why = line.kind === kind ? held : (held ?? followUpHeld);
    return why === undefined ? line : { ...line, when: "held", held: why };
  });
}
