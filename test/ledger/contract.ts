import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Change } from "../../src/ledger/change.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { describeAbsences } from "./contract-absences.ts";
import { describeBrowse } from "./contract-browse.ts";
import { describeImports } from "./contract-imports.ts";
import { describeIssueBases } from "./contract-issue-bases.ts";
import { describeJournal } from "./contract-journal.ts";
import { describeLinks } from "./contract-links.ts";
import { describeLookup } from "./contract-lookup.ts";
import { describeMemory } from "./contract-memory.ts";
import { describeNotices } from "./contract-notices.ts";
import { describeOrders } from "./contract-orders.ts";
import { describeBacklogs } from "./contract-pace.ts";
import { describePages } from "./contract-pages.ts";
import { describePulls } from "./contract-pulls.ts";
import { describeRequests } from "./contract-requests.ts";
import { describeRows } from "./contract-rows.ts";
import { describeSignals } from "./contract-signals.ts";
import { describeToolCalls } from "./contract-tool-calls.ts";
import { describeUpkeep } from "./contract-upkeep.ts";
import {
  createIssue,
  createPost,
  createRecord,
  dueIds,
  failing,
  noon,
  postId,
  project,
  pullPosts,
  refOf,
} from "./samples.ts";

/**
 * What every ledger promises. `open` gives an empty one; the suite closes it.
 *
 * @param isNear whether a commit takes no way over a network: what makes tens of thousands of them is left out else.
 */
export function describeLedger(name: string, open: () => Ledger | Promise<Ledger>, isNear = true): void {
  describe(name, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
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
    describeBrowse(current, isNear);
    describeRequests(current);
    describeOrders(current);
    describeNotices(current);
    describeJournal(current);
    describeToolCalls(current);
    describeImports(current);
    describeBacklogs(current);
    describeUpkeep(current, isNear);

    describe("changes that are committed together", () => {
      const record = (post: string): Change => ({
        kind: "record-row",
        project,
        post: postId(post),
        record: createRecord(),
      });

      it("leave nothing behind when one of them can't be made", async () => {
        await pullPosts(ledger, [createPost("p1")]);
        await expect(ledger.commit([record("p1"), failing])).rejects.toThrow("not open");
        expect(await dueIds(ledger)).toEqual(["p1"]);
        await ledger.commit([record("p1")]);
        expect(await dueIds(ledger)).toEqual([]);
      });

      it("can be looked at before they are made", async () => {
        await pullPosts(ledger, [createPost("p1")]);
        const issue = createIssue(7);
        const link = { post: postId("p1"), issue: refOf(issue), origin: "adopted" } as const;
        const content = { titleHash: "t", blockHash: "b" };
        const changes: Change[] = [];
        const ahead = ledger.after(() => changes);
        expect(await ahead.rows.hasContent(link.issue)).toBe(false);
        changes.push({ kind: "link", project, link, issue, content });
        expect((await ahead.rows.row(project, postId("p1"), noon))?.links).toMatchObject([
          { link, known: { issue } },
        ]);
        expect(await ahead.rows.hasContent(link.issue)).toBe(true);
        expect(await ahead.rows.linkedTo(link.issue)).toEqual([{ project, post: "p1" }]);
        changes.push({ kind: "remember-account", account: { login: "bot", checkedAt: noon } });
        changes.push({ kind: "declare-old", at: noon });
        expect([ahead.memory.account()?.login, ahead.copiedAt]).toEqual(["bot", noon]);
        expect([ledger.memory.account(), ledger.copiedAt]).toEqual([undefined, undefined]);
        expect((await ledger.rows.row(project, postId("p1"), noon))?.links).toEqual([]);
        expect(await ledger.rows.hasContent(link.issue)).toBe(false);
      });

      it("forget the sightings of a page that could not be stored", async () => {
        await pullPosts(ledger, [createPost("p1")], 1, noon);
        const pull = await ledger.pulls.begin(project, 2, noon + 1);
        const posts = [createPost("p1"), createPost("p2")];
        await expect(
          ledger.commit([{ kind: "store-posts", pull, posts, at: noon + 2 }, failing]),
        ).rejects.toThrow("not open");
        await expect(
          ledger.commit([{ kind: "end-pull", pull, end: "complete", at: noon + 3 }]),
        ).rejects.toThrow("can only be incomplete");
        await ledger.commit([{ kind: "end-pull", pull, end: "incomplete", at: noon + 3 }]);
        expect((await ledger.rows.row(project, postId("p1"), noon))?.seenAt).toBe(noon);
        expect(await ledger.rows.row(project, postId("p2"), noon)).toBeUndefined();
      });
    });
  });
}
