import type { Ledger } from "../../src/ledger/ledger.ts";
import type { WaitingRow } from "../../src/ledger/rows.ts";
import type { Row } from "../../src/model/link.ts";
import {
  type FieldValue,
  type PostField,
  type PostId,
  postFields,
  type RuleField,
} from "../../src/model/post.ts";
import { isSameTarget, isSameValue, showValue } from "../../src/plan/ground/fields.ts";
import { writeRules } from "../../src/plan/ground/identity.ts";
import { isAllowed } from "../../src/plan/ground/obstacle.ts";
import { byVotes } from "../../src/plan/ground/settings.ts";
import { selectPost } from "../../src/plan/select.ts";
import { inOrder, select } from "../../src/select.ts";
import type { BoardPost } from "./board-server.ts";
import { checkToolsAtRest } from "./checks-tools.ts";
import { checkVotesAtRest } from "./checks-wishes.ts";
import { isOutOfReach } from "./github-server.ts";
import { isMovedSince } from "./invariants.ts";
import { asTrue, countKnown } from "./known-issues.ts";
import { hasHold } from "./orders.ts";
import { resumeSome } from "./pauses.ts";
import { homeOf, type Place, placesOf } from "./places.ts";
import { startLife } from "./process.ts";
import { readRules } from "./reading.ts";
import { isConcerned, noPermission } from "./refusals.ts";
import type { Stage } from "./stage.ts";
import { isNamed } from "./state-acts.ts";
import type { Violate } from "./watcher.ts";
import { calm } from "./wire.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** More runs than any backlog of a history needs, with the hour's limit of the pace in between. */
const maxRuns = 40;
/** And no look-up takes more. */
const maxLookUps = 5;
/** While something is refused, what that concerns may be tried in every run. */
const maxRefused = 8;

/** I3 and I16: faults and people stop; then it must come to rest, with every change done or said. */
export async function comeToRest(stage: Stage): Promise<void> {
  const { scenario, wire, time, watch, board, hub } = stage;
  wire.outages.clear();
  stage.crew?.cut(0);
  for (const post of board.posts) post.hiddenFor = 0;
  for (const { name } of hub.repositories) hub.owners.enableIssues(name);
  await resumeSome(stage);
  hub.refusals = hub.refusals.filter(({ until }) => until === Number.POSITIVE_INFINITY);
  if (hub.refusals.length > 0) await restBeside(stage);
  hub.refusals = [];
  if (watch.violations.length > 0) return;
  const { policy, settings } = scenario;
  // All waits are over in the first run, and it reads everything; what that finds may have to settle.
  const pauses = [Math.max(policy.fullEveryMs, policy.waits.createMs), settings.settleMs];
  let idle = 0;
  for (let run = 0; idle < 2; run += 1) {
    if (run === maxRuns) {
      watch.violate(
        "I3",
        `after ${maxRuns} quiet runs it still writes: ${watch.sent.map(({ kind, target }) => `${kind} ${target}`).join(", ")}`,
      );
      return;
    }
    time.advance(Math.max(pauses[run] ?? 0, hourMs) + minuteMs);
    const result = await stage.run(calm());
    if (watch.violations.length > 0) return;
    // What is still looked up, as at a post that is gone, may end in a write.
    // Without the permission labels and a milestone are tried once in every run: it may be there by then. A state may be taken.
    const isTaken = ({ fields }: { fields: string }): boolean =>
      fields.startsWith("state") && run <= maxLookUps;
    const sent = watch.sent.filter((one) => one.kind !== "change-issue" || hub.canPush || isTaken(one));
    // A process that finds out in its run that a copy was put back begins with the next one.
    const isSilent = result !== undefined && sent.length === 0 && (!isLookingUp(stage) || run > maxLookUps);
    idle = isSilent ? idle + 1 : 0;
  }
  await checkRest(stage, () => true);
  await checkHealed(stage);
}

/** I19: what a refusal does not concern comes to rest as if nothing were refused. */
async function restBeside(stage: Stage): Promise<void> {
  const { scenario, time, watch, hub } = stage;
  const { policy, settings } = scenario;
  const pauses = [Math.max(policy.fullEveryMs, policy.waits.createMs), settings.settleMs];
  for (let run = 0; run < maxRefused && (run < 3 || watch.sent.length > 0); run += 1) {
    time.advance(Math.max(pauses[run] ?? 0, hourMs) + minuteMs);
    await stage.run(calm());
    if (watch.violations.length > 0) return;
  }
  const ledger = stage.state.open(startLife());
  // A copy that was put back is looked through in all repositories before anything is written.
  if (ledger.copiedAt !== undefined) return;
  // New rules wait as a whole for the signals that they look at.
  if (placesOf(scenario).some(({ key }) => ledger.memory.project(key)?.rules !== writeRules(settings)))
    return;
  const judged = await select(stage.board.posts, async (post) => {
    const links = (await homeOf(ledger, stage, post)).row?.links ?? [];
    const issues = links.map(({ link }) => hub.follow(link.issue.repositoryId, link.issue.number));
    // Where an issue has gone is asked in the repository that it was in.
    const places = links.map(({ link }) => link.issue.repositoryId);
    const isLeft = hub.refusals.some(
      ({ of }) => of.kind === "repository" && places.includes(of.repository.id),
    );
    return !isLeft && !isConcerned(hub, issues);
  });
  const ids = new Set(judged.map(({ id }) => id));
  const names = hub.refusals.map(({ of, status }) => `${of.kind} ${status}`).join(", ");
  const violate: Violate = (_, message) => watch.violate("I19", `beside ${names}: ${message}`);
  const beside: Stage = Object.create(stage, { watch: { value: { ...watch, violate } } });
  await checkRest(beside, (post) => ids.has(post));
}

function isLookingUp({ state }: Stage): boolean {
  return (
    state.look(
      "SELECT 1 FROM intents WHERE state = 'UNKNOWN' AND ended_at IS NULL UNION ALL SELECT 1 FROM tool_calls WHERE state = 'UNKNOWN' LIMIT 1",
    )().length > 0
  );
}

/** I19: what a missing permission has stopped goes by itself once that is there; and no limit is anybody's refusal of a value. */
async function checkHealed({ scenario, state, watch }: Stage): Promise<void> {
  const { rows } = state.open(startLife());
  const waiting = (await inOrder(placesOf(scenario), ({ id }) => rows.waiting(id, 1_000))).flat();
  for (const { post, kind, message } of waiting) {
    if (kind === "parked" && limitWords.test(message))
      watch.violate("I19", `${post} waits for a person because of a limit: ${message}`);
    if (kind === "parked" && message.includes(noPermission))
      watch.violate(
        "I19",
        `${post} waits for a person, and the permission that was missing is there: ${message}`,
      );
  }
}

/** Of all that the sides say of a limit. */
const limitWords = /rate limit|too quickly|too many requests/i;

async function checkRest(stage: Stage, isJudged: (post: PostId) => boolean): Promise<void> {
  const life = startLife();
  const ledger = stage.state.open(life);
  for (const place of placesOf(stage.scenario)) await checkPlace(stage, ledger, place, isJudged);
  await checkToolsAtRest(stage, ledger);
}

/** One project of the board. */
async function checkPlace(
  stage: Stage,
  ledger: Ledger,
  { id, key }: Place,
  isJudged: (post: PostId) => boolean,
): Promise<void> {
  const lines = await ledger.rows.waiting(id, 1_000);
  const waiting = new Set(lines.map(({ post }) => post));
  checkStandings(stage, lines, isJudged);
  for (const { kind, post, state } of await ledger.journal.open(id)) {
    if (!isJudged(post)) continue;
    // One that has not left, of a row that waits for a person, is as visible as the row.
    if (state === "PREPARED" && waiting.has(post)) continue;
    // What `writes` forbids stays prepared for the day on which it is allowed again.
    if (state === "PREPARED" && kind !== "patch-note" && !isAllowed({ kind }, stage.scenario.settings))
      continue;
    // An empty list proves nothing until a person accepts it, and that is said.
    if (stage.board.find(post, id) === undefined && (await hasHold(ledger, key))) continue;
    stage.watch.violate("I3", `the intent ${kind} of ${post} stays ${state}`);
  }
  for (const request of await ledger.requests.pending(id)) {
    if ((request.kind !== "link" && request.kind !== "unlink") || (await hasHold(ledger, key))) continue;
    // What it names may be what is refused.
    if (!isJudged(request.post) || stage.hub.refusals.length > 0) continue;
    stage.watch.violate("I3", `the order to ${request.kind} ${request.post} is still not taken up`);
  }
  for (const post of stage.board.posts) {
    if (post.isDeleted || post.project !== id || !isJudged(post.id)) continue;
    const row = await ledger.rows.row(id, post.id, stage.time.now());
    if (row === undefined) stage.watch.violate("I3", `the state does not know ${post.id}`);
    else if (row.links.length > 0) checkLinked(stage, post, row, lines);
    else {
      checkUnlinked(stage, post, row, waiting.has(post.id));
      if (!waiting.has(post.id)) await checkFollowed(stage, post, row, ledger);
    }
  }
}

/** Nothing is left of what a decision says until its run has come to it: each run says of every action what has become of it. */
function checkStandings(
  { watch }: Stage,
  lines: readonly WaitingRow[],
  isJudged: (post: PostId) => boolean,
): void {
  for (const { post, message } of lines) {
    if (isJudged(post) && message.includes("no run has come to it"))
      watch.violate("I3", `${post} waits, and no run has said why`);
  }
}

function checkUnlinked(
  { scenario, watch, time }: Stage,
  post: BoardPost,
  row: Row,
  isWaiting: boolean,
): void {
  const seen = new Set(postFields.filter((field) => !scenario.board.hidden.includes(field)));
  const values = Object.fromEntries(
    [...seen].map((field): [PostField, unknown] => [field, post.values[field]]),
  );
  const { isSelected, reason } = selectPost(
    { id: post.id, values: values as Row["post"]["values"] },
    scenario.settings,
    { seen, now: time.now() + scenario.skewMs },
  );
  if (row.unlinkedAt !== undefined) {
    if (!watch.links.isUnwanted(post.id))
      watch.violate("I9", `${post.id} counts as unlinked, and nobody ordered that`);
    return;
  }
  if (!isSelected || isWaiting || scenario.settings.writes === "none") return;
  watch.violate("I3", `${post.id} has no issue, and nothing says why (${reason}; missing ${row.missing})`);
}

/** I9: the issues of a post that was moved follow it, where nothing says that it may be another one. */
async function checkFollowed(stage: Stage, post: BoardPost, row: Row, ledger: Ledger): Promise<void> {
  const home = await homeOf(ledger, stage, post);
  if (home.row === undefined || home.row.links.length === 0 || row.unlinkedAt !== undefined) return;
  // A hold of the old place may have ended with the last run: the next one follows.
  if (home.row.missing === 1) return;
  const place = placesOf(stage.scenario).find(({ id }) => id === home.project);
  const isAlike = home.row.post.values.title === post.values.title;
  if (isAlike && place !== undefined && !(await hasHold(ledger, place.key)))
    stage.watch.violate("I9", `the issues of ${post.id} stay where it was before`);
}

function checkLinked(stage: Stage, post: BoardPost, row: Row, waiting: readonly WaitingRow[]): void {
  const { scenario, watch, hub, records } = stage;
  const [first] = row.links;
  const issue = first && hub.find(first.link.issue.repositoryId, first.link.issue.number);
  if (issue === undefined) checkTransfer(stage, post, row);
  if (issue === undefined || scenario.settings.writes !== "all") return;
  const waits = new Set(waiting.flatMap((line) => (line.post === post.id ? [line.kind] : [])));
  // Of an issue that is out of reach beside others nobody can know whether it still counts.
  const isInReach = row.links.every(
    ({ link }) => !isOutOfReach(hub.find(link.issue.repositoryId, link.issue.number)),
  );
  for (const field of new Set(
    scenario.settings.rules.flatMap(({ set }) => Object.keys(set) as RuleField[]),
  )) {
    const history = watch.targets.of(post.id, field);
    // What follows the votes is looked at below.
    if (history?.target.kind === "value" && history.target.value === byVotes) continue;
    if (history === undefined || !isInReach || watch.targets.isUnknown(post.id, field)) continue;
    const base = row.base[field];
    if (base === undefined || !isSameTarget(field, base.target, history.target)) {
      if (waits.size > 0) continue;
      watch.violate(
        "I16",
        `the target of ${post.id}.${field} moved to ${describe(history.target)}; the state has ${base ? describe(base.target) : "none"}, and nothing says why`,
      );
      continue;
    }
    if (history.target.kind === "none" || isSameValue(field, post.values[field], history.target.value))
      continue;
    const touch = post.touched.get(field);
    const agreement = records.agreement(post.id, field);
    const isOverridden = touch !== undefined && touch.by !== "us" && touch.at >= (agreement?.lookedAt ?? 0);
    // That a value did not stick explains nothing where the board never got it.
    const isTaken = isSameValue(field, watch.taken.get(`${post.id} ${field}`), history.target.value);
    const kinds = ["disagreement", "held", ...(isTaken ? (["did-not-stick"] as const) : [])] as const;
    const isSaid = kinds.some((kind) => records.saidAt(post.id, kind) >= (agreement?.at ?? 0));
    // What our own change of the issue asks for now is told to nobody, whatever was to be sent before.
    const isOurs = history.movedBy === "us";
    if (
      !isOverridden &&
      !isTaken &&
      !isOurs &&
      isForgotten(stage, post, field, history.target.value, waits)
    ) {
      watch.violate(
        "I16",
        `${post.id}.${field} was to become ${describe(history.target)}; what was sent did not arrive, and it is not sent again`,
      );
    }
    if (isOverridden || isSaid || waits.size > 0 || scenario.board.hidden.includes(field)) continue;
    watch.violate(
      "I3",
      `${post.id}.${field} is ${showValue(post.values[field])} and should be ${describe(history.target)}; nobody moved it, and nothing says why`,
    );
  }
  checkText(stage, post, row, waits.size > 0);
  checkVotesAtRest(stage, post, row, waits);
}

/** Whether a write that did not arrive is taken for done: that the two sides differ explains nothing then. */
function isForgotten(
  stage: Stage,
  post: BoardPost,
  field: RuleField,
  wanted: FieldValue,
  waits: ReadonlySet<string>,
): boolean {
  const { scenario, watch } = stage;
  const attempted = watch.attempted.get(`${post.id} ${field}`);
  const isWaiting = [...waits].some((kind) => kind !== "disagreement" && kind !== "did-not-stick");
  const isVisible = !scenario.board.hidden.includes(field) && post.values.isArchived !== true;
  if (attempted === undefined || !isVisible || isWaiting) return false;
  // What such a board was sent before, and has not taken, looks like a person's change later.
  if (field === "status" && scenario.board.ignoresStatus) return false;
  // What it refuses is no such write; that the two differ is said where its side wins.
  if (field === "status" && scenario.board.refuses === wanted) return false;
  // A link that a person orders takes both sides as they are, and that such a write is not sent again.
  if (watch.links.isOrdered(post.id)) return false;
  if (!watch.taken.has(`${post.id} ${field}`) && isAhead(stage, post, field, wanted)) return false;
  // A change by a person soon after our write is taken for a late listing first, and for theirs only then.
  const lookedAt = attempted.lookedAt - scenario.policy.waits.patchMs;
  return !isMovedSince(post.touched, lookedAt) && isSameValue(field, attempted.value, wanted);
}

/**
 * Whether a post stands where a rule above the one that decides puts it: a first plan does not take it back from there. What was sent
 * and did not arrive may have been asked for by a rule above that one, from which people have taken the issue since.
 */
function isAhead({ scenario, watch }: Stage, post: BoardPost, field: RuleField, wanted: FieldValue): boolean {
  if (field !== "status" && field !== "roadmapColumn") return false;
  const { rules, several } = scenario.settings;
  const issues = watch.targets
    .issuesOf(post.id)
    .map((issue) => countKnown(asTrue(scenario, issue), scenario));
  return rules.some(({ set }, index) => {
    if (set[field] === undefined || !isSameValue(field, post.values[field], set[field])) return false;
    const above = readRules(issues, { rules: rules.slice(0, index), several }).get(field);
    return above?.kind !== "value" || !isSameValue(field, above.value, wanted);
  });
}

/** A link goes along with its issue wherever the config looks. */
function checkTransfer({ scenario, hub, watch }: Stage, post: BoardPost, { links }: Row): void {
  const [first] = links;
  const issue = first && hub.follow(first.link.issue.repositoryId, first.link.issue.number);
  if (issue === undefined || issue.isDeleted) return;
  const { name } = issue.repository;
  if (isNamed(issue.repository, scenario))
    watch.violate("I3", `${post.id} is still linked to where ${name}#${issue.number} was before`);
}

/** `content: follow`: the block shows what the post says. */
function checkText({ scenario, watch, hub }: Stage, post: BoardPost, row: Row, isSaid: boolean): void {
  if (scenario.settings.content !== "follow" || isSaid || watch.links.isForgotten(post.id)) return;
  if (post.values.isArchived === true && !scenario.board.hidden.includes("isArchived")) return;
  // Addresses and names of people are written otherwise in an issue.
  if (post.madeFrom !== undefined) return;
  for (const { link, text } of row.links) {
    const issue = hub.find(link.issue.repositoryId, link.issue.number);
    if (issue === undefined || link.origin !== "opened" || typeof text === "string" || issue.isBlockEdited)
      continue;
    if (issue.record.body.includes(String(post.values.description))) continue;
    // Somebody wants it left as it is.
    if (text.left !== undefined && watch.links.isUnwanted(post.id)) continue;
    watch.violate(
      "I3",
      `${issue.repository.name}#${issue.number} does not show the text of ${post.id}, and nothing says why`,
    );
  }
}

function describe(
  target: { readonly kind: "none" } | { readonly kind: "value"; readonly value: unknown },
): string {
  return target.kind === "none" ? "no rule" : `\`${String(target.value)}\``;
}
