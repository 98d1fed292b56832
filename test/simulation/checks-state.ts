import { decodeIssue } from "../../src/ledger/sql/columns/facts.ts";
import type { IssueRecord } from "../../src/model/issue.ts";
import type { IntentKind } from "../../src/model/link.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { hashText } from "../../src/plan/ground/hash.ts";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import type { Looks } from "./checks-board.ts";
import { isChange } from "./github.ts";
import { type HubRepository, type HubServer, isOutOfReach } from "./github-server.ts";
import type { LinkOrders } from "./link-orders.ts";
import type { Life } from "./process.ts";
import type { State } from "./state.ts";
import type { Check, Violate } from "./watcher.ts";

/** I5: when a write leaves, a second connection already sees its SENT line with the hash of its body. */
export function checkJournal(state: State, violate: Violate): Check {
  const find = state.look<[string, string], { found: number }>(
    "SELECT 1 AS found FROM intents WHERE state = 'SENT' AND kind = ? AND body_hash = ?",
  );
  const assertSent = (kind: string, body: object, words: string): void => {
    if (find(kind, hashText(JSON.stringify(body))).length === 0) {
      violate("I5", `${words} leaves, and a second connection sees no SENT line for it`);
    }
  };
  return {
    patchLeaves({ post, change }) {
      const kind = change.internalNote === undefined ? "patch-post" : "patch-note";
      assertSent(kind, change, `a PATCH of ${post}`);
    },
    issueWriteLeaves({ repository, write }) {
      const kind = kindOf(write);
      if (kind !== undefined) assertSent(kind, write, `${write.kind} in ${repository.name}`);
    },
  };
}

/** The action that a write belongs to, as the journal calls it; undefined for a label that is created, which nobody looks up. */
export function kindOf(write: IssueWrite): IntentKind | undefined {
  switch (write.kind) {
    case "create-issue":
      return "create-issue";
    case "edit-issue":
      return isChange(write) ? "change-issue" : "update-issue";
    case "add-labels":
    case "remove-label":
      return "change-issue";
    case "add-comment":
      return "comment-issue";
    case "create-label":
      return undefined;
  }
}

interface LinkLine {
  readonly post: PostId;
  readonly repository: number;
  readonly number: number;
}

/** I9: a link is true when it is made, or ordered, and stays until it is ordered to end; `retry` gives up one to an issue that is out of reach. */
export function checkLinks(state: State, hub: HubServer, orders: LinkOrders, violate: Violate): Check {
  const select = state.look<[], LinkLine>(
    `SELECT posts.id AS post, links.repository AS repository, links.number AS number
     FROM links JOIN posts ON posts.number = links.post`,
  );
  let known = new Map<string, LinkLine>();
  const retried = new Set<PostId>();
  return {
    personOrders(order) {
      if (order.kind === "retry") for (const post of order.posts) retried.add(post);
    },
    stateIsLost() {
      known = new Map();
    },
    runEnds() {
      const now = new Map<string, LinkLine>(
        select().map((link) => [`${link.post} ↔ ${link.repository}#${link.number}`, link]),
      );
      for (const [name, { post, repository, number }] of known) {
        if (now.has(name)) continue;
        const issue = hub.follow(repository, number);
        const isFollowed = [...now.values()].some(
          (link) => link.post === post && hub.follow(link.repository, link.number) === issue,
        );
        const isGivenUp = retried.has(post) && isOutOfReach(issue);
        if (!isFollowed && !isGivenUp && !orders.isUnlinked(post, issue))
          violate("I9", `the link ${name} is gone`);
      }
      for (const [name, { post, repository, number }] of now) {
        if (known.has(name)) continue;
        const issue = hub.follow(repository, number);
        if (issue?.openedFor.includes(post) !== true && !orders.isLinked(post, issue))
          violate(
            "I9",
            `the link ${name} is made, and that issue was not opened for it, nor did anybody order it`,
          );
      }
      known = now;
    },
  };
}

/**
 * I16 at the tracker: where a pull counts as done, every change that the lists showed when it began is in the state; else
 * it would wait for the next full read. Not asked of a pull that was told that its page is unchanged: a change that came
 * into the lists late may stand on another page, which is why full reads are there.
 */
export function checkFreshness(state: State, hub: HubServer, violate: Violate): Check {
  const shown = new Map<HubRepository, { readonly records: readonly IssueRecord[]; readonly etag: string }>();
  const selectEtag = state.look<[number], { etag: string | null }>(
    "SELECT memory ->> '$.etag' AS etag FROM repositories WHERE id = ?",
  );
  const selectFacts = state.look<[number], { number: number; facts: string }>(
    `SELECT DISTINCT issues.number, facts FROM issues
     JOIN links ON links.repository = issues.repository AND links.number = issues.number
     WHERE issues.repository = ? AND facts IS NOT NULL`,
  );
  return {
    runBegins() {
      shown.clear();
    },
    trackerShowsLatest(repository, records, etag) {
      if (!shown.has(repository)) shown.set(repository, { records, etag });
    },
    runEnds() {
      for (const [{ id, name }, { records, etag }] of shown) {
        if (selectEtag(id)[0]?.etag !== etag) continue;
        const stored = new Map(selectFacts(id).map(({ number, facts }) => [number, facts]));
        for (const { issue } of records) {
          const facts = stored.get(issue.number);
          // People may take an issue away between the first page, which shows its change, and the one that would bring it.
          if (facts === undefined || hub.find(id, issue.number) === undefined) continue;
          const { updatedAt } = decodeIssue(facts);
          if (Date.parse(updatedAt) >= Date.parse(issue.updatedAt)) continue;
          violate("I16", `the pull of ${name} is done, and the state lacks a change of #${issue.number}`);
        }
      }
    },
  };
}

/** I12: never two processes that send writes for one state; of a shared one, never without the lease. */
export function checkOneWriter(violate: Violate): Check {
  let last: Life | undefined;
  const note = (life: Life, leftAt: number): void => {
    if (life.whyNot !== undefined) {
      const why = life.whyNot(leftAt);
      if (why !== undefined) violate("I12", `a write leaves of a process ${why}`);
      return;
    }
    if (last !== undefined && last !== life && !last.isDead)
      violate("I12", "two processes write for one state: the first one has not ended");
    last = life;
  };
  return {
    patchLeaves: ({ life, leftAt }) => note(life, leftAt),
    issueWriteLeaves: ({ life, leftAt }) => note(life, leftAt),
    toolCallLeaves: ({ life, leftAt }) => note(life, leftAt),
  };
}

/** I6 in the state: a post counts as missing, and an issue as gone, only where that was said; of an issue twice, where it is there. */
export function checkAbsence(state: State, looks: Looks, hub: HubServer, violate: Violate): Check {
  const selectMissing = state.look<[], { id: PostId; project: ProjectId; missing: number }>(
    "SELECT posts.id, board_projects.id AS project, missing FROM posts JOIN board_projects ON board_projects.number = project WHERE missing > 0",
  );
  const selectGone = state.look<[], { repository: number; number: number }>(
    "SELECT repository, number FROM issues WHERE is_gone = 1",
  );
  return {
    runEnds() {
      for (const { id, project, missing } of selectMissing()) {
        const absences = looks.mostAbsences(id, project);
        if (missing > absences) {
          violate(
            "I6",
            `${id} counts as missing ${missing} times; ${absences} complete lists in runs of their own lacked it`,
          );
        }
      }
      for (const { repository, number } of selectGone()) {
        const issue = hub.find(repository, number);
        if (issue !== undefined && issue.timesDenied < 2)
          violate("I6", `issue ${repository}#${number} counts as gone, and it is there`);
      }
    },
  };
}
