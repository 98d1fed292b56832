import { type AcceptedPatch, type Row, withValues } from "../../model/link.ts";
import type { FieldValue, RuleField } from "../../model/post.ts";
import { readInstant } from "../../model/time.ts";
import { isSameValue, readField } from "../ground/fields.ts";
import type { PlanContext } from "../ground/settings.ts";

/*
 * A board may acknowledge a PATCH, and list the post for a while as it was before: its list comes from a copy that lags. Taken
 * for a person's change, our own write would count as undone. So in a list of less than `waits.patch` after the acknowledgement a
 * field that shows what was there before counts as what the board has acknowledged, however much later the row is decided.
 */

/**
 * The row with what the board has acknowledged in the place of what its list still shows; as it was given where the list is up
 * to date. Other fields of the post stay as they are listed.
 */
export function withLate(row: Row, { seen, patchMs }: Pick<PlanContext, "seen" | "patchMs">): Row {
  const { accepted = [], seenAt } = row;
  const recent = seenAt === undefined ? [] : accepted.filter(({ at }) => seenAt - at < patchMs);
  if (recent.length === 0 || row.missing > 0) return row;
  const age = ageOf(row.post.values.updatedAt, recent);
  if (age === "newer") return row;
  const late = new Map<RuleField, FieldValue>();
  for (const [field, acknowledged] of acknowledgedBy(recent)) {
    const shown = readField(row.post, field, seen);
    // What stands in the base was believed when a list showed it, whatever clock and settings say of that time now.
    const expected = [acknowledged.value, acknowledged.shown, row.base[field]?.post];
    if (shown === undefined || expected.some((value) => isSameValue(field, shown, value))) continue;
    const isBefore = acknowledged.before.some((value) => isSameValue(field, shown, value));
    if (age === "older" || isBefore) late.set(field, acknowledged.shown ?? acknowledged.value);
  }
  if (late.size === 0) return row;
  return { ...withValues(row, Object.fromEntries(late)), late: [...late.keys()] };
}

/** A post that no list has shown since our last PATCH is taken as that PATCH has made it. */
export function asWritten(row: Row): Row {
  if (row.seenAt !== undefined) return row;
  const written = Object.entries(row.base).flatMap(([field, { post }]) =>
    post === undefined ? [] : [[field, post]],
  );
  return withValues(row, Object.fromEntries(written));
}

/** What became of one field by the PATCHes of a while. */
interface Acknowledged {
  /** What was there before any of them. */
  readonly before: readonly FieldValue[];
  /** What the last one has sent. */
  readonly value: FieldValue;
  /** What its answer showed; undefined where it did not show the field. */
  readonly shown: FieldValue | undefined;
}

function acknowledgedBy(recent: readonly AcceptedPatch[]): ReadonlyMap<RuleField, Acknowledged> {
  const fields = new Map<RuleField, Acknowledged>();
  for (const { writes, answer } of recent) {
    for (const { field, before, value } of writes) {
      const known = fields.get(field)?.before ?? [];
      fields.set(field, {
        before: before === undefined ? known : [...known, before],
        value,
        shown: answer?.values[field],
      });
    }
  }
  return fields;
}

/**
 * How a listed record stands to the answers, by the board's own times. Only a record that is newer than the last answer is
 * surely none from before it: a person has changed the post since.
 */
function ageOf(
  listed: FieldValue | undefined,
  recent: readonly AcceptedPatch[],
): "older" | "newer" | "unknown" {
  const times = recent.map(({ answer }) => readInstant(answer?.updatedAt));
  const at = readInstant(listed);
  if (times.some((time) => at < time)) return "older";
  return at > Number(times.at(-1)) ? "newer" : "unknown";
}
