import { inOrder } from "../../select.ts";
import { describeEntry, type EntryLine, tellEntries } from "../../sync/tell/entries.ts";
import { html, type Markup, type Piece } from "./html.ts";
import { renderOrder } from "./orders/order.ts";
import type { Looking } from "./view.ts";
import { renderCommand, renderSentence } from "./words.ts";

/** What waits of the changelogs of all projects; nothing where none has any. */
export async function renderEntries(looking: Looking): Promise<Piece> {
  const { ledger, view } = looking;
  const found = await inOrder(view.projects, async ({ project: { key, settings } }) =>
    (await tellEntries(ledger, key, settings.changelog?.publish)).map((entry) =>
      renderEntry(looking, key, entry),
    ),
  );
  const lines = found.flat();
  if (lines.length === 0) return "";
  return html`<section aria-labelledby="changelog"><h2 id="changelog">Changelog</h2><ul>${lines}</ul></section>`;
}

function renderEntry({ forms }: Looking, key: string, entry: EntryLine): Markup {
  const { tag, command, state } = entry;
  const verb = state === "held" ? "Make" : state === "draft" ? "Publish" : "Retry";
  const kind = verb === "Retry" ? "retry" : "approve";
  const asked = { kind, project: key, post: `changelog:${tag}` } as const;
  const words = `${verb} ${tag}…`;
  const way = command !== null && (renderOrder(forms, asked, words) ?? renderCommand(command));
  return html`<li>${renderSentence(`${key}: ${describeEntry(entry)}.`)} ${way}</li>`;
}
