import type { PostId } from "../../src/model/post.ts";
import { hashText } from "../../src/plan/hash.ts";
import type { Looks } from "./checks-board.ts";
import type { HubServer } from "./github-server.ts";
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
    patchLeaves: ({ post, change }) => assertSent("patch-post", change, `a PATCH of ${post}`),
    issueWriteLeaves({ repository, write }) {
      const kinds = { "create-issue": "create-issue", "edit-issue": "update-issue" } as const;
      if (write.kind !== "create-issue" && write.kind !== "edit-issue") return;
      assertSent(kinds[write.kind], write, `${write.kind} in ${repository.name}`);
    },
  };
}

interface LinkLine {
  readonly post: PostId;
  readonly repository: number;
  readonly number: number;
}

/** I9: a link is true when it is made, and stays. */
export function checkLinks(state: State, hub: HubServer, violate: Violate): Check {
  const select = state.look<[], LinkLine>(
    `SELECT posts.id AS post, links.repository AS repository, links.number AS number
     FROM links JOIN posts ON posts.number = links.post`,
  );
  let known = new Map<string, LinkLine>();
  return {
    stateIsLost() {
      known = new Map();
    },
    runEnds() {
      const now = new Map<string, LinkLine>(
        select().map((link) => [`${link.post} ↔ ${link.repository}#${link.number}`, link]),
      );
      for (const name of known.keys()) {
        if (!now.has(name)) violate("I9", `the link ${name} is gone`);
      }
      for (const [name, { post, repository, number }] of now) {
        if (known.has(name)) continue;
        const issue = hub.repositories
          .find(({ id }) => id === repository)
          ?.issues.find((one) => one.number === number);
        if (issue?.openedFor.includes(post) !== true)
          violate("I9", `the link ${name} is made, and that issue was not opened for it`);
      }
      known = now;
    },
  };
}

/** I6 in the state: a post counts as missing, and an issue as gone, only where that was said. */
export function checkAbsence(state: State, looks: Looks, hub: HubServer, violate: Violate): Check {
  const selectMissing = state.look<[], { id: PostId; missing: number }>(
    "SELECT id, missing FROM posts WHERE missing > 0",
  );
  const selectGone = state.look<[], { repository: number; number: number }>(
    "SELECT repository, number FROM issues WHERE is_gone = 1",
  );
  return {
    runEnds() {
      for (const { id, missing } of selectMissing()) {
        const absences = looks.mostAbsences(id);
        if (missing > absences) {
          violate(
            "I6",
            `${id} counts as missing ${missing} times; ${absences} complete lists in runs of their own lacked it`,
          );
        }
      }
      for (const { repository, number } of selectGone()) {
        if (hub.find(repository, number) !== undefined)
          violate("I6", `issue ${repository}#${number} counts as gone, and it is there`);
      }
    },
  };
}
