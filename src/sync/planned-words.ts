import type { PlannedChange } from "../ledger/rows.ts";
import type { ActionKind } from "../plan/action.ts";

/** What a held or waiting action would write, in words: "status: planned → completed". */
export function describePlanned({
  kind,
  planned,
}: {
  readonly kind?: ActionKind;
  readonly planned: PlannedChange | undefined;
}): string {
  if (planned === undefined) return "–";
  const { place, changes } = planned;
  const written = changes.map(({ field, from, to }) =>
    from === undefined ? `${field}: ${show(to)}` : `${field}: ${show(from)} → ${show(to)}`,
  );
  if (kind !== "create-issue") return written.join("; ");
  const opened = `a new issue in ${place}`;
  return written.length === 0 ? opened : `${opened}, then ${written.join("; ")}`;
}

function show(value: string | number | boolean | null): string {
  return value === null ? "–" : String(value);
}
