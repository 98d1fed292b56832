import type { IssueField } from "../../src/model/issue.ts";
import type { Row } from "../../src/model/link.ts";
import type { FieldValue, PostId } from "../../src/model/post.ts";
import { conflictOf } from "../../src/plan/fields/decide.ts";
import { isSameValue } from "../../src/plan/ground/fields.ts";
import { labelOf } from "../../src/plan/ground/issue-fields.ts";
import { byVotes, sortsByVotes } from "../../src/plan/ground/settings.ts";
import type { BoardPost } from "./board-server.ts";
import type { Time } from "./clock.ts";
import type { HubIssue } from "./github-server.ts";
import type { Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import type { State } from "./state.ts";
import type { Targets } from "./targets.ts";
import type { Check, Violate } from "./watcher.ts";
import { voteLabels } from "./wishes.ts";

const labels: readonly string[] = Object.values(voteLabels);

/** Whether a field of an issue is one of its labels by votes: these follow the votes, and no board rule asks for them. */
export function isVoteLabel(field: string): boolean {
  return labels.includes(labelOf(field as IssueField) ?? "");
}

/** Whether a value is the order that a rule by votes asks for. */
export function isOrderByVotes(asked: FieldValue, value: FieldValue, votes: FieldValue | undefined): boolean {
  return asked === byVotes && value === 0 - Number(votes);
}

/** What became of labels by votes. */
export interface VoteLabels {
  readonly check: Check;
  /** Whether people had a say in those of an issue, or the state may not know what we had. */
  isTouched(issue: HubIssue): boolean;
}

/** I21 on issues: a label by votes that we have never set is a person's, and stays. */
export function createVoteLabels(state: State, violate: Violate): VoteLabels {
  const planned = state.look<[number, number], { found: number }>(
    "SELECT 1 AS found FROM issue_bases WHERE repository = ? AND number = ? AND field LIKE 'label:votes%' LIMIT 1",
  );
  const given = new Map<HubIssue, Set<string>>();
  const shown = new Map<HubIssue, string>();
  const touched = new Set<HubIssue>();
  let isLost = false;
  const look = (issue: HubIssue): string => {
    const now = labelsOn(issue).join();
    shown.set(issue, now);
    return now;
  };
  const lose = (): void => {
    isLost = true;
  };
  const give = (issue: HubIssue, names: readonly string[]): void => {
    const known = given.get(issue) ?? new Set();
    for (const name of names) known.add(name);
    given.set(issue, known);
  };
  const check: Check = {
    issueOpens(issue) {
      give(issue, issue.record.issue.labels);
      look(issue);
    },
    // Of one whose answer is lost, what the issue shows later counts as ours.
    issueWriteLeaves({ life, repository, write, isHeard }) {
      const issue =
        "number" in write ? repository.issues.find(({ number }) => number === write.number) : undefined;
      // What a person takes back stays so.
      if (life.mode === "undo" && issue !== undefined) touched.add(issue);
      if (write.kind !== "add-labels" || isHeard) return;
      if (issue !== undefined) give(issue, write.labels);
    },
    issueIsWritten({ issue, before, write }) {
      if (write.kind === "add-labels") give(issue, write.labels);
      look(issue);
      if (write.kind !== "remove-label" || !labels.includes(write.label)) return;
      if (before.labels.includes(write.label) && given.get(issue)?.has(write.label) !== true) {
        const name = `${issue.repository.name}#${issue.number}`;
        violate("I21", `'${write.label}' is taken from ${name}, and only a person has set it there`);
      }
    },
    issueMoves(issue) {
      const before = shown.get(issue) ?? "";
      if (look(issue) === before) return;
      touched.add(issue);
      // Of an issue that was opened just now, nobody can tell what it was opened with.
      if (planned(issue.repository.id, issue.number).length === 0) give(issue, labelsOn(issue));
    },
    stateIsLost: lose,
    copyReturns: lose,
    settingsChange: lose,
  };
  return { check, isTouched: (issue) => isLost || touched.has(issue) };
}

function labelsOn({ record }: HubIssue): readonly string[] {
  return record.issue.labels.filter((label) => labels.includes(label));
}

/** I21 at the board: an order by votes comes alone, and of one post at most once each `fullEvery`. */
export function checkOrders(
  time: Time,
  { policy, settings }: Scenario,
  targets: Targets,
  violate: Violate,
): Check {
  const sent = new Map<PostId, number>();
  const forget = (): void => sent.clear();
  return {
    patchLeaves({ post, change }) {
      if (!sortsByVotes(settings) || change.roadmapOrder === undefined) return;
      if (Object.keys(change).length > 1)
        violate("I21", `the order by votes of ${post} is sent with ${Object.keys(change).join(", ")}`);
      const last = sent.get(post);
      const asked = targets.of(post, "roadmapOrder")?.target;
      // What was there before is put back as soon as no rule asks for an order any more.
      if (asked?.kind !== "value" || asked.value !== byVotes) return;
      if (last === undefined || time.now() - last >= policy.fullEveryMs) return;
      violate(
        "I21",
        `the order by votes of ${post} is sent twice within ${policy.fullEveryMs / 3_600_000} h`,
      );
    },
    patchTakesEffect(post, change, { isAnswered, leftAt }) {
      if (change.roadmapOrder !== undefined && isAnswered) sent.set(post.id, leftAt);
    },
    // What is not known of is sent once more.
    processEnds: forget,
    stateIsLost: forget,
    copyReturns: forget,
    clockLeaps: forget,
    settingsChange: forget,
    personOrders: forget,
  };
}

/**
 * I17: a person's change of a status pauses its post, where the config says so. What is looked at is the plain case: both sides
 * had agreed on what we wrote, nobody has moved the issue since, and a whole run has seen the change.
 */
export function checkConflictPauses(
  time: Time,
  scenario: Scenario,
  state: State,
  targets: Targets,
  violate: Violate,
): Check {
  // A list that showed our write, and that no run came to decide on, tells nothing of whose change the next one shows.
  const confirmed = state.look<[string], { found: number }>(`
    SELECT 1 AS found FROM bases JOIN posts ON posts.number = bases.post
    WHERE posts.id = ? AND field = 'status' AND written_shown IS NOT NULL`);
  const agreed = new Map<PostId, FieldValue>();
  const moved = new Map<PostId, FieldValue>();
  const paused = new Set<PostId>();
  /** When our PATCHes left: for a while a list that shows something else may be an old one. */
  const leftAt = new Map<PostId, number>();
  let isWhole = true;
  const forget = (): void => {
    for (const known of [agreed, moved, paused]) known.clear();
  };
  const targetOf = (post: PostId): FieldValue | undefined => {
    const target = targets.of(post, "status")?.target;
    return target?.kind === "value" ? target.value : undefined;
  };
  /** An issue that comes to what the person has made of the post gives them nothing to differ about. */
  const dropAgreed = (): void => {
    for (const [post, value] of moved) if (isSame(value, targetOf(post))) moved.delete(post);
  };
  return {
    runBegins() {
      isWhole = true;
      for (const post of agreed.keys()) if (confirmed(post).length === 0) agreed.delete(post);
    },
    boardShows(posts) {
      const isShown = !scenario.board.hidden.includes("status");
      if (!isShown || conflictOf("status", scenario.settings) !== "pause") return;
      for (const { id, values, touched, isLate } of posts) {
        const [status, target] = [values.status, targetOf(id)];
        if (isLate === true || status === undefined) continue;
        const by = touched.get("status")?.by;
        const isFresh =
          time.now() - (leftAt.get(id) ?? -scenario.policy.waits.patchMs) < scenario.policy.waits.patchMs;
        if (by === "person" && isFresh) agreed.delete(id);
        if (by === "us" && isSame(status, target)) agreed.set(id, status);
        else if (by !== "person" || !isSame(agreed.get(id), target)) agreed.delete(id);
        if (by === "person" && agreed.has(id) && !isSame(status, target)) moved.set(id, status);
        else moved.delete(id);
      }
    },
    runEnds() {
      dropAgreed();
      if (isWhole) for (const post of moved.keys()) paused.add(post);
    },
    patchLeaves({ post, change }) {
      leftAt.set(post, time.now());
      if (paused.has(post) && change.status !== undefined)
        violate("I17", `${post} is to become ${change.status}, and a person's change has paused it`);
    },
    issueMoves: dropAgreed,
    issueIsWritten: dropAgreed,
    processEnds() {
      isWhole = false;
    },
    stateIsLost: forget,
    copyReturns: forget,
    settingsChange: forget,
    personOrders: forget,
    postMoves: forget,
  };
}

function isSame(one: FieldValue | undefined, other: FieldValue | undefined): boolean {
  return one !== undefined && other !== undefined && isSameValue("status", one, other);
}

/** I3 for what follows the votes: a label of ours, and the place in the column. */
export function checkVotesAtRest(stage: Stage, post: BoardPost, row: Row, waits: ReadonlySet<string>): void {
  const { scenario, watch } = stage;
  const { votes, isArchived } = post.values;
  const isIdle = waits.size > 0 || scenario.board.hidden.includes("votes") || isArchived === true;
  if (isIdle || typeof votes !== "number" || watch.links.isOrdered(post.id)) return;
  checkLabelAtRest(stage, post, row, votes);
  const asked = watch.targets.of(post.id, "roadmapOrder")?.target;
  const isOurs = post.touched.get("roadmapOrder")?.by === "us";
  if (!sortsByVotes(scenario.settings)) return;
  if (asked?.kind === "value" && asked.value === byVotes && isOurs && post.values.roadmapOrder !== 0 - votes)
    watch.violate("I3", `${post.id} has ${votes} votes and the order ${post.values.roadmapOrder}`);
}

function checkLabelAtRest({ scenario, watch, hub }: Stage, post: BoardPost, row: Row, votes: number): void {
  const [linked, another] = row.links;
  // What a person has discarded stays as it was then.
  if (watch.links.isUnwanted(post.id)) return;
  if (scenario.settings.issue.voteLabels === undefined || linked === undefined || another !== undefined)
    return;
  const { repositoryId, number } = linked.link.issue;
  const issue = hub.find(repositoryId, number);
  if (issue === undefined || issue.openedFor.length > 1 || watch.links.postsOf(issue).length > 0) return;
  if (!hub.canPush || watch.voteLabels.isTouched(issue)) return;
  const shown = labelsOn(issue);
  const wanted = votes >= 5 ? [voteLabels[5]] : votes >= 2 ? [voteLabels[2]] : [];
  if (shown.join() === wanted.join()) return;
  watch.violate(
    "I3",
    `${issue.repository.name}#${number} has ${shown.join(", ") || "no label by votes"}, and ${post.id} has ${votes} votes`,
  );
}
