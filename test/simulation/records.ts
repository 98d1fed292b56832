import type { Change } from "../../src/ledger/change.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RowNote, Target } from "../../src/model/link.ts";
import { type PostId, type RuleField, ruleFields } from "../../src/model/post.ts";
import { isSameTarget } from "../../src/plan/ground/fields.ts";
import type { Looks } from "./checks-board.ts";
import type { Time } from "./clock.ts";
import { withParts } from "./with-parts.ts";

/** When the state took a target for agreed, and when the board had shown the post last before that; true times. */
export interface Agreement {
  readonly target: Target;
  readonly at: number;
  readonly lookedAt: number;
}

/** What was recorded about posts: a later record replaces it in the state. */
export interface Records {
  /** The ledger, with an ear for what is recorded. */
  hear(ledger: Ledger): Ledger;
  agreement(post: PostId, field: RuleField): Agreement | undefined;
  /** When a note of this kind was recorded last; -1 for never. */
  saidAt(post: PostId, kind: RowNote["kind"]): number;
}

export function createRecords(time: Time, looks: Looks): Records {
  const agreements = new Map<string, Agreement>();
  const said = new Map<string, number>();
  const hearRecord = ({ post, record }: Extract<Change, { readonly kind: "record-row" }>): void => {
    for (const { kind } of record.notes) said.set(`${post} ${kind}`, time.now());
    for (const field of ruleFields) {
      const target = record.base[field]?.target;
      const known = agreements.get(`${post} ${field}`);
      if (target === undefined || (known && isSameTarget(field, known.target, target))) continue;
      const lookedAt = looks.at(post) ?? 0;
      agreements.set(`${post} ${field}`, { target, at: time.now(), lookedAt });
    }
  };
  return {
    hear: (ledger) =>
      withParts(ledger, {
        async commit(changes) {
          await ledger.commit(changes);
          for (const change of changes) if (change.kind === "record-row") hearRecord(change);
        },
        commitSent(lines, of) {
          for (const line of lines) if (line.kind === "mark-sent") looks.decide(line.intent.post);
          return ledger.commitSent(lines, of);
        },
      }),
    agreement: (post, field) => agreements.get(`${post} ${field}`),
    saidAt: (post, kind) => said.get(`${post} ${kind}`) ?? -1,
  };
}
