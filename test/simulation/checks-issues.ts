import type { Issue, IssueField } from "../../src/model/issue.ts";
import type { Target } from "../../src/model/link.ts";
import { type Post, type PostChange, type PostId, postFields, ruleFields } from "../../src/model/post.ts";
import { deriveBoard } from "../../src/plan/board-rules/board-rules.ts";
import { isSameTarget, isSameValue } from "../../src/plan/ground/fields.ts";
import { readIssueField } from "../../src/plan/ground/issue-fields.ts";
import type { BoardPost } from "./board-server.ts";
import type { Looks } from "./checks-board.ts";
import { isVoteLabel } from "./checks-wishes.ts";
import type { ChangeWrite, HubIssue } from "./github-server.ts";
import type { LinkOrders } from "./link-orders.ts";
import type { Scenario } from "./scenario.ts";
import type { State } from "./state.ts";
import type { Check, Violate } from "./watcher.ts";

/** What board rules have made of a post, as the program was shown it. */
interface Asked {
  readonly targets: Map<IssueField, Target>;
  /** How often people have changed that. */
  readonly changes: Map<IssueField, number>;
}

/** A PATCH of ours, and what board rules asked for before it. */
interface Patched {
  readonly change: PostChange;
  readonly targets: Asked["targets"];
  readonly isAnswered: boolean;
}

/**
 * I2 in the other direction: a field of an issue is written at most once for each time that people change what the board rules
 * make of one of its posts, and once more for each `retry` and `approve`. Our own PATCH changes nothing of that. A comment is
 * never there twice. Not counted: a write whose answer the program never got, for that is decided afresh.
 */
export function checkIssueChanges(
  scenario: Scenario,
  looks: Looks,
  state: State,
  links: LinkOrders,
  violate: Violate,
): Check {
  const seen = new Set(postFields.filter((field) => !scenario.board.hidden.includes(field)));
  const shown = new Map<PostId, Post["values"]>();
  const asked = new Map<PostId, Asked>();
  /** What our last PATCH of a post wrote and what was asked before it, until people change that: they may before the program takes it for done. */
  const patched = new Map<PostId, Patched>();
  /** The last one that was answered: if the process ends now, it may not have been heard. */
  let heard: PostId | undefined;
  const written = new Map<HubIssue, Map<IssueField, number>>();
  const opened = new Set<PostId>();
  const created = new Set<HubIssue>();
  const planned = state.look<[number, number], { found: number }>(
    "SELECT 1 AS found FROM links JOIN bases ON bases.post = links.post WHERE repository = ? AND links.number = ? LIMIT 1",
  );
  const isPlanned = ({ repository, number }: HubIssue): boolean => planned(repository.id, number).length > 0;
  /**
   * Issues that were opened for a post in place of another one, or after a change of the config, and those whose pair the state
   * had not decided by then: what the board asks for then is asked for anew.
   */
  const later = new Set<HubIssue>();
  /** As the program knew each post before our last PATCH of it. */
  const knownBefore = new Map<PostId, Post["values"]>();
  let hasOtherRules = false;
  let orders = 0;
  /** The last write of this process: if it ends now, nothing may be known of it. */
  let last: { readonly issue: HubIssue; readonly fields: readonly IssueField[] } | undefined;

  /**
   * What a post is has just been seen, after a change of people's or of ours.
   * @param unseen what was asked before a PATCH that the program may not know to have taken effect
   */
  const look = (id: PostId, values: Post["values"], isOurs: boolean, unseen?: Asked["targets"]): void => {
    shown.set(id, values);
    const post: Post = { id, values };
    const missing = Math.min(looks.absences(id), 2) as 0 | 1 | 2;
    const derived = deriveBoard({ post, missing }, scenario.settings, seen);
    if (derived === undefined) return;
    const known = asked.get(id) ?? { targets: new Map(), changes: new Map() };
    asked.set(id, known);
    for (const [field, target] of derived.targets) {
      const isAsked = (targets: Asked["targets"]): boolean => {
        const before = targets.get(field);
        return before === undefined ? target.kind === "none" : isSameTarget(field, before, target);
      };
      if (isAsked(known.targets) && (unseen === undefined || isAsked(unseen))) continue;
      known.targets.set(field, target);
      if (!isOurs) known.changes.set(field, (known.changes.get(field) ?? 0) + 1);
    }
  };
  /** Whether a late list shows what people did right before our write: nothing tells that from what they do after it. */
  const isNews = ({ id, values }: BoardPost): boolean =>
    ruleFields.some((field) => seen.has(field) && knownBefore.get(id)?.[field] !== values[field]);
  const allowed = (issue: HubIssue, field: IssueField): number =>
    [...new Set([...issue.openedFor, ...links.postsOf(issue)])].reduce(
      (sum, post) => sum + (asked.get(post)?.changes.get(field) ?? 0),
      orders + Number(later.has(issue)),
    );
  const count = (issue: HubIssue, field: IssueField, step: number): number => {
    const counts = written.get(issue) ?? new Map<IssueField, number>();
    written.set(issue, counts);
    const times = (counts.get(field) ?? 0) + step;
    counts.set(field, times);
    return times;
  };
  return {
    boardShows(posts) {
      if (!hasBoardRules(scenario)) return;
      for (const post of posts) {
        if (post.isLate === true && !isNews(post)) continue;
        const last = patched.get(post.id);
        const isUnseen = last !== undefined && !last.isAnswered && !isWritten(last.change, post);
        if (isUnseen) patched.delete(post.id);
        look(post.id, shownOf(post, seen), false, isUnseen ? last.targets : undefined);
      }
    },
    boardListEnds() {
      if (!hasBoardRules(scenario)) return;
      for (const [id, values] of shown) if (looks.absences(id) > 0) look(id, values, false);
    },
    patchTakesEffect(post, change, before) {
      if (!hasBoardRules(scenario)) return;
      const known = shown.get(post.id);
      look(post.id, shownOf({ ...post, ...before }, seen), false);
      const { isAnswered } = before;
      patched.set(post.id, { change, targets: new Map(asked.get(post.id)?.targets), isAnswered });
      heard = isAnswered ? post.id : undefined;
      const now = shownOf(post, seen);
      if (known !== undefined) knownBefore.set(post.id, known);
      const written = Object.fromEntries(Object.entries(now).filter(([field]) => field in change));
      look(post.id, { ...(known ?? now), ...written }, true);
      // What people did that the program had not seen may count only beside what it has written.
      look(post.id, now, false);
    },
    settingsChange() {
      hasOtherRules = true;
      if (!hasBoardRules(scenario)) return;
      for (const issue of created) if (!isPlanned(issue)) later.add(issue);
      for (const [id, values] of shown) look(id, values, true);
    },
    issueOpens(issue) {
      created.add(issue);
      for (const post of issue.openedFor) {
        if (opened.has(post) || hasOtherRules) later.add(issue);
        opened.add(post);
      }
    },
    personOrders({ kind }) {
      if (kind === "approve" || kind === "retry") orders += 1;
    },
    processEnds() {
      for (const field of last?.fields ?? []) if (last !== undefined) count(last.issue, field, -1);
      last = undefined;
      const cut = heard === undefined ? undefined : patched.get(heard);
      if (heard !== undefined && cut !== undefined) patched.set(heard, { ...cut, isAnswered: false });
      heard = undefined;
    },
    issueIsWritten({ issue, before, write, isAnswered }) {
      const fields = changedBy(write, before, issue.record.issue);
      last = isAnswered ? { issue, fields } : undefined;
      const name = `${issue.repository.name}#${issue.number}`;
      if (write.kind === "add-comment" && isRepeated(issue, write.body)) {
        violate("I2", `${name} gets a comment that it has already`);
      }
      if (!isAnswered) return;
      for (const field of fields) {
        if (isVoteLabel(field)) continue;
        const times = count(issue, field, 1);
        const changes = allowed(issue, field);
        if (times <= changes) continue;
        violate(
          "I2",
          `${field} of ${name} was written ${times} times; the board asked for it ${changes} times`,
        );
      }
    },
  };
}

function hasBoardRules({ settings }: Scenario): boolean {
  return settings.boardRules.length > 0;
}

function shownOf(
  { values }: Pick<BoardPost, "values">,
  seen: ReadonlySet<keyof Post["values"]>,
): Post["values"] {
  return Object.fromEntries([...seen].map((field) => [field, values[field]]));
}

/** Whether a post is still what a PATCH of ours made of it. */
function isWritten(change: PostChange, { values }: Pick<BoardPost, "values">): boolean {
  return ruleFields.every((field) => !(field in change) || values[field] === change[field]);
}

/** The fields that a write really changes. */
function changedBy(write: ChangeWrite, before: Issue, after: Issue): readonly IssueField[] {
  if (write.kind === "add-comment") return ["comment"];
  const labels = [...before.labels, ...after.labels].map(
    (label): IssueField => `label:${label.toLowerCase()}`,
  );
  const fields = new Set<IssueField>(["state", "milestone", ...labels]);
  return [...fields].filter(
    (field) => !isSameValue(field, readIssueField(before, field), readIssueField(after, field)),
  );
}

/** The comment is among them by now. */
function isRepeated({ comments }: HubIssue, body: string): boolean {
  return comments.filter((comment) => comment.body === body).length > 1;
}
