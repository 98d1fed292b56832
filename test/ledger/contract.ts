import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { describeAbsences } from "./contract-absences.ts";
import { describeBacklogs } from "./contract-backlogs.ts";
import { describeBrowse } from "./contract-browse.ts";
import { describeIssueBases } from "./contract-issue-bases.ts";
import { describeJournal } from "./contract-journal.ts";
import { describeLinks } from "./contract-links.ts";
import { describeLookup } from "./contract-lookup.ts";
import { describeMemory } from "./contract-memory.ts";
import { describeNotices } from "./contract-notices.ts";
import { describePages } from "./contract-pages.ts";
import { describePulls } from "./contract-pulls.ts";
import { describeRequests } from "./contract-requests.ts";
import { describeRows } from "./contract-rows.ts";
import { describeSignals } from "./contract-signals.ts";
import { describeUpkeep } from "./contract-upkeep.ts";
import { createPost, createRecord, dueIds, noon, postId, project, pullPosts } from "./samples.ts";

/** What every ledger promises. `open` gives an empty one; the suite closes it. */
export function describeLedger(name: string, open: () => Ledger): void {
  describe(name, () => {
    let ledger: Ledger;
    beforeEach(() => {
      ledger = open();
    });
    afterEach(() => ledger.close());
    const current = (): Ledger => ledger;
    describeMemory(current);
    describePulls(current);
    describePages(current);
    describeAbsences(current);
    describeRows(current);
    describeLinks(current);
    describeSignals(current);
    describeIssueBases(current);
    describeLookup(current);
    describeBrowse(current);
    describeRequests(current);
    describeNotices(current);
    describeJournal(current);
    describeBacklogs(current);
    describeUpkeep(current);

    describe("transactions", () => {
      it("join several writes into one", () => {
        pullPosts(ledger, [createPost("p1")]);
        const result = ledger.transaction(() => {
          ledger.rows.record(project, postId("p1"), createRecord());
          return ledger.runs.begin(noon);
        });
        expect(result).toBe(1);
        expect(dueIds(ledger)).toEqual([]);
      });

      it("leave nothing behind when they throw", () => {
        pullPosts(ledger, [createPost("p1")]);
        const failing = (): void =>
          ledger.transaction(() => {
            ledger.rows.record(project, postId("p1"), createRecord());
            throw new Error("no");
          });
        expect(failing).toThrow("no");
        expect(dueIds(ledger)).toEqual(["p1"]);
      });

      it("leave nothing of an inner one that throws, and keep the outer one", () => {
        pullPosts(ledger, [createPost("p1"), createPost("p2")]);
        ledger.transaction(() => {
          ledger.rows.record(project, postId("p1"), createRecord());
          const inner = (): void =>
            ledger.transaction(() => {
              ledger.rows.record(project, postId("p2"), createRecord());
              throw new Error("no");
            });
          expect(inner).toThrow("no");
        });
        expect(dueIds(ledger)).toEqual(["p2"]);
      });

      it("forget the sightings of a page that was rolled back", () => {
        pullPosts(ledger, [createPost("p1")], 1, noon);
        const pull = ledger.pulls.begin(project, 2, noon + 1);
        const failing = (): void =>
          ledger.transaction(() => {
            ledger.pulls.storePosts(pull, [createPost("p1"), createPost("p2")], noon + 2);
            throw new Error("no");
          });
        expect(failing).toThrow("no");
        expect(() => ledger.pulls.end(pull, { kind: "complete", at: noon + 3 })).toThrow(
          "can only be incomplete",
        );
        ledger.pulls.end(pull, { kind: "incomplete", at: noon + 3 });
        expect(ledger.rows.row(project, postId("p1"), noon)?.seenAt).toBe(noon);
        expect(ledger.rows.row(project, postId("p2"), noon)).toBeUndefined();
      });
    });
  });
}
