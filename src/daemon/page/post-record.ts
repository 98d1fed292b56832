import type { ExplainedWrite, Explanation } from "../../story/explain/explanation.ts";
import { html, type Markup, type Piece } from "./html.ts";
import { table } from "./table.ts";
import type { Looking } from "./view.ts";
import { renderCode } from "./waits.ts";

/** The last writes to either side for a post, the newest first. */
export function renderRecord({ times }: Looking, { writes }: Explanation): Markup | undefined {
  if (writes.length === 0) return undefined;
  return html`<section aria-labelledby="writes"><h2 id="writes">Last writes</h2>${table(
    "The last writes to either side",
    [
      { title: "When", show: ({ at }) => times.show(Date.parse(at)) },
      { title: "Run", show: ({ run }) => run },
      { title: "What", show: describeWrite },
      { title: "Because", show: ({ reason }) => html`<bdi>${renderCode(reason)}</bdi>` },
      { title: "Outcome", show: renderOutcome },
    ],
    writes,
  )}</section>`;
}

function describeWrite({ kind, issue, fields }: ExplainedWrite): Piece {
  return html`${kind}${issue !== null && ` ${issue}`} ${fields.map(
    ({ field, before, value }, index) =>
      html`${index > 0 && ", "}<bdi>${field}: ${before === undefined ? "" : `${showValue(before)} → `}${showValue(value)}</bdi>`,
  )}`;
}

function showValue(value: ExplainedWrite["fields"][number]["value"]): string {
  return value === null ? "–" : String(value);
}

function renderOutcome({ outcome, message }: ExplainedWrite): Piece {
  const look = outcome === "applied" ? "good" : outcome === "unknown" ? "warn" : "bad";
  return html`<span class="badge ${look}">${outcome}</span>${message !== null && html` <span class="quiet"><bdi>${message}</bdi></span>`}`;
}
