import { type FieldValue, type PostChange, type PostId, ruleFields } from "../../src/model/post.ts";
import { checkLooks, checkMails, checkStatusGuard, createLooks, type Looks } from "./checks-board.ts";
import { checkAbsence, checkFreshness, checkJournal, checkLinks, checkOneWriter } from "./checks-state.ts";
import { checkContent, checkIssueGuard, checkOnce, checkPace } from "./checks-tracker.ts";
import type { Time } from "./clock.ts";
import type { HubServer } from "./github-server.ts";
import { createLinkOrders, type LinkOrders } from "./link-orders.ts";
import type { Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import { createTargets, type Targets } from "./targets.ts";
import { type Check, type Events, joinChecks, type Violate } from "./watcher.ts";

/** A broken promise, in words. */
export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

/** One write that left, as a plan would name it. */
export interface SentWrite {
  readonly kind: "create-issue" | "update-issue" | "patch-post";
  /** The post; of an update the issue. */
  readonly target: string;
  /** The fields of a PATCH with their values. */
  readonly fields: string;
}

/** What a history has done, for the counts at the end. */
export interface Totals {
  creates: number;
  edits: number;
  patches: number;
  mails: number;
  /** I8: a person's change that was overwritten inside the window between pull and PATCH. */
  windowed: number;
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
  readonly violate: Violate;
}

export function createWatch(time: Time, scenario: Scenario, state: State, hub: HubServer): Watch {
  const violations: Violation[] = [];
  const sent: SentWrite[] = [];
  const totals: Totals = { creates: 0, edits: 0, patches: 0, mails: 0, windowed: 0 };
  const taken = new Map<string, FieldValue>();
  const attempted = new Map<string, Attempt>();
  const violate: Violate = (invariant, message) => {
    violations.push({ invariant, message });
  };
  const targets = createTargets(time, scenario, state);
  const links = createLinkOrders(hub);
  const looks = createLooks(time, scenario, state);
  const programTime = (): number => time.now() + scenario.skewMs;
  const events = joinChecks([
    targets.check,
    links.check,
    looks.check,
    checkOnce(state, links, violate),
    checkMails(time, targets, links, scenario, violate),
    checkContent(looks, links, violate),
    checkJournal(state, violate),
    checkLooks(looks, totals, violate),
    checkLinks(state, hub, links, violate),
    checkAbsence(state, looks, hub, violate),
    checkFreshness(state, hub, violate),
    checkOneWriter(violate),
    checkStatusGuard(scenario, violate),
    checkIssueGuard(scenario, violate),
    checkPace(programTime, scenario, violate),
    noteWrites(sent, totals, violate),
    noteTaken(looks, taken, attempted),
  ]);
  return { events, violations, sent, totals, taken, attempted, targets, links, looks, violate };
}

/** I15, first half: only `sync` writes. Everything that left is noted for the second half. */
function noteWrites(sent: SentWrite[], totals: Totals, violate: Violate): Check {
  const assertSync = (mode: string, words: string): void => {
    if (mode !== "sync") violate("I15", `\`${mode}\` sends ${words}`);
  };
  return {
    runBegins() {
      sent.length = 0;
    },
    patchLeaves({ life, post, change }) {
      assertSync(life.mode, `a PATCH of ${post}`);
      totals.patches += 1;
      sent.push({ kind: "patch-post", target: post, fields: JSON.stringify(change) });
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
      if (write.kind === "edit-issue") {
        totals.edits += 1;
        sent.push({ kind: "update-issue", target: `${repository.name}#${write.number}`, fields: "" });
      }
    },
  };
}

function noteTaken(looks: Looks, taken: Map<string, FieldValue>, attempted: Map<string, Attempt>): Check {
  const each = (post: PostId, change: PostChange, note: (key: string, value: FieldValue) => void): void => {
    for (const field of ruleFields) {
      const value = change[field];
      if (value !== undefined) note(`${post} ${field}`, value);
    }
  };
  const forget = (): void => attempted.clear();
  return {
    patchLeaves({ post, change }) {
      const lookedAt = looks.at(post) ?? 0;
      each(post, change, (key, value) => attempted.set(key, { value, lookedAt }));
    },
    patchTakesEffect(post, change) {
      each(post.id, change, (key, value) => taken.set(key, value));
    },
    stateIsLost: forget,
    settingsChange: forget,
    personOrders: forget,
  };
}
