import type { Change } from "../../../ledger/change.ts";
import type { SignalledIssue } from "../../../ledger/pulls.ts";
import { type Canonical, type Issue, isSameIssue, type Readable } from "../../../model/issue.ts";
import { isDuplicate, isFollowed } from "../../../plan/rules/place.ts";
import { inOrder } from "../../../select.ts";
import type { DuplicateTarget, SignalAnswer } from "../../../tracker/tracker.ts";
import { type Cycle, nameIssue } from "../../ground/cycle-state.ts";
import { changesOf } from "../../ground/rows.ts";
import { endListed, setAbsence } from "../absences.ts";
import { secondLookMs } from "../follow.ts";
import { isOurLogin } from "../identify.ts";
import type { AskedIssue, SignalReader } from "./signal-reader.ts";

/** A chain of duplicates is followed through this many issues. */
const longestChain = 5;

/** What chains are followed by: who asks, and what has been answered, by the issues' node ids. */
interface Following {
  readonly cycle: Cycle;
  readonly reader: SignalReader;
  readonly answers: Map<string, SignalAnswer>;
}

type End = (
  | {
      readonly kind: "found";
      readonly target: DuplicateTarget;
      readonly shown: Issue;
      readonly signals: SignalAnswer["signals"];
    }
  /** There is none to follow, for this reason. */
  | { readonly kind: "none"; readonly reason: string }
  /** It leads to an issue that is not shown to us; which one, where at least that is. */
  | { readonly kind: "unreadable"; readonly target: DuplicateTarget | undefined }
  /** `unasked`: which one nobody has asked for; `unread`: the tracker gave no answer for one of them, in its words. */
  | {
      readonly kind: "unknown";
      readonly message: string;
      readonly unasked?: DuplicateTarget;
      readonly unread?: string | undefined;
    }
) &
  Pick<Canonical, "isOutside">;

/**
 * Finds, for issues that were closed as duplicates, the issue at the end of the chain, and reads it: its voters are notified when
 * that one gets anywhere. It may be anywhere on the tracker, so no list of ours need show it, and it is read in every run.
 * Nothing is ever written to it because of this. Where there is none to follow, the rules for duplicates decide.
 *
 * @throws RemoteError: what was known stays.
 */
export async function followDuplicates(
  cycle: Cycle,
  reader: SignalReader,
  duplicates: readonly SignalledIssue[],
): Promise<void> {
  const following: Following = { cycle, reader, answers: new Map() };
  await readChains(following, duplicates);
  const changes = await inOrder(duplicates, async (duplicate) => {
    const { signals, issue } = following.answers.get(duplicate.issue.nodeId) ?? { signals: {} };
    const [canonical, led] = await takeEnd(following, duplicate);
    return [
      ...(await reader.storingFacts(issue)),
      ...led,
      reader.storing(duplicate.issue, { ...signals, canonical }),
    ];
  });
  await cycle.world.ledger.commit(changes.flat());
}

/** Asks for the duplicates, and with them for what they led to last: as long as that is so, one request is enough. */
async function readChains(following: Following, duplicates: readonly SignalledIssue[]): Promise<void> {
  const { cycle, reader, answers } = following;
  let wanted = new Map<string, AskedIssue>();
  for (const duplicate of duplicates) {
    wanted.set(duplicate.issue.nodeId, duplicate);
    const known = duplicate.signals.canonical;
    const last =
      known?.kind === "known" && known.value !== null
        ? await cycle.world.ledger.signals.of(known.value)
        : undefined;
    if (last !== undefined) wanted.set(last.issue.nodeId, last);
  }
  for (let step = 0; step <= longestChain && wanted.size > 0; step += 1) {
    const found = await reader.read([...wanted.values()], { duplicates: true });
    for (const [nodeId, answer] of found) answers.set(nodeId, answer);
    // The first issue of each chain that nobody has asked for yet.
    wanted = new Map();
    for (const duplicate of duplicates) {
      const end = findEnd(following, duplicate);
      if (end.kind !== "unknown" || end.unasked === undefined) continue;
      const { nodeId, issue } = end.unasked;
      wanted.set(nodeId, { issue: { nodeId, repositoryId: issue.repositoryId }, signals: {} });
    }
  }
}

/**
 * Where a chain ends. Nobody's issue changes where another account becomes ours, or somebody loses access: an end that is known stays
 * an insider's then, or a stranger's.
 */
function findEnd({ cycle, answers }: Following, { issue, signals: { canonical } }: SignalledIssue): End {
  const followed = canonical?.kind === "known" ? (canonical.value ?? undefined) : undefined;
  const chain: DuplicateTarget[] = [];
  while (chain.length <= longestChain) {
    const target = chain.at(-1);
    const next = nextStep(target, answers.get((target ?? issue).nodeId));
    if ("kind" in next) {
      const strangers = chain.filter((one) => one.isOutside === true);
      const isKnown = followed !== undefined && target !== undefined && isSameIssue(target.issue, followed);
      const isOutside = isKnown
        ? strangers.length > 0 && followed.isOutside === true
        : strangers.some((one) => !isOurs(cycle, one));
      return { ...next, ...(isOutside && { isOutside }) };
    }
    if ([issue, ...chain].some(({ nodeId }) => nodeId === next.nodeId))
      return { kind: "none", reason: "the duplicates lead in a circle" };
    chain.push(next);
  }
  return { kind: "none", reason: `the chain of duplicates has more than ${longestChain} issues` };
}

/** Whoever opens an issue can close and reopen it, and so have the voters of each post that follows it notified. */
function isOurs({ world, account }: Cycle, { author }: DuplicateTarget): boolean {
  // An App's login ends so in one of GitHub's APIs, and not in the other.
  return [author, `${author ?? ""}[bot]`].some((login) => isOurLogin(world, account, login));
}

/** One step along a chain, from the answer about `at`; undefined at its beginning. */
function nextStep(at: DuplicateTarget | undefined, answer: SignalAnswer | undefined): End | DuplicateTarget {
  if (at !== undefined) {
    if (answer === undefined)
      return { kind: "unknown", message: `the tracker has not answered for ${nameTarget(at)}`, unasked: at };
    if (answer.fault !== undefined) return { kind: "unreadable", target: at };
  }
  const { duplicateOf, unread, issue: shown, signals = {} } = answer ?? {};
  if (at !== undefined && shown === undefined)
    return { kind: "unknown", message: `${nameTarget(at)} could not be read in full`, unread };
  const found = at && shown && ({ kind: "found", target: at, shown, signals } as const);
  if (found !== undefined && !isDuplicate(found.shown)) return found;
  if (duplicateOf?.kind !== "known") {
    const message = duplicateOf?.message ?? "the tracker does not find the issue by its id";
    return { kind: "unknown", message, unread };
  }
  if (duplicateOf.value === "hidden") return { kind: "unreadable", target: undefined };
  const reason = "the tracker names no issue in whose favour it was closed";
  return duplicateOf.value ?? found ?? { kind: "none", reason };
}

/** What a duplicate leads to, and what is to be stored of that. */
type Led = readonly [canonical: Readable<Canonical | null>, changes: readonly Change[]];

async function takeEnd(following: Following, duplicate: SignalledIssue): Promise<Led> {
  const { cycle, reader } = following;
  const { canonical } = duplicate.signals;
  const end = findEnd(following, duplicate);
  // What it led to is left for the pull to look at.
  if (reader.mode === "unknown" && canonical?.kind === "known" && end.kind !== "found")
    return [canonical, []];
  // Where the tracker gave no answer for the duplicate, or for what it leads to, it still leads where it led before.
  if (end.kind === "unknown" && end.unread !== undefined) {
    reader.unread.set(duplicate.issue.nodeId, end.unread);
    if (canonical?.kind === "known") return [canonical, []];
  }
  switch (end.kind) {
    case "unknown":
      return [{ kind: "unknown", message: end.message }, []];
    case "none":
      return leadNowhere(cycle, duplicate, end.reason);
    case "unreadable":
      return takeUnreadable(following, duplicate, end);
    case "found": {
      const { target, shown, signals } = end;
      const value = toCanonical(target, end);
      if (!isFollowed(value, cycle.settings.followDuplicates)) warnOnce(cycle, duplicate, strangers, value);
      const listed = await changesOf(cycle, (own) => endListed(own, [shown]));
      const facts = await reader.storingFacts(shown);
      return [{ kind: "known", value }, [...listed, ...facts, reader.storing(target.issue, signals)]];
    }
  }
}

function toCanonical({ issue }: DuplicateTarget, { isOutside }: Pick<Canonical, "isOutside">): Canonical {
  return { ...issue, ...(isOutside && { isOutside }) };
}

/**
 * The issue at the end of the chain can't be read. It may only be hidden for a moment, so it stays the one that counts until it
 * is not found for a second time, ten minutes later. From then on the duplicate leads nowhere.
 */
async function takeUnreadable(
  following: Following,
  duplicate: SignalledIssue,
  end: Extract<End, { readonly kind: "unreadable" }>,
): Promise<Led> {
  const { cycle } = following;
  const { ledger, clock } = cycle.world;
  const { target } = end;
  const reason = `it leads to ${target === undefined ? "an issue that can't be seen" : `${nameTarget(target)}, which can't be read`}`;
  const wanted = target ? toCanonical(target, end) : await findHidden(following, duplicate);
  if (wanted === null) return leadNowhere(cycle, duplicate, reason);
  const known = await ledger.absences.of(wanted);
  const since = clock.now();
  const absent = (kind: "missing" | "lost"): Promise<readonly Change[]> =>
    changesOf(cycle, (own) => setAbsence(own, wanted, known, { kind, since }));
  // It stays known where it led: when that is shown again, nobody has changed it.
  const led = { kind: "known", value: wanted } as const;
  if (known === undefined) return [led, await absent("missing")];
  if (known.kind === "lost") return [led, []];
  if (known.kind !== "missing") return leadNowhere(cycle, duplicate, reason);
  if (since - known.since < secondLookMs) return [led, []];
  warnOnce(cycle, duplicate, reason, null);
  return [led, await absent("lost")];
}

/**
 * The issue that was followed until now, where it may be the one that is hidden. If it is shown, the hidden one is another
 * issue, which was never followed: null.
 */
async function findHidden(
  { cycle, answers }: Following,
  { signals: { canonical } }: SignalledIssue,
): Promise<Canonical | null> {
  if (canonical?.kind !== "known" || canonical.value === null) return null;
  const followed = await cycle.world.ledger.signals.of(canonical.value);
  const answer = followed === undefined ? undefined : answers.get(followed.issue.nodeId);
  return answer === undefined || answer.fault !== undefined ? canonical.value : null;
}

function nameTarget({ repository, issue }: DuplicateTarget): string {
  return `${repository}#${issue.number}`;
}

function leadNowhere(cycle: Cycle, duplicate: SignalledIssue, reason: string): Led {
  warnOnce(cycle, duplicate, reason, null);
  return [{ kind: "known", value: null }, []];
}

const strangers =
  "the issue that it leads to was opened by somebody without write access (`followDuplicates: anyone` follows those, too)";

/** Says why the rules for duplicates decide, where the issue did not lead to this end before. */
function warnOnce(
  cycle: Cycle,
  { issue, signals: { canonical } }: SignalledIssue,
  reason: string,
  end: Canonical | null,
): void {
  const known = canonical?.kind === "known" ? canonical.value : undefined;
  const isKnown = known && end ? isSameIssue(known, end) : known === end;
  if (isKnown) return;
  cycle.world.log.warn(
    { project: cycle.project.key, issue: nameIssue(cycle, issue), reason },
    "An issue was closed as a duplicate, and the other issue can't be followed; the rules for duplicates decide",
  );
}
