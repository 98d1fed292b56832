import type { IssueRef } from "../../../model/issue.ts";
import type { Field, FieldBase, Target } from "../../../model/link.ts";
import type { RuleField } from "../../../model/post.ts";
import { issueColumns } from "../statements.ts";
import { encodeValue, valueReader } from "./facts.ts";

/** A base of a post's field as it is stored. */
export function encodeBase(post: number, field: RuleField, base: FieldBase) {
  return {
    ...encodeCommon(post, field, base),
    postValue: encodeValue(base.post),
    ruledFrom: encodeTarget(base.ruled?.from),
    ruledSince: base.ruled?.since,
    isEcho: base.isAwaited ?? false,
  };
}

/** The same of an issue's field, over which no other rules are laid. */
export function encodeIssueBase(post: number, issue: IssueRef, field: string, base: FieldBase) {
  const shownValue = encodeValue(base.post);
  return { ...issueColumns(issue), ...encodeCommon(post, field, base), shownValue };
}

/** The columns that both kinds of bases have. */
function encodeCommon(post: number, field: string, { target, foreign, written, pending }: FieldBase) {
  return {
    post,
    field,
    target: encodeTarget(target),
    foreignValue: encodeValue(foreign),
    writtenSent: encodeValue(written?.sent),
    writtenShown: encodeValue(written?.shown),
    pendingTarget: encodeTarget(pending?.target),
    pendingSince: pending?.since,
  };
}

/** A base of either kind as it was stored, under the names of a post's. */
export type BaseColumns<Name extends Field = RuleField> = Partial<
  Omit<ReturnType<typeof encodeBase>, "post" | "field">
> & { readonly post: number; readonly field: Name };

/** Bases of issues' fields stand in a table of their own, in the same columns. */
const decodeValue = valueReader("bases.target");

export function decodeBase(found: BaseColumns<Field>): FieldBase {
  const { pendingSince, ruledSince } = found;
  const sent = decodeValue(found.writtenSent);
  return {
    target: decodeTarget(found.target),
    post: decodeValue(found.postValue),
    foreign: decodeValue(found.foreignValue),
    written: sent === undefined ? undefined : { sent, shown: decodeValue(found.writtenShown) },
    pending:
      pendingSince === undefined
        ? undefined
        : { target: decodeTarget(found.pendingTarget), since: pendingSince },
    ruled: ruledSince === undefined ? undefined : { from: decodeTarget(found.ruledFrom), since: ruledSince },
    ...(found.isEcho === true && { isAwaited: true }),
  };
}

function encodeTarget(target: Target | undefined): string | undefined {
  return target?.kind === "value" ? encodeValue(target.value) : undefined;
}

function decodeTarget(column: string | undefined): Target {
  const value = decodeValue(column);
  return value === undefined ? { kind: "none" } : { kind: "value", value };
}
