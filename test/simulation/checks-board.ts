import { type Post, type PostId, type ProjectId, postFields } from "../../src/model/post.ts";
import { isSameValue } from "../../src/plan/ground/fields.ts";
import { selectPost } from "../../src/plan/select.ts";
import type { BoardPost } from "./board-server.ts";
import type { Time } from "./clock.ts";
import type { HubServer } from "./github-server.ts";
import type { Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import type { Targets } from "./targets.ts";
import type { Check, Violate } from "./watcher.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * I2: voters hear at most once of a change of the target that people made, never of one that we made ourselves, and never twice
 * in a row of the same status. Once more for each
 * `retry` of a person, and for each `approve` of what other rules alone would change.
 */
export function checkMails(
  time: Time,
  targets: Targets,
  hub: HubServer,
  { board }: Scenario,
  violate: Violate,
): Check {
  const heard = new Map<PostId, number>();
  const ordered = new Map<PostId, { readonly count: number; readonly at: number }>();
  const order = (posts: readonly PostId[]): void => {
    for (const post of posts)
      ordered.set(post, { count: (ordered.get(post)?.count ?? 0) + 1, at: time.now() });
  };
  /** When the PATCHes left that took effect last, and when the state was lost last: true time. */
  const lastLeft = new Map<PostId, number>();
  let lostAt = 0;
  const lose = (): void => {
    lostAt = time.now();
    excuseLate();
  };
  /** Whether one of two PATCHes is of a state that was lost, and arrived only when the other had left: nobody could know of it. */
  const isOrphaned = (post: PostId, leftAt: number, lastAt: number): boolean => {
    const otherLeft = lastLeft.get(post) ?? 0;
    const isBetween = Math.min(leftAt, otherLeft) <= lostAt && lostAt <= Math.max(leftAt, otherLeft);
    return isBetween && (leftAt < otherLeft || lastAt >= leftAt);
  };
  /** What the lists do not show yet when the state is lost, and voters have heard of, or we have done, comes to light as a change. */
  const excuseLate = (): void => {
    const late = hub.repositories.flatMap(({ issues }) => issues.filter((issue) => !hub.isShown(issue)));
    const own = late.flatMap(({ openedFor }) => openedFor);
    order(
      [...new Set([...heard.keys(), ...own])].filter((post) =>
        targets.issuesOf(post).some((issue) => late.includes(issue)),
      ),
    );
  };
  return {
    stateIsLost: lose,
    copyReturns: lose,
    personOrders(asked, ruled) {
      if (asked.kind === "approve") order(ruled);
      if (asked.kind === "retry") order(asked.posts);
    },
    patchLeaves({ post, change }) {
      const history = targets.of(post, "status");
      if (change.status === undefined || history?.movedBy !== "us") return;
      if ((ordered.get(post)?.at ?? -1) >= history.movedAt) return;
      violate("I2", `the status of ${post} is to become ${change.status}, because we changed its issue`);
    },
    patchTakesEffect(post, change, before, changed) {
      const { status } = change;
      if (status === undefined || board.ignoresStatus) return;
      const last = before.touched.get("status");
      const isOrdered = last !== undefined && (ordered.get(post.id)?.at ?? -1) >= last.at;
      // A board that never shows a status is written blindly; that nothing changes there nobody hears.
      const isBlind = board.hidden.includes("status") && !changed.includes("status");
      const isUnknowable = isOrphaned(post.id, before.leftAt, last?.at ?? 0);
      lastLeft.set(post.id, before.leftAt);
      if (
        last?.by === "us" &&
        !isOrdered &&
        !isBlind &&
        !isUnknowable &&
        isSameValue("status", before.values.status, status)
      ) {
        violate(
          "I2",
          `the status of ${post.id} is set to ${status} twice in a row, and nobody changed it in between`,
        );
      }
      if (!changed.includes("status")) return;
      const mails = (heard.get(post.id) ?? 0) + 1;
      heard.set(post.id, mails);
      const changes = targets.of(post.id, "status")?.changes ?? 0;
      const orders = ordered.get(post.id)?.count ?? 0;
      if (mails > changes + orders) {
        violate(
          "I2",
          `the voters of ${post.id} were mailed ${mails} times; its target changed ${changes} times, and people ordered ${orders}`,
        );
      }
    },
  };
}

/** What the program may know of the posts: when the board showed each one last, and which lists lacked it. */
export interface Looks {
  readonly check: Check;
  at(post: PostId): number | undefined;
  /** When the page was asked for that showed the post last in this project. */
  askedAt(post: PostId, project: ProjectId): number | undefined;
  /** The program has decided to write to the post, and writes that down. */
  decide(post: PostId): void;
  decidedAt(post: PostId): number | undefined;
  isSelected(post: PostId, project: ProjectId): boolean;
  /** Complete lists of a project, in runs of their own, that lacked the post since it was shown last there; left out for where it was shown last. */
  absences(post: PostId, project?: ProjectId): number;
  /** Whether the list that lacked it last had another post twice: it need not count. */
  isDoubtful(post: PostId, project: ProjectId): boolean;
  /** As many as the state may count: a process that ended may not have stored what it was shown. */
  mostAbsences(post: PostId, project: ProjectId): number;
}

/** A post in one of the projects of the board. */
type Spot = `${ProjectId} ${PostId}`;

export function createLooks(time: Time, scenario: Scenario, state: State): Looks {
  const counted = state.look<[], { id: PostId; project: ProjectId; missing: number }>(
    "SELECT posts.id, board_projects.id AS project, missing FROM posts JOIN board_projects ON board_projects.number = project WHERE missing > 0",
  );
  const { board } = scenario;
  const seen = new Set(postFields.filter((field) => !board.hidden.includes(field)));
  const looks = new Map<
    Spot,
    { readonly at: number; readonly askedAt: number; readonly values: Post["values"] }
  >();
  /** Where a post was shown last. */
  const last = new Map<PostId, Spot>();
  const absences = new Map<Spot, { readonly count: number; readonly run: number }>();
  const forgotten = new Map<Spot, number>();
  const doubtful = new Set<Spot>();
  const decisions = new Map<PostId, number>();
  const shownInRun = new Set<Spot>();
  let run = 0;
  let isWhole = true;
  /** The latest that the program's clock has shown: a post does not get younger where that is set back. */
  let latest = 0;
  const programTime = (): number => {
    latest = Math.max(latest, time.now() + scenario.skewMs);
    return latest;
  };
  const look = (post: BoardPost, askedAt: number, project: ProjectId): void => {
    programTime();
    const values = Object.fromEntries([...seen].map((field) => [field, post.values[field]]));
    const spot = spotOf(post.id, project);
    looks.set(spot, { at: time.now(), askedAt, values });
    last.set(post.id, spot);
    shownInRun.add(spot);
    const absence = absences.get(spot);
    if (absence === undefined) return;
    forgotten.set(spot, Math.max(absence.count, forgotten.get(spot) ?? 0));
    absences.delete(spot);
  };
  const lookOf = <Value>(map: ReadonlyMap<Spot, Value>, post: PostId, project?: ProjectId) => {
    const spot = project === undefined ? last.get(post) : spotOf(post, project);
    return spot && map.get(spot);
  };
  return {
    check: {
      runBegins() {
        // What a run stores that no crash ended is what it was shown; one that a signal ended may have been shown nothing.
        if (isWhole) for (const spot of shownInRun) forgotten.delete(spot);
        shownInRun.clear();
        isWhole = true;
        run += 1;
      },
      processEnds() {
        isWhole = false;
      },
      copyReturns() {
        // An older state counts what the lists lacked then.
        for (const { id, project, missing } of counted())
          absences.set(spotOf(id, project), { count: missing, run });
      },
      boardShows(posts, askedAt, project) {
        for (const post of posts) look(post, askedAt, project);
      },
      boardListEnds(shown, end, project) {
        if (end !== "complete" && end !== "torn") return;
        const all = new Set(shown.map((id) => spotOf(id, project)));
        for (const spot of looks.keys()) {
          const known = absences.get(spot);
          if (!spot.startsWith(`${project} `) || all.has(spot)) continue;
          if (end === "complete") doubtful.delete(spot);
          if (known?.run === run) continue;
          absences.set(spot, { count: (known?.count ?? 0) + 1, run });
          if (end === "torn") doubtful.add(spot);
        }
      },
      patchFindsNoPost(post, project) {
        // The program takes the first list that lacks it for the same absence; here that is one more, so this only allows more.
        absences.set(spotOf(post, project), { count: 1, run });
      },
    },
    at: (post) => lookOf(looks, post)?.at,
    askedAt: (post, project) => lookOf(looks, post, project)?.askedAt,
    decide(post) {
      decisions.set(post, time.now());
    },
    decidedAt: (post) => decisions.get(post),
    isSelected(id, project) {
      const look = lookOf(looks, id, project);
      return (
        look !== undefined &&
        selectPost({ id, values: look.values }, scenario.settings, { seen, now: programTime() }).isSelected
      );
    },
    absences: (post, project) => lookOf(absences, post, project)?.count ?? 0,
    isDoubtful: (post, project) => doubtful.has(spotOf(post, project)),
    mostAbsences: (post, project) =>
      (lookOf(absences, post, project)?.count ?? 0) + (lookOf(forgotten, post, project) ?? 0),
  };
}

function spotOf(post: PostId, project: ProjectId): Spot {
  return `${project} ${post}`;
}

/** I6 and I8 at the board: nothing is written to a post that is missing, or on an old look. */
export function checkLooks(looks: Looks, counts: { windowed: number }, violate: Violate): Check {
  return {
    patchLeaves({ life: { still }, project, post, leftAt, besideMs }) {
      const at = looks.askedAt(post, project) ?? 0;
      const decidedAt = looks.decidedAt(post) ?? 0;
      // Whoever waits for an answer moves the one clock of a history, also for those that are about to send something beside it.
      // So does whoever stands still between the decision and the request, for as long as its lease lets it.
      const stillMs = still !== undefined && still.until >= decidedAt ? still.until - still.from : 0;
      const besideAt = leftAt - besideMs - stillMs;
      const isOld = besideAt - at > minuteMs || (decidedAt >= at ? decidedAt : besideAt) - at > minuteMs;
      if (isOld) {
        const ageS = Math.round((leftAt - at) / 1_000);
        violate(
          "I8",
          `a PATCH of ${post} leaves; the page that showed it last was asked for ${ageS} s ago; 60 s are allowed`,
        );
      }
      const absences = looks.absences(post, project);
      if (absences > 0 && !looks.isDoubtful(post, project))
        violate("I6", `a PATCH of ${post} leaves although the last ${absences} complete lists lacked it`);
    },
    patchTakesEffect(post, _change, before, changed) {
      const at = looks.at(post.id) ?? 0;
      const isOverwritten = changed.some((field) => {
        const touch = before.touched.get(field);
        return touch?.by === "person" && touch.at > at;
      });
      if (isOverwritten) counts.windowed += 1;
    },
  };
}

/**
 * I10 at the board: never more notifying writes in 60 minutes than the guard allows, but for those that a person let go; none
 * where `writes` forbids them.
 */
export function checkStatusGuard(scenario: Scenario, violate: Violate): Check {
  let times: { readonly at: number; readonly project: ProjectId; readonly post: PostId }[] = [];
  const approved = new Set<PostId>();
  return {
    // What its voters were told goes along with a post.
    postMoves(moved) {
      times = times.filter(({ post }) => post !== moved);
    },
    patchComesTooLate(post, leftAt) {
      times = times.filter((one) => one.post !== post || one.at !== leftAt);
    },
    stateIsLost() {
      times = [];
      approved.clear();
    },
    clockLeaps(ms) {
      if (ms > 0) times = times.map((one) => ({ ...one, at: one.at - ms }));
    },
    personOrders(order) {
      if (order.kind !== "approve") return;
      for (const { post, kind } of order.actions) if (kind !== "update-issue") approved.add(post);
    },
    patchLeaves({ project, post, change, leftAt, isHeard }) {
      const { writes, guard } = scenario.settings;
      if (writes !== "all") violate("I10", `a PATCH of ${post} leaves although \`writes\` is ${writes}`);
      if (change.status === undefined || !isHeard || approved.delete(post)) return;
      times = [...times.filter(({ at }) => at > leftAt - hourMs), { at: leftAt, project, post }];
      const count = times.filter((one) => one.project === project).length;
      if (count > guard.statuses) {
        violate(
          "I10",
          `${count} writes of a status within 60 minutes; guard.statuses allows ${guard.statuses}`,
        );
      }
    },
  };
}
