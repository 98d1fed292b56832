import { type AuditEntry, votersWhoHeard } from "../../ledger/journal.ts";
import { inOrder } from "../../select.ts";
import { titleOf } from "../../sync/ground/describe.ts";
import { countVoters, nameVoters } from "../../sync/ground/voters.ts";
import { describeHeard, readNotified } from "../../sync/tell/notified.ts";
import { showChanges } from "../../sync/tell/waiting-lines.ts";
import { runAddress } from "./addresses.ts";
import { html, type Markup } from "./html.ts";
import { renderPostLink } from "./sides.ts";
import type { Looking } from "./view.ts";
import { renderCommand } from "./words.ts";

/** So many writes of a project are shown. */
const mostShown = 5;

/** Who was notified of what in the last 24 hours; undefined where nobody was. */
export async function renderNotified(looking: Looking): Promise<Markup | undefined> {
  const found = await inOrder(looking.view.projects, async ({ project: { key } }) => renderOne(looking, key));
  if (found.every((one) => one === undefined)) return undefined;
  return html`<section aria-labelledby="notified"><h2 id="notified">Notified in the last 24 hours</h2>
    ${found}
    <p class="quiet">${renderCommand("boardsync history --since 24h")} lists every write.</p></section>`;
}

async function renderOne({ ledger, times }: Looking, key: string): Promise<Markup | undefined> {
  const memory = ledger.memory.project(key);
  const found = memory && (await readNotified(ledger, memory.id, times.now));
  if (found === undefined) return undefined;
  const nameOf = async ({ project, post }: AuditEntry): Promise<Markup | undefined> => {
    const row = post && (await ledger.rows.row(project, post, times.now));
    return post && renderPostLink(key, post, row === undefined ? null : titleOf(row));
  };
  const lines = await inOrder(found.writes.slice(0, mostShown), async (write) => {
    const voters = votersWhoHeard(write);
    const who = voters !== null && `; ${nameVoters(countVoters([voters]))}`;
    return html`<li>${times.show(write.at)} ${await nameOf(write)}
      <bdi>${showChanges(write.fields)}</bdi>${who};
      <a href="${runAddress(write.run)}">run ${write.run}</a></li>`;
  });
  const more = found.changes > lines.length && html`<p class="quiet">The last ${lines.length} of them.</p>`;
  return html`<div class="card"><div class="head"><h3>${key}</h3><span class="quiet">${describeHeard(found)}</span></div>
    <ul class="waits">${lines}</ul>${more}</div>`;
}
