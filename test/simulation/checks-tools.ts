import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PostId } from "../../src/model/post.ts";
import { stampOf } from "../../src/sync/read/old-state.ts";
import { hashArguments } from "../../src/sync/write/call.ts";
import type { BoardPost } from "./board-server.ts";
import type { Time } from "./clock.ts";
import { releasesOf } from "./github-facts.ts";
import { type HubIssue, isOutOfReach } from "./github-server.ts";
import type { LinkOrders } from "./link-orders.ts";
import { hasHold } from "./orders.ts";
import { ourLogin, ownRepo, projectId, projectKey } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import type { State } from "./state.ts";
import { isNamed } from "./state-acts.ts";
import { wishLabel } from "./tool-acts.ts";
import type { Entry } from "./tools.ts";
import type { Check, Violate } from "./watcher.ts";

const dayMs = 86_400_000;

/** I5: when a call of a tool leaves, its SENT line with the hash of its arguments is committed. */
function checkSent(state: State, violate: Violate): Check {
  const find = state.look<[string, string], { found: number }>(
    "SELECT 1 AS found FROM tool_calls WHERE state = 'SENT' AND purpose = ? AND hash = ?",
  );
  return {
    toolCallLeaves({ purpose, args, subject }) {
      if (find(purpose, hashArguments(args)).length === 0)
        violate("I5", `${purpose} of ${subject} leaves, and a second connection sees no SENT line for it`);
    },
  };
}

/** I22: an issue becomes one post, and none is opened for what it has become. */
function checkPosts(orders: LinkOrders, violate: Violate): Check {
  /** How often people wanted one more, by what the issue was called. */
  const retried = new Map<string, number>();
  let isLost = false;
  /** What lists have shown since the state was lost: of the rest nobody can know. */
  const shown = new Set<PostId>();
  return {
    stateIsLost() {
      isLost = true;
      shown.clear();
    },
    boardShows(posts) {
      for (const { id } of posts) shown.add(id);
    },
    personOrders(order) {
      if (order.kind === "retry")
        for (const post of order.posts) retried.set(post, (retried.get(post) ?? 0) + 1);
    },
    postIsMade(made, issue) {
      const isKnowable = ({ id }: BoardPost): boolean => !isLost || id === made.id || shown.has(id);
      const all = issue.became.filter((post) => !post.isDeleted && isKnowable(post));
      const name = nameOf(issue);
      if (all.length > 1 + (retried.get(name) ?? 0))
        violate("I22", `${name} has become ${all.length} posts: ${all.map(({ id }) => id).join(", ")}`);
    },
    issueOpens({ openedFor }) {
      for (const post of openedFor) {
        const source = orders.madeFrom(post);
        if (source === undefined || source.isDeleted || orders.isGivenUp(post, source)) continue;
        // The post may name it by a name that only the lost state knew.
        if (isLost && source.repository.formerNames.length > 1) continue;
        violate("I22", `an issue is opened for ${post}, which ${nameOf(source)} has become`);
      }
    },
  };
}

/** I22: one draft a tag; published once, only what a person let go as it is, and one a day unless they said so twice. */
function checkEntries(time: Time, violate: Violate): Check {
  const approved = new Map<string, string[]>();
  const published = new Map<string, number>();
  /** What our call has published. */
  const ours = new Set<Entry>();
  let last: { readonly tag: string; readonly at: number } | undefined;
  let isLost = false;
  /** Whether the last list showed all; a board without one shows nothing. */
  let isWhole = false;
  const forget = (): void => {
    last = undefined;
  };
  return {
    personOrders(order) {
      if (order.kind === "publish") approved.set(order.tag, [...(approved.get(order.tag) ?? []), order.hash]);
    },
    entriesAreListed(isComplete) {
      isWhole = isComplete;
    },
    entryIsMade({ tag }, all) {
      // Only the lost state knew that there is one, and the list did not show all.
      if (isLost && !isWhole) return;
      const drafts = all.filter((one) => one.tag === tag && !one.isDeleted);
      if (drafts.length > 1) violate("I22", `${tag} has ${drafts.length} entries`);
    },
    entryIsChanged(entry, by) {
      const { tag, madeBy } = entry;
      if (by === "changelogUpdate" && ours.has(entry))
        violate("I22", `the entry of ${tag} changes after it was published`);
      if (by === "changelogUpdate") return;
      ours.add(entry);
      if (approved.get(tag)?.includes(madeBy) !== true)
        violate("I22", `${tag} is published with a text that nobody has let go`);
    },
    toolCallLeaves({ purpose, subject, isHeard }) {
      if (purpose !== "changelogPublish") return;
      const yes = approved.get(subject)?.length ?? 0;
      if (yes === 0) violate("I22", `${subject} is published, and nobody has let it go`);
      const calls = (published.get(subject) ?? 0) + Number(isHeard);
      published.set(subject, calls);
      if (calls > 1) violate("I22", `${subject} is published ${calls} times`);
      const isSoon = last !== undefined && last.tag !== subject && time.now() - last.at < dayMs;
      if (isSoon && yes < 2)
        violate(
          "I22",
          `${subject} is published less than a day after ${last?.tag}, and a person said so once`,
        );
      if (isHeard) last = { tag: subject, at: time.now() };
    },
    stateIsLost() {
      forget();
      isLost = true;
    },
    clockLeaps: forget,
  };
}

/** What is promised of the board's own tools. */
export function checkTools(time: Time, state: State, orders: LinkOrders, violate: Violate): readonly Check[] {
  return [checkSent(state, violate), checkPosts(orders, violate), checkEntries(time, violate)];
}

function nameOf({ repository, number }: HubIssue): string {
  return `${repository.name}#${number}`;
}

/** I22 at rest: what became of every call is known or said; who is to become a post has become one, and every release has its draft. */
export async function checkToolsAtRest(stage: Stage, ledger: Ledger): Promise<void> {
  const { scenario, watch } = stage;
  if (scenario.tools === undefined) return;
  const waiting = new Set((await ledger.rows.waiting(projectId, 1_000)).map(({ post }) => String(post)));
  const calls = await ledger.toolCalls.list(projectId);
  const known = await ledger.imports.known(projectId);
  for (const { purpose, subject, state, isUnsure } of calls) {
    const isSaid = purpose === "feedbackCreate" ? known.some(({ post }) => waiting.has(post)) : isUnsure;
    if (state === "SENT" || (state === "UNKNOWN" && !isSaid))
      watch.violate("I22", `${purpose} of ${subject} stays ${state}`);
  }
  if (scenario.settings.writes !== "all" || (await hasHold(ledger, projectKey))) return;
  if (scenario.tools.hasPosts) await checkMade(stage, ledger, waiting);
  // The issues of a repository are not found: nothing is read there, and that is said.
  const report = JSON.stringify((await ledger.runs.last(projectKey))?.report);
  if (report.includes('"tracker.lost-access"')) return;
  if (scenario.tools.hasPosts) await checkWishes(stage, ledger, waiting);
  if (scenario.tools.hasEntries) await checkReleases(stage, ledger, report);
}

async function checkWishes(stage: Stage, ledger: Ledger, waiting: ReadonlySet<string>): Promise<void> {
  const { hub, scenario, watch } = stage;
  const known = await ledger.imports.known(projectId);
  for (const issue of hub.repositories.flatMap(({ issues }) => issues)) {
    const { repository, number } = issue;
    if (!isWish(stage, issue) || !isNamed(repository, scenario)) continue;
    const ref = { repositoryId: repository.id, number };
    if ((await ledger.rows.linkedTo(ref)).length > 0) continue;
    const subject = `${repository.id}#${number}`;
    const call = await ledger.toolCalls.find({ project: projectId, purpose: "feedbackCreate", subject });
    const row = known.find((one) => one.issue.repositoryId === repository.id && one.issue.number === number);
    // What was a post once is left alone.
    if (call?.state === "DONE" && row === undefined) continue;
    if (row !== undefined && (row.isDiscarded || row.reason !== undefined || waiting.has(row.post))) continue;
    watch.violate("I22", `${nameOf(issue)} is to become a post; nothing says why it does not`);
  }
}

/**
 * A state that was lost knows the post by its text alone, and leaves the two to a person. An issue that left the project's
 * repositories meanwhile is linked as it was before.
 */
async function checkMade(stage: Stage, ledger: Ledger, waiting: ReadonlySet<string>): Promise<void> {
  const { board, counts, watch, time } = stage;
  if ([...counts.acts.keys()].some((act) => /^state: .*(?:deleted|put back)/.test(act))) return;
  const known = await ledger.imports.known(projectId);
  for (const { id, isDeleted, madeFrom } of board.posts) {
    if (isDeleted || madeFrom === undefined || isOutOfReach(madeFrom)) continue;
    // A person who links it to another post has said what it is, also where that link was ended since.
    if (watch.links.isUnlinked(id, madeFrom) || watch.links.postsOf(madeFrom).some((post) => post !== id))
      continue;
    // What was to be made once more, and is wanted no longer, is looked for no longer.
    if (watch.links.isRetried(nameOf(madeFrom)) && !isWish(stage, madeFrom)) continue;
    const { repository, number } = madeFrom;
    const ref = { repositoryId: repository.id, number };
    const row = known.find(({ issue }) => issue.repositoryId === ref.repositoryId && issue.number === number);
    // Also of the post: it names an issue, and a person is asked whether it is that one's.
    const isSaid = waiting.has(id) || (row !== undefined && waiting.has(row.post));
    if (isSaid || (await ledger.rows.linkedTo(ref)).length > 0) continue;
    const made = await ledger.rows.row(projectId, id, time.now());
    if (!isNamed(repository, stage.scenario) && made !== undefined && made.links.length > 0) continue;
    watch.violate("I22", `${nameOf(madeFrom)} has become ${id}, and the two are not linked`);
  }
}

function isWish({ hub, scenario }: Stage, { isDeleted, record, repository }: HubIssue): boolean {
  if (isDeleted || record.author === ourLogin || record.issue.state !== "open") return false;
  if (!record.issue.labels.includes(wishLabel)) return false;
  return scenario.settings.import?.fromAnyone === true || !hub.isOutside(repository, record);
}

async function checkReleases({ hub, scenario, watch }: Stage, ledger: Ledger, report: string): Promise<void> {
  const project = ledger.memory.project(projectKey);
  const memory = project?.changelog;
  const repository = hub.repositories.find(({ name, formerNames }) =>
    [name, ...formerNames].includes(ownRepo),
  );
  if (memory === undefined || repository === undefined || memory.copiedAt !== stampOf(ledger, project ?? {}))
    return;
  const calls = await ledger.toolCalls.list(projectId, "changelogCreate");
  const left = releasesOf(hub, repository).filter(({ tag }) => {
    const isCalled = calls.some(({ subject, state }) => subject === tag && state !== "PREPARED");
    // What the guard holds waits for a person.
    const isHeld = memory.entries.some((entry) => entry.tag === tag && entry.held !== undefined);
    return !isCalled && !isHeld && !memory.noted.includes(tag) && !report.includes(`changelog ${tag}:`);
  });
  // More at once than the guard lets go wait for other settings; one that was refused, and edited since, is one of them.
  const refused = calls.filter(({ state }) => state === "REJECTED").length;
  if (left.length === 0 || left.length + refused > scenario.settings.guard.issues) return;
  watch.violate("I22", `${left.map(({ tag }) => tag).join(", ")}: no draft, and nothing says why`);
}
