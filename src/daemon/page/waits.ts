import type { ProjectMemory } from "../../ledger/memory.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import type { FieldValue } from "../../model/post.ts";
import { inOrder } from "../../select.ts";
import { command, remedyOf } from "../../sync/ground/remedy.ts";
import { type Alike, describePlanned, groupAlike } from "../../sync/tell/waiting-lines.ts";
import { linksAddress, postAddress } from "./addresses.ts";
import { html, type Markup } from "./html.ts";
import type { Looking } from "./view.ts";

/** So much of what waits in one project is shown; `boardsync status` has more. */
const mostShown = 50;
/** And so much of it is looked at. */
const mostRead = 1000;

/** Everything that waits for a person, with the command that frees it; then what waits for a time. */
export async function renderWaits(looking: Looking): Promise<Markup> {
  const projects = looking.view.projects.map(({ project }) => ({
    key: project.key,
    memory: looking.ledger.memory.project(project.key),
  }));
  const known = projects.flatMap(({ key, memory }) => (memory === undefined ? [] : [{ key, memory }]));
  const lists = await inOrder(known, async ({ key, memory }) => renderList(looking, key, memory));
  const isNothing = lists.every((list) => list === undefined);
  return html`<section aria-labelledby="waits">
    <h2 id="waits">What needs you</h2>
    ${isNothing ? html`<p class="lead">Nothing.</p>` : lists}
    ${await inOrder(known, async ({ key, memory }) => renderOthers(looking, key, memory))}
  </section>`;
}

async function renderList(looking: Looking, key: string, memory: ProjectMemory): Promise<Markup | undefined> {
  const found = await looking.ledger.rows.waiting(memory.id, mostRead, ["held", "parked", "quarantined"]);
  if (found.length === 0) return undefined;
  const counts = await looking.ledger.rows.counts(memory.id);
  const total = [
    counts.held > 0 && `${counts.held} held`,
    counts.parked > 0 && `${counts.parked} parked`,
    counts.quarantined > 0 && `${counts.quarantined} quarantined`,
  ].filter((part) => part !== false);
  const alike = groupAlike(found, false);
  const shown = alike.reduce((sum, group) => sum + group.shown.length, 0);
  const isAll = shown <= mostShown && shown === found.length;
  const more =
    !isAll &&
    html`<p class="quiet">Not each is shown; ${renderCommand("boardsync status --full")} lists them. <a href="${linksAddress({ project: key, state: "waiting" })}">Those with an issue</a></p>`;
  return html`<div class="card">
    <div class="head"><h3>${key}</h3><span class="quiet">${total.join(", ")}</span></div>
    <ul class="waits">${alike.flatMap((group) => renderAlike(looking, key, group)).slice(0, mostShown)}</ul>${more}
  </div>`;
}

function renderAlike(looking: Looking, key: string, alike: Alike<WaitingRow>): readonly Markup[] {
  const { lines, shown, isGroup, heard } = alike;
  const [first] = shown;
  if (!isGroup || first === undefined) return shown.map((post) => renderWait(looking, key, post));
  const what = `${lines.length} alike${heard === "" ? "" : `; ${heard}`}; for example these ${shown.length}`;
  const isHeld = first.kind === "held" && first.isStopped !== true;
  const remedy = isHeld && renderCommand(command("approve", key));
  return [
    html`<li>${renderBadge(first)} <b>${what}</b> ${remedy}</li>`,
    ...shown.map((post) => renderWait(looking, key, post)),
  ];
}

/** The kind of what waits, by how bad it is. */
export function renderBadge({ kind }: Pick<WaitingRow, "kind">): Markup {
  return html`<span class="badge ${kind === "held" ? "warn" : "bad"}">${kind}</span>`;
}

function renderWait({ times }: Looking, key: string, waiting: WaitingRow): Markup {
  const { post, title, code, message, since } = waiting;
  const remedy = remedyOf(waiting, key);
  return html`<li>
    ${renderBadge(waiting)}
    ${renderPostLink(key, post, title)}
    <span class="quiet"><bdi>${key}/${post}</bdi>, since ${times.show(since)}</span>
    ${renderPlanned(waiting)}
    <p>${renderSentence(message)}${code !== undefined && html` <code>${code}</code>`}</p>
    ${remedy !== undefined && renderCommand(remedy)}
  </li>`;
}

/** What would be written, and how many voters would hear of it. */
function renderPlanned({ planned }: Pick<WaitingRow, "planned">): Markup | undefined {
  const text = describePlanned(planned, true);
  return text === "" ? undefined : html`<p><b>${renderSentence(text)}</b></p>`;
}

/** What needs nobody, by what becomes of it. */
const others: readonly (readonly [
  words: string,
  kinds: readonly ("settling" | "waiting" | "undecided" | "did-not-stick" | "disagreement" | "paused")[],
])[] = [
  ["can't be decided yet", ["undecided"]],
  ["synced later", ["settling", "waiting"]],
  ["are paused", ["paused"]],
  ["differ and stay so", ["disagreement", "did-not-stick"]],
];

async function renderOthers(
  looking: Looking,
  key: string,
  memory: ProjectMemory,
): Promise<readonly (Markup | undefined)[]> {
  return inOrder(others, async ([words, kinds]) => {
    const found = await looking.ledger.rows.waiting(memory.id, mostShown + 1, kinds);
    return found.length === 0 ? undefined : renderOther(looking, `${key}: ${words}`, key, found);
  });
}

function renderOther({ times }: Looking, title: string, key: string, found: readonly WaitingRow[]): Markup {
  const number = found.length > mostShown ? `more than ${mostShown}` : String(found.length);
  return html`<details><summary>${title} (${number})</summary>
    <ul class="waits">${found.slice(0, mostShown).map(
      ({ kind, post, title: named, message, since, until, planned }) => html`<li>
        ${renderPostLink(key, post, named)}
        <span class="quiet">since ${times.show(since)}${until !== undefined && html`, from ${times.show(until)} on`}</span>
        ${renderPlanned({ planned })}<p>${renderSentence(message)}</p>${renderRemedy(remedyOf({ kind, post }, key))}</li>`,
    )}</ul></details>`;
}

function renderRemedy(remedy: string | undefined): Markup | undefined {
  return remedy === undefined ? undefined : renderCommand(remedy);
}

/** A post by its title, or by its id where it has none, with the way to its page. */
export function renderPostLink(key: string, post: string, title: FieldValue): Markup {
  return html`<a href="${postAddress(key, post)}"><bdi>${title === null || title === "" ? post : String(title)}</bdi></a>`;
}

/** Nothing runs on the page: a click on a command, or a long touch, takes all of it for copying. */
export function renderCommand(typed: string): Markup {
  // What can't be typed is no command: an id with a line break in it would be two.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(typed)) return html``;
  return html`<code class="command">${typed}</code>`;
}

/** A message as a sentence: some begin in the middle of one. What stands between back-ticks is code. */
export function renderSentence(message: string): Markup {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  const whole = /[.!?:]$/.test(begun) ? begun : `${begun}.`;
  return html`<bdi>${renderCode(whole)}</bdi>`;
}

/** What stands between back-ticks is code. */
export function renderCode(text: string): Markup {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
