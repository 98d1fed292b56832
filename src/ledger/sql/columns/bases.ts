import type { IssueField, IssueRef } from "../../../model/issue.ts";
import type { FieldBase, Target } from "../../../model/link.ts";
import type { RuleField } from "../../../model/post.ts";
import { encodeValue, valueReader } from "./facts.ts";

/** A base of a post's field as it is stored. */
export function encodeBase(post: number, field: RuleField, base: FieldBase) {
  return {
    post,
    field,
    post_value: encodeValue(base.post),
    ...encodeCommon(base),
    ruled_from: encodeTarget(base.ruled?.from ?? { kind: "none" }),
    ruled_since: base.ruled?.since ?? null,
    is_echo: Number(base.isAwaited ?? false),
  };
}

export type BaseColumns = ReturnType<typeof encodeBase>;

/** The same of an issue's field, over which no other rules are laid. */
export function encodeIssueBase(
  post: number,
  { repositoryId: repository, number }: IssueRef,
  field: IssueField,
  base: FieldBase,
) {
  return { post, repository, number, field, shown_value: encodeValue(base.post), ...encodeCommon(base) };
}

/** Bases of issues' fields stand in a table of their own, in the same columns. */
const decodeValue = valueReader("bases.target");

/** A base of either kind as it was stored, under the names of a post's. */
export function decodeBase(found: Omit<BaseColumns, "post" | "field">): FieldBase {
  const sent = decodeValue(found.written_sent);
  return {
    target: decodeTarget(found.target),
    post: decodeValue(found.post_value),
    foreign: decodeValue(found.foreign_value),
    written: sent === undefined ? undefined : { sent, shown: decodeValue(found.written_shown) },
    pending:
      found.pending_since === null
        ? undefined
        : { target: decodeTarget(found.pending_target), since: found.pending_since },
    ruled:
      found.ruled_since === null
        ? undefined
        : { from: decodeTarget(found.ruled_from), since: found.ruled_since },
    ...(found.is_echo === 1 && { isAwaited: true }),
  };
}

/** The columns that both kinds of bases have. */
function encodeCommon(base: FieldBase) {
  return {
    target: encodeTarget(base.target),
    foreign_value: encodeValue(base.foreign),
    written_sent: encodeValue(base.written?.sent),
    written_shown: encodeValue(base.written?.shown),
    pending_target: encodeTarget(base.pending?.target ?? { kind: "none" }),
    pending_since: base.pending?.since ?? null,
  };
}

function encodeTarget(target: Target): string | null {
  return target.kind === "none" ? null : encodeValue(target.value);
}

function decodeTarget(column: string | null): Target {
  const value = decodeValue(column);
  return value === undefined ? { kind: "none" } : { kind: "value", value };
}
