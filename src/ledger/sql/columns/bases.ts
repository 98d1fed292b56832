import type { IssueField, IssueRef } from "../../../model/issue.ts";
import type { FieldBase, Target } from "../../../model/link.ts";
import type { RuleField } from "../../../model/post.ts";
import { encodeValue, valueReader } from "./facts.ts";

/** The columns that both kinds of bases have. */
interface CommonColumns {
  target: string | null;
  foreign_value: string | null;
  written_sent: string | null;
  written_shown: string | null;
  pending_target: string | null;
  pending_since: number | null;
}

/** The columns of a base of a post's field. */
export interface BaseColumns extends CommonColumns {
  post: number;
  field: RuleField;
  post_value: string | null;
  ruled_from: string | null;
  ruled_since: number | null;
  /** `isAwaited`. */
  is_echo: number;
}

/** The columns of a base of an issue's field. */
export interface IssueBaseColumns extends CommonColumns {
  post: number;
  repository: number;
  number: number;
  field: IssueField;
  shown_value: string | null;
}

/** A base of a post's field as it is stored. */
export function encodeBase(post: number, field: RuleField, base: FieldBase): BaseColumns {
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

/** The same of an issue's field. */
export function encodeIssueBase(
  post: number,
  { repositoryId: repository, number }: IssueRef,
  field: IssueField,
  base: FieldBase,
): IssueBaseColumns {
  return { post, repository, number, field, shown_value: encodeValue(base.post), ...encodeCommon(base) };
}

/** Bases of issues' fields stand in a table of their own, in the same columns. */
const decodeValue = valueReader("bases.target");

/** A base of a post's field as it was stored. */
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

/** The same of an issue's field, over which no other rules are laid. */
export function decodeIssueBase({ shown_value, ...found }: Omit<IssueBaseColumns, "field">): FieldBase {
  return decodeBase({ ...found, post_value: shown_value, ruled_from: null, ruled_since: null, is_echo: 0 });
}

function encodeCommon(base: FieldBase): CommonColumns {
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
