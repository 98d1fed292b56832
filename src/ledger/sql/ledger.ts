import type { Change } from "../change.ts";
import { createHeldMemory, type HeldMemory, isOfMemory } from "../held-memory.ts";
import type { Ahead, Ledger } from "../ledger.ts";
import type { Runs } from "../orders.ts";
import {
  type AnyChange,
  type Changes,
  createNumbers,
  type Numbers,
  type Queries,
} from "./columns/numbers.ts";
import { createAbsences } from "./issues/absences.ts";
import { createImports } from "./issues/imports.ts";
import { createIssueStore } from "./issues/issue-store.ts";
import { createLinks } from "./issues/links.ts";
import { createSignals } from "./issues/signals.ts";
import { createAudit } from "./journal/audit.ts";
import { createBacklinks } from "./journal/backlinks.ts";
import { createJournal } from "./journal/journal.ts";
import { createMemory } from "./journal/memory.ts";
import { createMeta, type Stamp } from "./journal/meta.ts";
import { createNotices } from "./journal/notices.ts";
import { createOrders } from "./journal/orders.ts";
import { createPace } from "./journal/pace.ts";
import { createUpkeep, type EngineUpkeep } from "./journal/prune.ts";
import { createRequests } from "./journal/requests.ts";
import { createRuns } from "./journal/runs.ts";
import { createToolCalls } from "./journal/tool-calls.ts";
import { createMoves } from "./posts/moves.ts";
import { createPulls } from "./posts/pulls.ts";
import { createSightings } from "./posts/sightings.ts";
import { createBrowse } from "./rows/browse.ts";
import { createLookup } from "./rows/lookup.ts";
import { createPauses } from "./rows/pauses.ts";
import { createRecorder } from "./rows/recorder.ts";
import { createRows } from "./rows/rows.ts";
import { createWaiting } from "./rows/waiting.ts";
import { createRewind } from "./stamp.ts";
import { statementsOf } from "./statements.ts";
import { type Asked, type Carry, type Plain, promised, promisedPart, type Store } from "./store.ts";

/** What differs from engine to engine, beside its SQL. */
export interface Engine extends EngineUpkeep {
  readonly store: Store;
  /** Carries out what a method of the port asks for. */
  readonly carry: Carry;
  /** After each commit that a request waits for: throws where it may be lost again. */
  assertDurable(): void;
  readonly copyTo: Ledger["copyTo"];
  readonly assertHeld: Ledger["assertHeld"];
  close(): void;
  /** What the state says of itself by now, where that costs no waiting. */
  stamp?(): Stamp;
  /** What is remembered has been changed: others are to read it anew. */
  remembered?(): void;
  /** Whether this process has read all of it since it was changed last; left out where that can't be told. */
  isUpToDate?(): Asked<boolean>;
  /** Signs of life, where the engine keeps them elsewhere. */
  readonly signs?: Pick<Plain<Runs>, "heartbeat" | "replicas"> & {
    beat(change: Extract<Change, { readonly kind: "beat" }>): Asked<void>;
  };
}

/** What a process holds of a state, whichever run it is at work for. */
interface Held {
  readonly memory: HeldMemory;
  stamp: Stamp;
  readonly numbers: Numbers;
  /** How many changes of the memory this process has made. */
  learnt: number;
}

/** Holds nothing yet. */
export function createHeld(store: Store): Held {
  const stamp = { copiedAt: undefined, identity: "", pageKey: "" };
  return { memory: createHeldMemory(), stamp, numbers: createNumbers(store), learnt: 0 };
}

type Parts = Omit<Ahead, "memory" | "copiedAt">;

/** The port over a database, and what reads anew what the process holds of it. */
export function createLedger(
  engine: Engine,
  held: Held,
): { readonly ledger: Ledger; relearn(): Asked<void> } {
  const { store, carry } = engine;
  const { memory } = held;
  const on: Queries = { ...statementsOf(store), numbers: held.numbers };
  const meta = createMeta(store);
  const remembered = createMemory(on, memory);
  const sightings = createSightings();
  const issues = createIssueStore(on);
  const links = createLinks(on, issues);
  function* relearn(): Asked<void> {
    for (;;) {
      const { learnt } = held;
      const read = yield* remembered.read();
      const stamp = yield* meta.stamp();
      // What this process has committed meanwhile may not be in it.
      if (held.learnt !== learnt) continue;
      memory.hold(read);
      held.stamp = stamp;
      return;
    }
  }
  const audit = createAudit(on);
  const rows = createRows(on, sightings.seenAt);
  const pauses = createPauses(on);
  const recorder = createRecorder(on);
  const runs = createRuns(
    on,
    meta,
    createRewind(store, () => sightings.seenAt.clear()),
  );
  const toolCalls = createToolCalls(on, audit);
  const parts = {
    pulls: createPulls(on, sightings, issues),
    absences: createAbsences(on, issues),
    signals: createSignals(on, issues),
    backlinks: createBacklinks(on),
    rows: {
      ...rows,
      ...createWaiting(on),
      linkedTo: links.linkedTo,
      hasContent: links.hasContent,
      wholePauses: pauses.wholePauses,
    },
    lookup: createLookup(on),
    browse: createBrowse(on),
    journal: createJournal(on, audit, toolCalls),
    toolCalls,
    imports: createImports(on),
    pace: createPace(on),
    requests: createRequests(on),
    orders: createOrders(on),
    runs: {
      ...runs,
      *begin(at: number) {
        const begun = yield* runs.begin(at);
        // Also what is remembered has been set back with the clock.
        if (begun.aheadMs > 0) engine.remembered?.();
        const isUpToDate = begun.aheadMs === 0 && engine.isUpToDate && (yield* engine.isUpToDate());
        if (isUpToDate !== true) yield* relearn();
        return begun;
      },
      ...(engine.signs && { heartbeat: engine.signs.heartbeat, replicas: engine.signs.replicas }),
    },
    notices: createNotices(on),
    upkeep: createUpkeep(on, meta, engine),
  };
  const carried: Changes = {
    ...remembered.changes,
    ...parts.pulls.changes,
    ...parts.absences.changes,
    ...parts.signals.changes,
    ...links.changes,
    ...parts.backlinks.changes,
    ...rows.changes,
    ...pauses.changes,
    ...recorder.changes,
    ...parts.journal.changes,
    ...parts.toolCalls.changes,
    ...parts.imports.changes,
    ...parts.pace.changes,
    ...parts.requests.changes,
    ...parts.orders.changes,
    ...runs.changes,
    ...parts.notices.changes,
    ...createMoves(on).changes,
    "declare-old": ({ at }) => meta.write("copied_at", String(at)),
    ...(engine.signs && { beat: engine.signs.beat }),
  };
  function* make(changes: readonly AnyChange[]): Asked<void> {
    yield* store.lock(() => locksOf(changes));
    const standing = yield* recorder.standing(changes);
    for (const one of changes) {
      const carry = carried[one.kind] as (change: AnyChange, notes: typeof standing) => Asked<void>;
      yield* carry(one, standing);
    }
  }
  const now = promised<Parts>(parts, carry);
  const stamp = (): Stamp => engine.stamp?.() ?? held.stamp;
  const names: Ahead = { ...now, memory, copiedAt: undefined };
  const ledger: Ledger = {
    ...now,
    memory,
    get copiedAt() {
      return stamp().copiedAt;
    },
    get identity() {
      return stamp().identity;
    },
    get pageKey() {
      return stamp().pageKey;
    },
    async commit(changes) {
      if (changes.length === 0) return;
      await carry(() => store.transaction(() => make(changes)));
      if (changes.some(isOfMemory)) {
        for (const one of changes) memory.learn(one);
        held.learnt += 1;
        engine.remembered?.();
      }
      if (changes.some(({ kind }) => kind === "declare-old")) held.stamp = await carry(meta.stamp);
    },
    async commitSent(lines, of) {
      const kind = lines.find((line) => line.kind === "mark-sent")?.intent.kind;
      const sent = await carry(function* () {
        if (lines.length > 0) yield* store.transaction(() => make(lines), "late");
        return yield* pauses.sent(of, kind);
      });
      engine.assertDurable();
      return sent;
    },
    after: (changes) => {
      const carryAhead: Carry = (work) =>
        carry(() => {
          const ahead = changes();
          if (ahead.length === 0) return work();
          return store.tryOut(function* () {
            yield* make(ahead);
            return yield* work();
          });
        });
      // Every write looks ahead, and asks for one or two parts: each is made where it is asked for.
      return new Proxy(names, {
        get(_, name: keyof Ahead) {
          if (name === "memory") return changes().some(isOfMemory) ? memory.after(changes()) : memory;
          if (name === "copiedAt")
            return changes().findLast((one) => one.kind === "declare-old")?.at ?? stamp().copiedAt;
          // Of what is ahead nothing but its parts is there.
          return name in parts ? promisedPart(parts[name], carryAhead) : undefined;
        },
      });
    },
    copyTo: engine.copyTo,
    assertHeld: engine.assertHeld,
    close: engine.close,
  };
  return { ledger, relearn };
}

/**
 * What a commit reads and then writes, and commits for other projects may write, too: the issues of a repository, the memory of
 * one, the bases of posts, a pace, posts that move.
 */
function locksOf(changes: readonly AnyChange[]): readonly string[] {
  const names = changes.flatMap((change): readonly string[] => {
    if (change.kind === "pace-write") return [`pace of ${change.budget}`];
    if (change.kind === "move-post") return ["moves"];
    if (change.kind === "mark-sent") return [];
    if (change.kind === "record-row" || change.kind === "set-bases") return [`bases of ${change.project}`];
    if (change.kind === "remember-repository") return [`memory of ${change.memory.repository.id}`];
    return repositoriesIn(change, 3).map(String);
  });
  return [...new Set(names)].toSorted();
}

/** Of the issues that a change names, so many levels below it; and a repository that it names itself. */
function repositoriesIn(value: unknown, levels: number): readonly number[] {
  if (typeof value !== "object" || value === null) return [];
  const { repositoryId, repository } = value as Readonly<Record<string, unknown>>;
  for (const id of [repositoryId, repository]) if (typeof id === "number") return [id];
  return levels === 0 ? [] : Object.values(value).flatMap((one) => repositoriesIn(one, levels - 1));
}
