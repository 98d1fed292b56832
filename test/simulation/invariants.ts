import { type FieldValue, type PostChange, type PostId, ruleFields } from "../../src/model/post.ts";
import type { PlannedAction } from "../../src/sync/ground/reports.ts";
import { checkLooks, checkMails, checkStatusGuard, createLooks, type Looks } from "./checks-board.ts";
import { checkHolds } from "./checks-holds.ts";
import { checkIssueChanges } from "./checks-issues.ts";
import { checkNotes, lineOf } from "./checks-notes.ts";
import { checkReadings } from "./checks-readings.ts";
import {
  checkAbsence,
  checkFreshness,
  checkJournal,
  checkLinks,
  checkOneWriter,
  kindOf,
} from "./checks-state.ts";
import { checkTools } from "./checks-tools.ts";
import { checkContent, checkIssueGuard, checkOnce, checkPace } from "./checks-tracker.ts";
import { checkConflictPauses, checkOrders, createVoteLabels, type VoteLabels } from "./checks-wishes.ts";
import type { Time } from "./clock.ts";
import { isChange } from "./github.ts";
import type { ChangeWrite, HubRepository, HubServer } from "./github-server.ts";
import { createLinkOrders, type LinkOrders } from "./link-orders.ts";
import { checkPauses } from "./pauses.ts";
import type { Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import { createTargets, type Targets } from "./targets.ts";
import { type Check, type Events, joinChecks, type PostBefore, type Violate } from "./watcher.ts";

/** A broken promise, in words. */
export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

/** One write that left, as a plan would name it. */
export interface SentWrite {
  readonly kind: PlannedAction["kind"] | "entry";
  /** The post; of an update the issue. */
  readonly target: string;
  /** What is written, as `plan-check.ts` names it. */
  readonly fields: string;
}

/** What a history has done, for the counts at the end. */
export interface Totals {
  creates: number;
  edits: number;
  /** Of state, milestone and labels. */
  changes: number;
  comments: number;
  /** Calls of the board's tools. */
  calls: number;
  patches: number;
  mails: number;
  /** I8: a person's change that was overwritten inside the window between pull and PATCH. */
  windowed: number;
  /** Shared states: how often a process took the project from one that had it still, or had died with it. */
  takeovers: number;
  /** How often a process stood still in a run. */
  freezes: number;
  /** COMMITs whose answer was lost. */
  lostCommits: number;
}

/** A value that left for the board, and when the board had shown the post last; true time. */
export interface Attempt {
  readonly value: FieldValue;
  readonly lookedAt: number;
}

/** Sees all that happens at the two sides. */
export interface Watch {
  readonly events: Events;
  readonly violations: Violation[];
  /** Writes since the last run began, whatever became of them. */
  readonly sent: SentWrite[];
  readonly totals: Totals;
  /** What the board was sent last, by post and field, and took: whatever it made of it. */
  readonly taken: ReadonlyMap<string, FieldValue>;
  /** What left for the board last, whatever became of it; since people or another state last had a say in it. */
  readonly attempted: ReadonlyMap<string, Attempt>;
  readonly targets: Targets;
  readonly links: LinkOrders;
  readonly looks: Looks;
  readonly voteLabels: VoteLabels;
  readonly violate: Violate;
}

export function createWatch(time: Time, scenario: Scenario, state: State, hub: HubServer): Watch {
  const violations: Violation[] = [];
  const sent: SentWrite[] = [];
  const totals: Totals = {
    creates: 0,
    edits: 0,
    changes: 0,
    comments: 0,
    calls: 0,
    patches: 0,
    mails: 0,
    windowed: 0,
    takeovers: 0,
    freezes: 0,
    lostCommits: 0,
  };
  const taken = new Map<string, FieldValue>();
  const attempted = new Map<string, Attempt>();
  const violate: Violate = (invariant, message) => {
    violations.push({ invariant, message });
  };
  const links = createLinkOrders(hub);
  const targets = createTargets(time, scenario, state, hub, links);
  const looks = createLooks(time, scenario, state);
  const voteLabels = createVoteLabels(state, violate);
  const programTime = (): number => time.now() + scenario.skewMs;
  const events = joinChecks([
    links.check,
    targets.check,
    looks.check,
    checkOnce(state, links, violate),
    checkMails(time, targets, hub, scenario, violate),
    checkReadings(scenario, state, hub, violate),
    checkIssueChanges(scenario, looks, state, links, violate),
    checkContent(looks, links, violate),
    checkNotes(violate),
    checkJournal(state, violate),
    checkLooks(looks, totals, violate),
    checkLinks(state, hub, links, violate),
    checkAbsence(state, looks, hub, violate),
    checkFreshness(state, hub, violate),
    checkOneWriter(violate),
    checkStatusGuard(scenario, violate),
    checkIssueGuard(scenario, links, violate),
    checkHolds(state, violate),
    checkPauses(state, violate),
    ...checkTools(time, state, links, violate),
    voteLabels.check,
    checkOrders(time, scenario, targets, violate),
    checkConflictPauses(time, scenario, state, targets, violate),
    checkPace(programTime, scenario, violate),
    noteWrites(sent, totals, violate),
    noteTaken(looks, scenario, taken, attempted),
  ]);
  return { events, violations, sent, totals, taken, attempted, targets, links, looks, voteLabels, violate };
}

/** I15, first half: neither `plan` nor `sync --adopt` writes. Everything that left is noted for the second half. */
function noteWrites(sent: SentWrite[], totals: Totals, violate: Violate): Check {
  const assertSync = (mode: string, words: string): void => {
    if (mode === "plan" || mode === "adopt") violate("I15", `\`${mode}\` sends ${words}`);
  };
  return {
    runBegins() {
      sent.length = 0;
    },
    patchLeaves({ life, post, change }) {
      assertSync(life.mode, `a PATCH of ${post}`);
      totals.patches += 1;
      const { internalNote } = change;
      if (internalNote === undefined) {
        sent.push({ kind: "patch-post", target: post, fields: JSON.stringify(change) });
      } else {
        sent.push({
          kind: "patch-note",
          target: post,
          fields: JSON.stringify({ internalNote: lineOf(internalNote) }),
        });
      }
    },
    toolCallLeaves({ life, purpose, subject }) {
      assertSync(life.mode, `${purpose} of ${subject}`);
      totals.calls += 1;
      const isPost = purpose === "feedbackCreate";
      sent.push({ kind: isPost ? "create-post" : "entry", target: subject, fields: isPost ? "" : purpose });
    },
    patchTakesEffect(_post, _change, _before, changed) {
      if (changed.includes("status")) totals.mails += 1;
    },
    issueWriteLeaves({ life, repository, write }) {
      assertSync(life.mode, `${write.kind} in ${repository.name}`);
      if (write.kind === "create-issue") {
        totals.creates += 1;
        sent.push({ kind: "create-issue", target: repository.name, fields: write.title });
      }
      const kind = kindOf(write);
      if (kind === undefined || write.kind === "create-issue" || write.kind === "create-label") return;
      if (kind === "update-issue") totals.edits += 1;
      if (kind === "change-issue") totals.changes += 1;
      if (kind === "comment-issue") totals.comments += 1;
      const target = `${repository.name}#${write.number}`;
      for (const fields of partsOf(write, repository)) sent.push({ kind, target, fields });
    },
  };
}

/** A change of an issue, field by field: one line of a plan may take several requests. */
function partsOf(write: ChangeWrite, { milestones }: HubRepository): readonly string[] {
  switch (write.kind) {
    case "edit-issue": {
      if (!isChange(write)) return [""];
      const { state, stateReason, milestone } = write;
      const title = milestones.find(({ number }) => number === milestone)?.title ?? null;
      return [
        ...(state === undefined ? [] : [namePart("state", [state, stateReason ?? []].flat().join(":"))]),
        ...(milestone === undefined ? [] : [namePart("milestone", title)]),
      ];
    }
    case "add-labels":
      return write.labels.map((label) => namePart(`label:${label}`, true));
    case "remove-label":
      return [namePart(`label:${write.label}`, false)];
    case "add-comment":
      return [write.body.slice(write.body.indexOf("\n") + 1)];
  }
}

/** One field of an issue, as a plan and a request are compared by it. */
export function namePart(field: string, value: unknown): string {
  return `${field} = ${JSON.stringify(value)}`;
}

/** Where people moved any of a post's fields since the look, a PATCH of unknown outcome is part of the past as a whole. */
export function isMovedSince(touched: PostBefore["touched"], lookedAt: number): boolean {
  return [...touched.values()].some(({ by, at }) => by !== "us" && at >= lookedAt);
}

function noteTaken(
  looks: Looks,
  { settings }: Scenario,
  taken: Map<string, FieldValue>,
  attempted: Map<string, Attempt>,
): Check {
  const each = (post: PostId, change: PostChange, note: (key: string, value: FieldValue) => void): void => {
    for (const field of ruleFields) {
      const value = change[field];
      if (value !== undefined) note(`${post} ${field}`, value);
    }
  };
  const forget = (): void => attempted.clear();
  const closesMissing = settings.boardRules.some(({ when }) => when.missing === true);
  /** Of a state that is gone: nobody knows that it may still take effect. */
  const orphaned = new Map<string, FieldValue>();
  return {
    patchLeaves({ post, change }) {
      const lookedAt = looks.at(post) ?? 0;
      each(post, change, (key, value) => attempted.set(key, { value, lookedAt }));
    },
    patchTakesEffect(post, change, { touched }) {
      each(post.id, change, (key, value) => {
        taken.set(key, value);
        if (orphaned.get(key) === value && attempted.get(key)?.value !== value) attempted.delete(key);
      });
      // What people moved before it is not to be seen any more after it.
      for (const field of ruleFields) {
        const key = `${post.id} ${field}`;
        const { lookedAt } = attempted.get(key) ?? {};
        if (lookedAt !== undefined && change[field] === undefined && isMovedSince(touched, lookedAt))
          attempted.delete(key);
      }
    },
    // Its issue may be closed for that. When the post is back we open the issue again, and that is told to nobody.
    patchFindsNoPost(post) {
      for (const field of closesMissing ? ruleFields : []) attempted.delete(`${post} ${field}`);
    },
    stateIsLost() {
      for (const [key, { value }] of attempted) orphaned.set(key, value);
      forget();
    },
    settingsChange: forget,
    personOrders: forget,
  };
}
