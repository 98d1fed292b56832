import type { PostId } from "../../src/model/post.ts";
import { parseMarker } from "../../src/plan/text/marker.ts";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import type { Looks } from "./checks-board.ts";
import { kindOf } from "./checks-state.ts";
import { isChange } from "./github.ts";
import { type HubIssue, type HubRepository, isOutOfReach } from "./github-server.ts";
import type { LinkOrders } from "./link-orders.ts";
import { placesOf } from "./places.ts";
import type { Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import type { Check, LeavingIssueWrite, Violate } from "./watcher.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * I1: at most one issue is opened per post. One that people deleted before the state was lost nobody can know of. One that is out of reach, or that the post was unlinked from, is given up where a person orders `retry`.
 */
export function checkOnce(state: State, orders: LinkOrders, violate: Violate): Check {
  const opened = new Map<PostId, readonly HubIssue[]>();
  const isLinked = state.look<[string, number, number], { found: number }>(
    `SELECT 1 AS found FROM links JOIN posts ON posts.number = links.post
     WHERE posts.id = ? AND links.repository = ? AND links.number = ?`,
  );
  const retried = new Set<PostId>();
  const forgotten = new Set<HubIssue>();
  const forget = (): void => {
    for (const issue of [...opened.values()].flat()) forgotten.add(issue);
  };
  return {
    stateIsLost: forget,
    copyReturns: forget,
    personOrders(order) {
      if (order.kind === "retry") for (const post of order.posts) retried.add(post);
    },
    issueOpens(issue) {
      for (const post of issue.openedFor) {
        const others = (opened.get(post) ?? []).filter((other) => {
          const { isDeleted, repository, number } = other;
          if (retried.has(post) && isOutOfReach(other)) return false;
          if (orders.isGivenUp(post, other)) return false;
          return !(isDeleted && forgotten.has(other)) || isLinked(post, repository.id, number).length > 0;
        });
        const all = [...others, issue];
        opened.set(post, all);
        const names = all.map(({ repository, number }) => `${repository.name}#${number}`);
        if (all.length > 1) violate("I1", `${post} has ${all.length} issues: ${names.join(", ")}`);
      }
    },
  };
}

/** I4, I6, I7: only what was selected is published, nothing of another post, and only issues of ours are written. */
export function checkContent(looks: Looks, orders: LinkOrders, violate: Violate): Check {
  return {
    issueWriteLeaves({ repository, write }) {
      if (write.kind === "create-label") return;
      const body = ("body" in write && write.body) || "";
      const issue = write.kind === "create-issue" ? undefined : findIssue(repository, write.number);
      const marker = write.kind === "create-issue" ? parseMarker(body) : undefined;
      const posts = write.kind === "create-issue" ? (marker?.posts ?? []) : issue?.openedFor;
      const isOpened = issue !== undefined && issue.openedFor.length > 0;
      const isLinked = issue !== undefined && isChange(write) && orders.postsOf(issue).length > 0;
      if (write.kind !== "create-issue" && !isOpened && !isLinked) {
        violate("I7", `${repository.name}#${write.number} is written, and boardsync did not open it`);
      }
      for (const [, named] of body.matchAll(/Canary of (p\d+) in version/g)) {
        const isOrdered = orders.isLinked(named as PostId, issue);
        if (!isOrdered && !posts?.some((post) => post === named))
          violate("I4", `the text of ${named} gets into an issue of ${posts}`);
      }
      if (marker === undefined) return;
      for (const post of marker.posts) {
        if (!looks.isSelected(post, marker.project))
          violate("I4", `${post} is published although the board's last look at it does not select it`);
        const absences = looks.absences(post, marker.project);
        if (absences > 0 && !looks.isDoubtful(post, marker.project))
          violate(
            "I6",
            `an issue for ${post} is opened although the last ${absences} complete lists lacked it`,
          );
      }
    },
  };
}

/** I10 at the tracker: never more issues in a run than the guard allows, but for those that a person let go. */
export function checkIssueGuard(scenario: Scenario, orders: LinkOrders, violate: Violate): Check {
  let issues = new Set<string>();
  const approved = new Set<string>();
  const used = new Set<string>();
  const opened = new Map<string, HubIssue>();
  return {
    runBegins() {
      issues = new Set();
      // Nobody can know of an issue that people deleted before an answer told of it: for the program nothing took effect.
      for (const action of used) if (opened.get(action)?.isDeleted !== true) approved.delete(action);
      used.clear();
    },
    issueOpens(issue) {
      for (const post of issue.openedFor) opened.set(`create-issue ${post}`, issue);
    },
    stateIsLost() {
      approved.clear();
    },
    personOrders(order) {
      if (order.kind === "retry") for (const post of order.posts) approved.add(`create-issue ${post}`);
      if (order.kind !== "approve") return;
      for (const { post, kind } of order.actions) {
        approved.add(`${kind} ${post}`);
        used.delete(`${kind} ${post}`);
      }
    },
    issueWriteLeaves({ repository, write, isHeard }) {
      const { settings } = scenario;
      const most = settings.guard.issues * placesOf(scenario).length;
      if (settings.writes === "none")
        violate("I10", `${write.kind} leaves although \`writes\` is ${settings.writes}`);
      if (write.kind === "create-label") return;
      const posts = postsOf(repository, write, orders);
      const action = posts.map((post) => `${kindOf(write)} ${post}`).find((one) => approved.has(one));
      if (action !== undefined && isHeard) used.add(action);
      if (action !== undefined) return;
      issues.add(write.kind === "create-issue" ? `for ${posts}` : `${repository.name}#${write.number}`);
      if (issues.size > most) {
        violate("I10", `${issues.size} issues in one run; guard.issues allows ${most} in all projects`);
      }
    },
  };
}

/** The posts that a write may be for. */
function postsOf(
  repository: HubRepository,
  write: Exclude<IssueWrite, { kind: "create-label" }>,
  orders: LinkOrders,
): readonly PostId[] {
  if (write.kind === "create-issue") return parseMarker(write.body)?.posts ?? [];
  const issue = findIssue(repository, write.number);
  return issue === undefined ? [] : [...issue.openedFor, ...orders.postsOf(issue)];
}

/** An issue of a repository; it may have been transferred while a write to it was under way. */
function findIssue({ issues, left }: HubRepository, wanted: number): HubIssue | undefined {
  return issues.find(({ number }) => number === wanted) ?? left.get(wanted);
}

/** I11: the pace, across restarts; and silence while a limit holds. */
export function checkPace(programTime: () => number, { policy }: Scenario, violate: Violate): Check {
  const { pace } = policy;
  let all: number[] = [];
  let creates: number[] = [];
  const whole = createSilence(programTime);
  const ofSignals = createSilence(programTime);
  /** Whoever stood still between its turn of the pace and the request could not know it: that time is not counted. */
  const pacedAt = ({ life: { still }, leftAt }: LeavingIssueWrite): number =>
    still !== undefined && leftAt - still.until < pace.minIntervalMs ? still.from : leftAt;
  const within = (times: readonly number[], windowMs: number, now: number): number =>
    times.filter((at) => at > now - windowMs).length;
  const limit = (words: string, count: number, most: number, window: string): void => {
    if (count > most) violate("I11", `${count} ${words} within ${window}; ${most} are allowed`);
  };
  const note = (leaving: LeavingIssueWrite): void => {
    const { write, leftAt } = leaving;
    const last = all.at(-1);
    if (last !== undefined && leftAt - last < pace.minIntervalMs) {
      violate(
        "I11",
        `${leftAt - last} ms between two writes to the tracker; at least ${pace.minIntervalMs} are promised`,
      );
    }
    const countedAt = pacedAt(leaving);
    all = [...all.filter((at) => at > leftAt - hourMs), countedAt];
    limit("writes to the tracker", all.length, pace.writesPerHour, "an hour");
    if (write.kind !== "create-issue") return;
    creates = [...creates.filter((at) => at > leftAt - hourMs), countedAt];
    limit("issues", creates.length, pace.createsPerHour, "an hour");
    limit("issues", within(creates, minuteMs, leftAt), pace.createsPerMinute, "a minute");
  };
  return {
    runBegins() {
      whole.runBegins();
      ofSignals.runBegins();
    },
    runEnds() {
      whole.runEnds();
      ofSignals.runEnds();
    },
    processEnds() {
      whole.processEnds();
      ofSignals.processEnds();
    },
    stateIsLost() {
      all = [];
      creates = [];
      whole.forget();
      ofSignals.forget();
    },
    issueWriteLeaves(leaving) {
      if (whole.holds()) violate("I11", `${leaving.write.kind} leaves while the tracker's limit still holds`);
      if (leaving.hasArrived) note(leaving);
    },
    trackerAsked() {
      if (whole.holds()) violate("I11", "the tracker is asked while its limit still holds");
    },
    clockLeaps(ms) {
      whole.clockLeaps(ms);
      ofSignals.clockLeaps(ms);
      // What the program takes for past is past for its limits; set back, it only waits longer.
      if (ms <= 0) return;
      all = all.map((at) => at - ms);
      creates = creates.map((at) => at - ms);
    },
    trackerLimits: whole.limit,
    signalsAsked() {
      if (ofSignals.holds()) violate("I11", "signals are asked for while their limit still holds");
    },
    signalsLimits: ofSignals.limit,
  };
}

/** The time in which a limit lets nothing be asked. */
function createSilence(programTime: () => number) {
  let limitedUntil = 0;
  /** As it was when the run began: a process that dies in a run may not have stored what it was told in it. */
  let limitedBefore = 0;
  let isRunning = false;
  return {
    holds: (): boolean => programTime() < limitedUntil,
    limit(until: number): void {
      limitedUntil = Math.max(limitedUntil, until);
    },
    runBegins(): void {
      limitedBefore = limitedUntil;
      isRunning = true;
    },
    runEnds(): void {
      isRunning = false;
    },
    processEnds(): void {
      if (isRunning) limitedUntil = limitedBefore;
    },
    forget(): void {
      limitedUntil = 0;
      limitedBefore = 0;
    },
    clockLeaps(ms: number): void {
      // What was over before the clock was set back is over; what was not holds for as long as it was to hold.
      if (programTime() - ms >= limitedUntil) limitedUntil = 0;
      else if (ms < 0) [limitedUntil, limitedBefore] = [limitedUntil + ms, limitedBefore + ms];
    },
  };
}
