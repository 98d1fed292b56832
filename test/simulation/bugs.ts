import type { BoardTools } from "../../src/board/tools.ts";
import { RemoteError } from "../../src/errors.ts";
import type { Change, SentChange } from "../../src/ledger/change.ts";
import type { NewIntent, PacedWrite } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RequestId } from "../../src/ledger/orders.ts";
import type { Issue, RepositoryId } from "../../src/model/issue.ts";
import { type Row, withPins } from "../../src/model/link.ts";
import type { FieldValue } from "../../src/model/post.ts";
import { applied, noBase, noTarget } from "../../src/plan/fields/base.ts";
import { labelField } from "../../src/plan/ground/issue-fields.ts";
import type { BoardRule, Rule } from "../../src/plan/ground/settings.ts";
import { inOrder } from "../../src/select.ts";
import { lastText } from "../../src/sync/ground/entries.ts";
import type { World } from "../../src/sync/ground/world.ts";
import type { IssuePage, SignalAnswer, Tracker } from "../../src/tracker/tracker.ts";
import { fieldKey, known } from "./github-facts.ts";
import type { HubServer } from "./github-server.ts";
import type { Bug } from "./stage.ts";
import { voteLabels } from "./wishes.ts";
import { withParts, withReads } from "./with-parts.ts";
import type { Way } from "./world.ts";

/** A bug that somebody might write, planted from outside, and the promises one of which it breaks. */
export interface PlantedBug {
  readonly name: string;
  readonly words: string;
  readonly breaks: readonly string[];
  readonly bug: Bug;
  /** Where it is looked for; left out for the usual histories. */
  readonly way?: Way;
  /** Where a test may begin to look; left out where it would have to look for too long. */
  readonly from?: number;
}

/** What refuses, renames or shows late, in every history. */
const quirky: Way = { isQuirky: true };

/** Two projects of one board, and posts that move. */
const moving: Way = { isMoving: true };

/** Settings that few projects have. */
const wishing: Way = { isWishing: true };

/** A board with tools of its own. */
const equipped: Way = { hasTools: true };

/** Runs that people order by a command. */
const ordered: Way = { isOrdered: true };

/** Two replicas of one state. */
const shared: Way = { isOverHttp: false, isShared: true };

const ofWorld = (change: (world: World, hub: HubServer) => Partial<World>): Bug => ({
  world: (world, hub) => ({ ...world, ...change(world, hub) }),
});

/** A write of the pace that does not say what it rests on. */
function withoutSeen(line: SentChange): SentChange {
  if (line.kind !== "pace-write") return line;
  const { seen: _, ...rest } = line;
  return rest;
}

const ofLedger = (change: (ledger: Ledger) => Partial<Ledger>): Bug =>
  ofWorld(({ ledger }) => ({ ledger: withReads(ledger, change) }));

const ofJournal = (change: (journal: Ledger["journal"]) => Partial<Ledger["journal"]>): Bug =>
  ofLedger(({ journal }) => ({ journal: withParts(journal, change(journal)) }));

const ofRows = (change: (rows: Ledger["rows"]) => Partial<Ledger["rows"]>): Bug =>
  ofLedger(({ rows }) => ({ rows: withParts(rows, change(rows)) }));

/** A row as a decision reads it. */
const ofRow = (bend: (row: Row) => Row): Bug =>
  ofRows((rows) => ({
    due: async (...asked) => (await rows.due(...asked)).map(bend),
    row: async (...asked) => {
      const row = await rows.row(...asked);
      return row && bend(row);
    },
  }));

const ofChanges = (bend: (change: Change, world: World) => readonly Change[]): Bug =>
  ofWorld((world) => {
    const { ledger } = world;
    const commit: Ledger["commit"] = (changes) => ledger.commit(changes.flatMap((one) => bend(one, world)));
    return { ledger: withParts(ledger, { commit }) };
  });

/** The commit that a request rests on. */
const ofSent = (bend: (ledger: Ledger) => Ledger["commitSent"]): Bug =>
  ofWorld(({ ledger }) => ({ ledger: withParts(ledger, { commitSent: bend(ledger) }) }));

/** A pause that came meanwhile is not looked at. */
const withoutPauses =
  (ledger: Ledger): Ledger["commitSent"] =>
  async (...asked) => ({ intent: (await ledger.commitSent(...asked)).intent });

/** A line of such a kind is left out. */
const withoutLine =
  (kind: SentChange["kind"]) =>
  (ledger: Ledger): Ledger["commitSent"] =>
  (lines, of) =>
    ledger.commitSent(
      lines.filter((line) => line.kind !== kind),
      of,
    );

const ofTools = (change: (tools: BoardTools) => Partial<BoardTools>): Bug =>
  ofWorld(({ tools }) => ({ tools: tools && withParts(tools, change(tools)) }));

const ofTracker = (change: (world: World, hub: HubServer) => Partial<Tracker>): Bug =>
  ofWorld((world, hub) => ({ tracker: withParts(world.tracker, change(world, hub)) }));

const unmoved = "2025-01-01T00:00:00Z";

/** The bugs that the protocol's rules are there against. Nothing in `src` knows of them. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "retry-on-502",
    words: "a POST that is answered by 502 is sent again at once",
    breaks: ["I1", "I11"],
    from: 52,
    bug: ofTracker(({ tracker }) => ({
      async write(repository, write) {
        const outcome = await tracker.write(repository, write);
        const isServerError = outcome.kind === "unknown" && outcome.message === "HTTP 502.";
        return isServerError ? tracker.write(repository, write) : outcome;
      },
    })),
  },
  {
    name: "no-sent-row",
    words: "a write leaves without its SENT line",
    breaks: ["I5"],
    from: 1,
    bug: ofSent(withoutLine("mark-sent")),
  },
  {
    name: "synchronous-normal",
    words: "the journal does not wait for the disk (`synchronous=NORMAL`)",
    breaks: ["I1", "I2", "I9", "I11"],
    from: 124,
    bug: { isLoose: true },
  },
  {
    name: "level-triggered",
    words: "a status is set whenever the two sides differ, whatever was agreed on before",
    breaks: ["I2", "I3"],
    from: 17,
    bug: ofRow((row) => ({ ...row, base: {} })),
  },
  {
    name: "short-wait",
    words: "an unknown outcome is looked up before `waits` is over",
    breaks: ["I1", "I2"],
    from: 1870,
    bug: ofWorld(({ policy }) => ({ policy: { ...policy, waits: { createMs: 1, patchMs: 1 } } })),
  },
  {
    name: "first-page-only",
    words: "one page of our issues is taken for all of them",
    breaks: ["I1"],
    from: 199,
    bug: ofTracker(({ tracker }) => ({
      async *listIssues(repository, query, bounds) {
        for await (const page of tracker.listIssues(repository, query, bounds)) {
          yield query.kind === "first" ? { ...page, issues: [], rows: [] } : page;
          if (query.kind === "by") return;
        }
      },
    })),
  },
  {
    name: "absence-as-deletion",
    words: "an issue that one list does not show counts as deleted",
    breaks: ["I6"],
    from: 15,
    bug: ofTracker(({ tracker }) => {
      const shown = new Set<number>();
      return {
        async *listIssues(repository, query, bounds) {
          if (query.kind === "by") shown.clear();
          for await (const page of tracker.listIssues(repository, query, bounds)) {
            for (const { issue } of page.issues) shown.add(issue.number);
            yield page;
          }
        },
        readIssue: (ref, bounds) =>
          shown.has(ref.number) ? tracker.readIssue(ref, bounds) : Promise.resolve({ kind: "gone" }),
      };
    }),
  },
  {
    name: "broken-list-as-complete",
    words: "a list of posts that broke off counts as complete",
    breaks: ["I6"],
    from: 3,
    bug: ofChanges((change) => [change.kind === "end-pull" ? { ...change, end: "complete" } : change]),
  },
  {
    name: "page-numbers",
    words: "changes are caught up with by page numbers instead of by their time",
    breaks: ["I16"],
    from: 6550,
    bug: ofTracker(({ tracker }, hub) => ({
      listIssues: (repository, query, bounds) =>
        query.kind === "since"
          ? listByPageNumbers(hub, repository.id, query.since, async () => {
              await tracker.catalogue(repository, bounds);
            })
          : tracker.listIssues(repository, query, bounds),
    })),
  },
  {
    name: "resend-without-proof",
    words: "a PATCH of unknown outcome is sent again because the post shows what it showed before",
    breaks: ["I2"],
    from: 674,
    bug: ofLedger(({ journal, rows }) => ({
      journal: withParts(journal, {
        open: async (project) =>
          (await journal.open(project)).map((intent) => ({ ...intent, updatedAtBefore: unmoved })),
      }),
      rows: withParts(rows, {
        row: async (project, id, now) => {
          const row = await rows.row(project, id, now);
          if (row === undefined) return undefined;
          const values = { ...row.post.values, updatedAt: unmoved };
          return { ...row, post: { ...row.post, values } };
        },
      }),
    })),
  },
  {
    name: "unknown-as-not-applied",
    words: "an unknown outcome counts as not applied",
    breaks: ["I1", "I2"],
    from: 50,
    bug: ofChanges((change) => [
      change.kind === "resolve" && change.state === "UNKNOWN" ? { ...change, state: "PREPARED" } : change,
    ]),
  },
  {
    name: "guard-after-first-write",
    words: "the guard counts only once a first write was made",
    breaks: ["I10"],
    from: 58,
    bug: ofJournal((journal) => ({
      statusWrites: async (project, since) =>
        (await journal.statusWrites(project, since)) || Number.NEGATIVE_INFINITY,
    })),
  },
  {
    name: "guard-forgets",
    words: "the guard forgets what voters were told in earlier runs",
    breaks: ["I10"],
    from: 1001,
    bug: ofJournal(() => ({ statusWrites: async () => 0 })),
  },
  {
    name: "room-lets-go",
    words: "what was held goes by itself once the guard has room",
    breaks: ["I10"],
    from: 41,
    bug: ofRow(({ notes = [], ...row }) => ({ ...row, notes: notes.filter(({ kind }) => kind !== "held") })),
  },
  {
    name: "standing-goes",
    words: "what was refused, or is in doubt, goes by itself in the next run",
    breaks: ["I2", "I3"],
    from: 674,
    bug: ofRow(({ notes = [], ...row }) => ({
      ...row,
      notes: notes.filter(({ kind }) => kind !== "parked"),
    })),
  },
  {
    name: "record-drops-one",
    words: "that an action is held is not recorded",
    breaks: ["I3"],
    from: 6,
    bug: ofChanges((change) => {
      const isHold = change.kind === "note-action" && change.notes.some(({ kind }) => kind === "held");
      return isHold ? [] : [change];
    }),
  },
  {
    name: "approval-of-all",
    words: "an approval of one action lets all go that are held",
    breaks: ["I10"],
    from: 41,
    bug: ofLedger(({ requests, rows }) => ({
      requests: withParts(requests, {
        pending: async (project) =>
          inOrder(await requests.pending(project), async (request) =>
            request.kind === "approve" ? { ...request, actions: await rows.held(project) } : request,
          ),
      }),
    })),
  },
  {
    name: "base-before-answer",
    words: "the base of a post moves before the board has answered",
    breaks: ["I3", "I16"],
    from: 32,
    bug: ofSent((ledger) => async (lines, of) => {
      for (const line of lines) if (line.kind === "mark-sent") await moveBase(ledger, line.intent);
      return ledger.commitSent(lines, of);
    }),
  },
  {
    name: "no-lock",
    words: "two processes write for one state file",
    breaks: ["I12", "I5", "I6"],
    from: 53,
    bug: { hasNoLock: true },
  },
  {
    name: "cursor-before-rows",
    words: "the cursor moves before the rows of its page are due",
    breaks: ["I16"],
    from: 256,
    bug: ofTracker(({ tracker, ledger }) => ({
      async *listIssues(repository, query, bounds) {
        for await (const page of tracker.listIssues(repository, query, bounds)) {
          if (query.kind === "latest" && !page.isUnchanged) await moveCursor(ledger, repository.id, page);
          yield page;
        }
      },
    })),
  },
  {
    name: "changes-not-stored",
    words: "of several issues on a page no change is stored",
    breaks: ["I16", "I3", "I1"],
    from: 46,
    bug: ofChanges((change) => (change.kind === "store-issues" && change.issues.length > 1 ? [] : [change])),
  },
  {
    name: "no-recovery",
    words: "what was under way when a process ended is forgotten",
    breaks: ["I3", "I16"],
    from: 189,
    bug: ofJournal(() => ({ recover: async () => 0 })),
  },
  {
    name: "pace-in-memory",
    words: "the pace is not remembered",
    breaks: ["I11"],
    from: 40,
    bug: ofLedger(({ pace, commitSent }) => ({
      pace: withParts(pace, { writes: async () => [] }),
      commitSent: (lines, of) => commitSent(lines.map(withoutSeen), of),
    })),
  },
  {
    name: "limit-in-memory",
    words: "the end of a limit is not remembered",
    breaks: ["I11"],
    from: 83,
    bug: ofChanges((change) => (change.kind === "limit" ? [] : [change])),
  },
  {
    name: "old-look",
    words: "an old look at a post counts as a new one",
    breaks: ["I8", "I6"],
    from: 175,
    bug: ofRows((rows) => ({
      row: async (project, post, now) => {
        const row = await rows.row(project, post, now);
        return row?.seenAt === undefined ? row : { ...row, seenAt: now };
      },
    })),
  },
  {
    name: "look-by-answer",
    words: "a look counts from the board's answer, not from when its page was asked for",
    breaks: ["I8"],
    from: 10_815,
    bug: ofChanges((change, { clock }) => [
      change.kind === "store-posts" || change.kind === "see-page" ? { ...change, at: clock.now() } : change,
    ]),
  },
  {
    name: "page-unseen",
    words: "a page that has not changed counts as one without posts",
    breaks: ["I6"],
    from: 1,
    bug: ofChanges((change) => (change.kind === "see-page" ? [] : [change])),
  },
  {
    name: "echo-to-duplicates",
    words: "our own change of an issue is told to the posts of its duplicates",
    breaks: ["I2"],
    from: 1_200,
    bug: ofRows((rows) => ({ linkedTo: (issue) => rows.linkedTo(issue) })),
  },
  {
    name: "echo-to-board",
    words: "our own change of an issue is told to the board",
    breaks: ["I2"],
    from: 40,
    bug: ofChanges((change) =>
      change.kind === "set-bases" && change.bases.issueBases === undefined ? [] : [change],
    ),
  },
  {
    name: "echo-to-issue",
    words: "our own PATCH of a post is told to its issues",
    breaks: ["I2"],
    from: 121,
    bug: ofWorld(({ ledger }) => {
      let isDone = false;
      const bend = (change: Change): Change => {
        if (change.kind === "resolve") isDone = change.state === "DONE";
        if (change.kind !== "record-row" || !isDone) return change;
        isDone = false;
        return { ...change, record: { ...change.record, issueBases: [] } };
      };
      return { ledger: withParts(ledger, { commit: (changes) => ledger.commit(changes.map(bend)) }) };
    }),
  },
  {
    name: "comment-again",
    words: "a comment whose answer was lost is not looked for, and made again",
    breaks: ["I2"],
    from: 23,
    bug: {
      ...ofTracker(() => ({ async *comments() {} })),
      scenario: ({ settings, ...scenario }) => ({
        ...scenario,
        faultRate: 0.5,
        settings: { ...settings, boardRules: commentingRules, guard: wide, writes: "all" },
      }),
    },
  },
  {
    name: "unknown-as-no",
    words: "what can't be read of an issue counts as not there",
    breaks: ["I2", "I16"],
    from: 2748,
    bug: ofTracker(({ tracker }) => ({
      async *readSignals(nodeIds, wish, bounds) {
        for await (const page of tracker.readSignals(nodeIds, wish, bounds)) yield page.map(denyUnknown);
      },
    })),
  },
  {
    name: "duplicate-forgotten",
    words: "the issue that a duplicate was closed for is forgotten",
    breaks: ["I2", "I16"],
    from: 526,
    bug: ofTracker(({ tracker }) => ({
      async *readSignals(nodeIds, wish, bounds) {
        for await (const page of tracker.readSignals(nodeIds, wish, bounds)) {
          yield page.map((answer) => ({ ...answer, duplicateOf: { kind: "known", value: null } }));
        }
      },
    })),
  },
  {
    name: "lease-not-checked",
    words: "a request leaves without a look at what is left of the lease",
    // Whose lease is over may write what another has learned meanwhile.
    breaks: ["I12", "I6"],
    way: shared,
    from: 4408,
    bug: ofLedger(() => ({ assertHeld: async () => undefined })),
  },
  {
    name: "fencing-not-compared",
    words: "a commit does not compare the number of its lease",
    breaks: ["I12"],
    way: shared,
    from: 8,
    bug: { omits: "comparing leases" },
  },
  {
    name: "sent-elsewhere",
    words: "SENT is committed on another connection, outside of the turn that compares the lease",
    breaks: ["I12"],
    way: shared,
    from: 1276,
    bug: {
      world: (world, _hub, replica) => {
        const { ledger } = world;
        const isSent = (lines: readonly SentChange[]) => lines.some(({ kind }) => kind === "mark-sent");
        const commitSent: Ledger["commitSent"] = (lines, of) =>
          (isSent(lines) ? (replica?.unheld ?? ledger) : ledger).commitSent(lines, of);
        return { ...world, ledger: withParts(ledger, { commitSent }) };
      },
    },
  },
  {
    name: "commit-in-doubt",
    words: "a COMMIT whose answer was lost is taken for done",
    breaks: ["I5", "I1", "I2", "I12", "no bug"],
    way: shared,
    from: 147,
    bug: { omits: "looking up commits" },
  },
  {
    name: "pace-per-replica",
    words: "each replica counts the pace of a token on its own",
    breaks: ["I11"],
    way: shared,
    from: 40,
    bug: countAlone(),
  },
  {
    name: "pause-not-checked",
    words: "a pause that comes in the middle of a run is not asked for any more",
    breaks: ["I17"],
    from: 6264,
    bug: ofSent(withoutPauses),
  },
  {
    name: "pause-not-held",
    words: "a paused post is written like any other",
    breaks: ["I17"],
    from: 9,
    bug: ofLedger((ledger) => {
      const { rows } = ledger;
      const withoutPause = ({ pausedAt: _, ...row }: Row): Row => row;
      const unpaused = withParts(rows, {
        due: async (...asked) => (await rows.due(...asked)).map(withoutPause),
        row: async (...asked) => {
          const row = await rows.row(...asked);
          return row && withoutPause(row);
        },
      });
      return { rows: unpaused, commitSent: withoutPauses(ledger) };
    }),
  },
  {
    name: "conflict-does-not-pause",
    words: "a person's change of a status pauses its post for one run only",
    breaks: ["I17"],
    way: wishing,
    from: 289,
    bug: {
      ...ofChanges((change) => (change.kind === "pause" ? [] : [change])),
      // Every issue asks for a status, and people want another one.
      scenario: ({ settings, board, ...scenario }) => ({
        ...scenario,
        board: { ...board, hidden: [], refuses: undefined, ignoresStatus: false },
        settings: {
          ...settings,
          rules: askingRules,
          select: unarchived,
          guard: wide,
          settleMs: 0,
          conflict: "pause",
          writes: "all",
        },
      }),
    },
  },
  {
    name: "label-of-anybody",
    words: "a label by votes counts as ours, whoever has set it",
    breaks: ["I21"],
    way: wishing,
    from: 74,
    bug: ofRows((rows) => ({
      due: async (...asked) => (await rows.due(...asked)).map(withOwnLabels),
      row: async (...asked) => {
        const row = await rows.row(...asked);
        return row && withOwnLabels(row);
      },
    })),
  },
  {
    name: "votes-of-the-first-look",
    words: "the votes of a post stay what they were when it was seen first",
    breaks: ["I3", "I18"],
    way: wishing,
    from: 14,
    bug: ofRows((rows) => {
      const first = new Map<Row["post"]["id"], FieldValue>();
      const withFirst = (row: Row): Row => {
        const { id, values } = row.post;
        const votes = first.get(id) ?? values.votes ?? 0;
        first.set(id, votes);
        return { ...row, post: { ...row.post, values: { ...values, votes } } };
      };
      return {
        due: async (...asked) => (await rows.due(...asked)).map(withFirst),
        row: async (...asked) => {
          const row = await rows.row(...asked);
          return row && withFirst(row);
        },
      };
    }),
  },
  {
    name: "order-at-once",
    words: "the order by votes is sent with every vote",
    breaks: ["I21"],
    way: wishing,
    from: 266,
    bug: ofWorld(({ policy }) => ({ policy: { ...policy, fullEveryMs: 1 } })),
  },
  {
    name: "applied-as-a-run",
    words: "a saved plan is applied as if it were a run like any other",
    breaks: ["I15"],
    way: ordered,
    bug: { order: (order) => (order.kind === "apply" ? { kind: "sync" } : order) },
  },
  {
    name: "adopted-and-written",
    words: "`sync --adopt` writes what differs",
    breaks: ["I15"],
    way: ordered,
    bug: { order: (order) => (order.kind === "adopt" ? { kind: "sync" } : order) },
  },
  {
    name: "undone-without-target",
    words: "what the rules ask for is forgotten where a status is taken back",
    breaks: ["I2", "I3", "I16"],
    way: ordered,
    bug: ofRows((rows) => ({
      due: async (...asked) => (await rows.due(...asked)).map(withoutUndone),
      row: async (...asked) => {
        const row = await rows.row(...asked);
        return row && withoutUndone(row);
      },
    })),
  },
  {
    name: "cascade-cut-short",
    words:
      "the first rule that matches decides about every field: what it does not name, it takes from the rules below",
    breaks: ["I18", "I16", "I2", "I3"],
    way: quirky,
    from: 14,
    bug: {
      settings: (settings) => ({
        ...settings,
        rules: settings.rules.map((rule, index) => {
          const below = settings.rules.slice(index).toReversed();
          return { ...rule, set: Object.assign({}, ...below.map(({ set }) => set)) };
        }),
      }),
    },
  },
  {
    name: "names-not-pinned",
    words: "a label or a milestone that was renamed counts as taken away",
    breaks: ["I18", "I16"],
    way: quirky,
    from: 15,
    bug: ofRows((rows) => ({
      due: async (...asked) => (await rows.due(...asked)).map(withoutPins),
      row: async (...asked) => {
        const row = await rows.row(...asked);
        return row && withoutPins(row);
      },
    })),
  },
  {
    name: "reason-as-no",
    words: "a reason to close that no rule names counts as one for which nothing is asked",
    breaks: ["I18", "I16", "I2"],
    way: quirky,
    from: 173,
    bug: {
      settings: (settings) => ({
        ...settings,
        rules: [...settings.rules, { when: { reason: ["outdated"] }, set: {} }],
      }),
      world: (world) => {
        const { tracker } = world;
        const bent = withParts(tracker, {
          async *listIssues(...asked) {
            for await (const page of tracker.listIssues(...asked)) {
              yield { ...page, issues: page.issues.map(nameReasons) };
            }
          },
          async readIssue(...asked) {
            const answer = await tracker.readIssue(...asked);
            return "record" in answer ? { ...answer, record: nameReasons(answer.record) } : answer;
          },
        });
        return { ...world, tracker: bent };
      },
    },
  },
  {
    name: "refusal-of-one-for-all",
    words: "one issue that GitHub refuses to show stops its whole project",
    breaks: ["I19"],
    way: quirky,
    from: 103,
    bug: ofTracker(({ tracker }) => ({
      async readIssue(...asked) {
        const answer = await tracker.readIssue(...asked);
        if (answer.kind === "refused") throw answer.error;
        return answer;
      },
    })),
  },
  {
    name: "permission-booked-on-posts",
    words: "each post waits for a person where the token lacks a permission, also when that is there",
    breaks: ["I19"],
    way: quirky,
    from: 117,
    bug: ofTracker(({ tracker }) => ({
      async write(...asked) {
        const outcome = await tracker.write(...asked);
        return outcome.kind === "forbidden"
          ? { ...outcome, kind: "rejected", status: 403, fields: [] }
          : outcome;
      },
    })),
  },
  {
    name: "late-list-as-news",
    words: "a list that is late after our own PATCH counts as what people have made of the post",
    breaks: ["I2", "I3", "I16", "I18"],
    way: quirky,
    from: 383,
    bug: {
      ...ofRows((rows) => ({
        due: async (...asked) => (await rows.due(...asked)).map(withoutAccepted),
        row: async (...asked) => {
          const row = await rows.row(...asked);
          return row && withoutAccepted(row);
        },
      })),
      // What a late list seems to say of people, board rules tell the issues.
      scenario: ({ settings, policy, board, ...scenario }) => ({
        ...scenario,
        posts: 3,
        board: { ...board, pageSize: 100, hidden: [], refuses: undefined, ignoresStatus: false },
        policy: { ...policy, waits: { createMs: 900_000, patchMs: 120_000 } },
        quirks: { hasLateLists: true, hasTies: false, acts: "reasons" },
        settings: { ...settings, boardRules: closingRules, settleMs: 0, writes: "all" },
      }),
    },
  },
  {
    name: "moved-as-new",
    words: "a post that was moved to another project counts as a new one",
    breaks: ["I1"],
    way: moving,
    from: 1,
    bug: ofLedger(({ lookup }) => ({ lookup: withParts(lookup, { namesakes: async () => [] }) })),
  },
  {
    name: "move-without-bases",
    words: "a post that is moved loses what both sides had agreed on",
    breaks: ["I2", "I16", "I18"],
    way: moving,
    from: 1,
    bug: {
      ...ofLedger(forgetBasesOfMoved),
      // Every issue asks for a status, and people may want another one.
      scenario: ({ settings, ...scenario }) => ({
        ...scenario,
        settings: { ...settings, rules: askingRules, select: unarchived, guard: wide, settleMs: 0 },
      }),
    },
  },
  {
    name: "limit-as-refusal",
    words: "a limit that comes as a 422 counts as a refusal of what was written",
    breaks: ["I11", "I19"],
    from: 255,
    bug: ofTracker(({ tracker }) => ({
      async write(...asked) {
        const outcome = await tracker.write(...asked);
        return outcome.kind === "limited"
          ? { ...outcome, kind: "rejected", status: 422, fields: [] }
          : outcome;
      },
    })),
  },
  {
    name: "signals-limit-for-all",
    words: "a limit of GraphQL alone closes all that goes to GitHub",
    breaks: ["I19", "I11"],
    way: quirky,
    from: 82,
    bug: ofTracker(({ tracker }) => ({
      budgetOf: () => "",
      async *readSignals(...asked) {
        try {
          yield* tracker.readSignals(...asked);
        } catch (error) {
          throw error instanceof RemoteError ? ofWhole(error) : error;
        }
      },
    })),
  },
  {
    name: "call-again",
    words: "a call of a tool whose answer is lost is made once more",
    breaks: ["I22"],
    way: equipped,
    from: 7,
    bug: ofChanges((change) => [
      change.kind === "end-call" && change.state === "UNKNOWN" ? { ...change, state: "PREPARED" } : change,
    ]),
  },
  {
    name: "no-sent-call",
    words: "a tool is called without its SENT line",
    breaks: ["I5"],
    way: equipped,
    from: 1,
    bug: ofSent(withoutLine("send-call")),
  },
  {
    name: "call-looked-up-early",
    words: "a call of a tool is looked up before it may have arrived",
    breaks: ["I22"],
    way: equipped,
    from: 7,
    bug: ofChanges((change) => [
      change.kind === "end-call" && change.state === "UNKNOWN"
        ? { ...change, at: change.at - 3_600_000 }
        : change,
    ]),
  },
  {
    name: "call-done-forgotten",
    words: "that an issue has become a post is forgotten where the answer did not tell which",
    breaks: ["I22", "I15"],
    way: equipped,
    from: 13,
    bug: ofChanges((change) => [
      change.kind === "end-call" && change.purpose === "feedbackCreate" && change.result === undefined
        ? { ...change, state: "PREPARED" }
        : change,
    ]),
  },
  {
    name: "imported-not-linked",
    words: "the post that an issue has become is not linked to it",
    breaks: ["I22", "I3"],
    way: equipped,
    from: 5,
    bug: ofChanges((change) => (change.kind === "link" && change.link.origin === "imported" ? [] : [change])),
  },
  {
    name: "published-unasked",
    words: "a draft is published without anybody's yes",
    breaks: ["I22"],
    way: equipped,
    from: 9,
    bug: ofLedger((ledger) => ({ requests: withParts(ledger.requests, { pending: publishAll(ledger) }) })),
  },
  {
    name: "other-text-published",
    words: "an entry is published as it is, and a person has let another text go",
    breaks: ["I22"],
    way: equipped,
    from: 115,
    bug: ofLedger((ledger) => ({ requests: withParts(ledger.requests, { pending: approveNow(ledger) }) })),
  },
  {
    name: "cut-entries",
    words: "a list of entries that is cut counts as a whole one",
    breaks: ["I22"],
    way: equipped,
    from: 5340,
    bug: ofTools((tools) => ({
      list: async (...asked) => ({ ...(await tools.list(...asked)), isComplete: true }),
    })),
  },
];

/** Every draft, as if somebody had asked for it. */
function publishAll({ requests, toolCalls }: Ledger): Ledger["requests"]["pending"] {
  return async (project) => {
    const drafts = await toolCalls.list(project, "changelogCreate");
    const all = drafts.map(
      ({ subject: tag, hash }, index) =>
        ({ kind: "publish", id: (index + 1_000) as RequestId, project, at: 0, tag, hash }) as const,
    );
    return [...(await requests.pending(project)), ...all];
  };
}

/** What was let go counts for whatever the draft is by now. */
function approveNow({ requests, toolCalls }: Ledger): Ledger["requests"]["pending"] {
  return async (project) => {
    const calls = await toolCalls.list(project);
    return (await requests.pending(project)).map((request) => {
      const text = request.kind === "publish" ? lastText(calls, request.tag) : undefined;
      return request.kind === "publish" && text !== undefined ? { ...request, hash: text.hash } : request;
    });
  };
}

const commentingRules: readonly BoardRule[] = [
  { when: { status: "planned" }, set: { comment: "Planned." } },
  { when: { status: "completed" }, set: { comment: "Completed." } },
];

const askingRules: readonly Rule[] = [
  { when: { state: "closed" }, set: { status: "completed" } },
  { when: {}, set: { status: "planned" } },
];
const unarchived = { archived: false, isArchivedDefault: true };
const wide = { issues: 50, statuses: 25, flips: 20 };

const closingRules: readonly BoardRule[] = [
  { when: { status: "planned" }, set: { state: "closed", reason: "completed" } },
  { when: { status: "open" }, set: { state: "open" } },
];

/** Until the post is recorded anew. */
function forgetBasesOfMoved({ commit, rows }: Ledger): Partial<Ledger> {
  const moved = new Set<string>();
  const withoutBase = (row: Row): Row => (moved.has(row.post.id) ? { ...row, base: {} } : row);
  return {
    async commit(changes) {
      await commit(changes);
      for (const change of changes) {
        if (change.kind === "move-post") moved.add(change.post);
        if (change.kind === "record-row") moved.delete(change.post);
      }
    },
    rows: withParts(rows, {
      due: async (...asked) => (await rows.due(...asked)).map(withoutBase),
      row: async (...asked) => {
        const row = await rows.row(...asked);
        return row && withoutBase(row);
      },
    }),
  };
}

/** Nothing is known of what the board has acknowledged. */
function withoutAccepted({ accepted: _, ...row }: Row): Row {
  return row;
}

/** The same error, of the credential's whole budget. */
function ofWhole({ side, fault, message, retryAt, concerns }: RemoteError): RemoteError {
  return new RemoteError(side, fault, message, { concerns, ...(retryAt !== undefined && { retryAt }) });
}

/** Names in rules mean whatever is called so: nothing is known of what they meant. */
function withoutPins(row: Row): Row {
  return { ...row, links: row.links.map((linked) => withPins(linked, [])) };
}

/** An issue as somebody reads it who takes every reason that has no name for none of the rules. */
function nameReasons<Answer extends { readonly issue: Issue }>(record: Answer): Answer {
  const { issue } = record;
  const isUnnamed = issue.state === "closed" && issue.stateReason === null;
  return isUnnamed ? { ...record, issue: { ...issue, stateReason: "outdated" } } : record;
}

/** What a replica has written itself, for as long as its history goes on. */
function countAlone(): Bug {
  const counted = new WeakMap<HubServer, Map<number, PacedWrite[]>>();
  return {
    world(world, hub, replica) {
      const { ledger } = world;
      const ofHub = counted.get(hub) ?? new Map<number, PacedWrite[]>();
      counted.set(hub, ofHub);
      const own = ofHub.get(replica?.index ?? 0) ?? [];
      ofHub.set(replica?.index ?? 0, own);
      const commitSent: Ledger["commitSent"] = async (lines, of) => {
        const sent = await ledger.commitSent(lines.map(withoutSeen), of);
        for (const line of lines) if (line.kind === "pace-write") own.push(line);
        return sent;
      };
      const pace = withParts(ledger.pace, {
        writes: async (since) => own.filter(({ at }) => at > since),
      });
      return { ...world, ledger: withParts(ledger, { commitSent, pace }) };
    },
  };
}

/** Labels by votes as if we had set them. */
function withOwnLabels(row: Row): Row {
  const written = { sent: true, shown: true };
  const ours = { target: { kind: "value", value: true }, post: true, foreign: false, written } as const;
  const labels = Object.fromEntries(
    Object.values(voteLabels).map((label) => [labelField(label), { ...noBase, ...ours }]),
  );
  return { ...row, links: row.links.map((linked) => ({ ...linked, base: { ...linked.base, ...labels } })) };
}

function denyUnknown(answer: SignalAnswer): SignalAnswer {
  const { pullRequests, subIssues, isReleased, projectStatus } = answer.signals;
  return {
    ...answer,
    signals: {
      ...answer.signals,
      ...(pullRequests?.kind === "unknown" && { pullRequests: known([]) }),
      ...(subIssues?.kind === "unknown" && { subIssues: known({ total: 0, closed: 0 }) }),
      ...(isReleased?.kind === "unknown" && { isReleased: known(false) }),
      ...(projectStatus?.[fieldKey]?.kind === "unknown" && { projectStatus: { [fieldKey]: known(null) } }),
    },
  };
}

/** Each page costs a request, as it does on the line; which one that is does not matter. */
async function* listByPageNumbers(
  hub: HubServer,
  id: RepositoryId,
  since: string | undefined,
  ask: () => Promise<void>,
): AsyncGenerator<IssuePage> {
  const { pageSize } = hub.traits;
  for (let number = 0; ; number += 1) {
    await ask();
    const rows = hub.repositories
      .filter((repository) => repository.id === id)
      .flatMap((repository) => hub.listed(repository))
      .filter(({ issue }) => since === undefined || issue.updatedAt >= since)
      .toSorted(
        ({ issue: one }, { issue: other }) =>
          Date.parse(one.updatedAt) - Date.parse(other.updatedAt) || one.number - other.number,
      );
    const issues = rows.slice(number * pageSize, (number + 1) * pageSize);
    const hasMore = rows.length > (number + 1) * pageSize;
    const lastUpdatedAt = issues.at(-1)?.issue.updatedAt;
    yield { issues, isUnchanged: false, etag: undefined, lastUpdatedAt, hasMore };
    if (!hasMore) return;
  }
}

/** As if an undo had left no target: the post shows something else than what the rules ask for, and we have written that. */
function withoutUndone(row: Row): Row {
  const { status } = row.base;
  const isUndone =
    status?.written?.sent !== undefined &&
    status.target.kind === "value" &&
    status.written.sent !== status.target.value;
  return isUndone ? { ...row, base: { ...row.base, status: { ...status, target: noTarget } } } : row;
}

async function moveBase(ledger: Ledger, intent: NewIntent): Promise<void> {
  const { project, post, reason, writes, at } = intent;
  const row = await ledger.rows.row(project, post, at);
  if (writes === undefined || row === undefined) return;
  const base = Object.fromEntries(
    writes.map((write) => [write.field, applied(row.base[write.field], write, undefined)]),
  );
  const record = { base, standing: { kind: "linked", reason }, notes: [], due: "now" } as const;
  await ledger.commit([{ kind: "record-row", project, post, record }]);
}

async function moveCursor(ledger: Ledger, id: RepositoryId, page: IssuePage): Promise<void> {
  const known = ledger.memory.repositoryById(id);
  const cursor = page.issues[0]?.issue.updatedAt;
  if (known === undefined) return;
  await ledger.commit([{ kind: "remember-repository", memory: { ...known, etag: page.etag, cursor } }]);
}
