import type { PersonRequest } from "../../ledger/orders.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import { isPausedAsWhole } from "../../model/causes.ts";
import type { PostId } from "../../model/post.ts";
import { inOrder } from "../../select.ts";
import { command, remedyOf, remedyOfAll, type Way, waysOf } from "../../sync/ground/remedy.ts";
import { describeNotified } from "../../sync/ground/voters.ts";
import { foundProjects, isAsked } from "../../sync/orders/foresight.ts";
import {
  type Alike,
  describePlanned,
  groupWaiting,
  isNotifying,
  joinFields,
} from "../../sync/tell/waiting-lines.ts";
import { countNeeds, needWords } from "../../sync/tell/words.ts";
import { linksAddress } from "./addresses.ts";
import { badge, html, type Markup } from "./html.ts";
import { type AskedOrder, type OrderKind, renderOrder } from "./orders/order.ts";
import { renderPostLink, renderSides } from "./sides.ts";
import type { Looking } from "./view.ts";
import { renderCode, renderCommand, renderSentence } from "./words.ts";

/** So much of what waits in one project is shown; `boardsync status` has more. */
const mostShown = 50;
/** And so much of it is looked at. */
const mostRead = 1000;

/**
 * Everything that waits for a person, with what frees it: a form, or the command for whoever can't use one.
 *
 * @param urgent - what concerns a project as a whole, by its key.
 */
export async function renderWaits(
  looking: Looking,
  urgent: (key: string) => Markup | undefined,
): Promise<Markup> {
  const lists = await inOrder(looking.view.projects, async ({ project: { key } }) =>
    renderList(looking, key, urgent(key)),
  );
  const isNothing = lists.every((list) => list === undefined);
  return html`<section aria-labelledby="waits">
    <h2 id="waits">What needs you</h2>
    ${isNothing ? html`<p class="lead">Nothing.</p>` : lists}
  </section>`;
}

/** What waits for a time, or stays as it is; undefined where nothing does. */
export async function renderOtherWaits(looking: Looking): Promise<Markup | undefined> {
  const { view, ledger } = looking;
  const shown: Markup[] = [];
  for (const { key, project } of foundProjects(view.policy.projectKeys, ledger)) {
    for (const [words, kinds] of others) {
      const found = await ledger.rows.waiting(project, mostRead, kinds);
      if (found.length > 0) shown.push(renderOther(looking, `${key}: ${words}`, key, joinFields(found)));
    }
  }
  return shown.length === 0 ? undefined : html`<div class="others">${shown}</div>`;
}

/** A project, what is looked at of it, and what people have asked for it already. */
interface Listing {
  readonly looking: Looking;
  readonly key: string;
  readonly pending: readonly PersonRequest[];
}

async function renderList(
  looking: Looking,
  key: string,
  urgent: Markup | undefined,
): Promise<Markup | undefined> {
  const { ledger, forms } = looking;
  const memory = ledger.memory.project(key);
  const found =
    memory === undefined
      ? []
      : await ledger.rows.waiting(memory.id, mostRead, ["held", "parked", "quarantined"]);
  if (found.length === 0 || memory === undefined)
    return urgent && html`<div class="card"><div class="head"><h3>${key}</h3></div>${urgent}</div>`;
  const counts = await ledger.rows.counts(memory.id);
  const total = [
    ...countNeeds(counts),
    describeNotified({ known: counts.voters, unknown: counts.unknownVotes }),
  ].filter((part) => part !== "");
  const listing: Listing = { looking, key, pending: await ledger.requests.pending(memory.id) };
  const alike = groupWaiting(found, false);
  const shown = alike.reduce((sum, group) => sum + group.shown.length, 0);
  const isAll = shown <= mostShown && shown === found.length;
  const more =
    !isAll &&
    html`<p class="quiet">Not each is shown; ${renderCommand("boardsync status --full")} lists them. <a href="${linksAddress({ project: key, state: "waiting" })}">Those with an issue</a></p>`;
  const isOpen = (asked: WaitingRow["kind"]): boolean =>
    found.some(({ kind, post }) => kind === asked && !isAnswered(kind, listing.pending, post));
  const numbered = (label: string, number: number): string => `${label} all ${number.toLocaleString("en")}…`;
  const forAll = (kind: OrderKind, label: string): Markup | undefined =>
    forms && renderOrder(forms, { kind, project: key }, label);
  const canDecideAll = counts.approvable > 1 && isOpen("held");
  const orders = [
    counts.parked > 1 && isOpen("parked") && forAll("retry", numbered("Retry", counts.parked)),
    counts.quarantined > 1 &&
      isOpen("quarantined") &&
      forAll("release", numbered("Release", counts.quarantined)),
    canDecideAll && forAll("discard", "Discard all…"),
    canDecideAll && forAll("approve", numbered("Approve", counts.approvable)),
  ].filter((one) => one !== false && one !== undefined);
  const whole = orders.length > 0 && html`<div class="orders">${orders}</div>`;
  const lines = (await inOrder(alike, async (group) => renderAlike(listing, group))).flat();
  return html`<div class="card">
    <div class="head"><h3>${key}</h3><span class="quiet">${total.join(", ")}</span></div>
    ${urgent}
    <ul class="waits">${lines.slice(0, mostShown)}</ul>${more}${whole}
  </div>`;
}

async function renderAlike(listing: Listing, alike: Alike<WaitingRow>): Promise<readonly Markup[]> {
  const { lines, shown, isGroup } = alike;
  const [first] = shown;
  if (!isGroup || first === undefined) return inOrder(shown, async (post) => renderWait(listing, post));
  const { looking, key } = listing;
  const answer = isAllAnswered(listing, lines) ? askedFor : renderWaysOfAll(looking, key, first);
  return [renderGroup(key, alike, first, renderBadge(first), answer)];
}

/** What many have in common, once, and examples. */
function renderGroup(
  key: string,
  { lines, shown, notified }: Alike<WaitingRow>,
  first: WaitingRow,
  kind: Markup | undefined,
  answer: Markup | undefined,
): Markup {
  const what = `${lines.length.toLocaleString("en")} alike${notified === "" ? "" : `; ${notified}`}`;
  const examples = shown.map(
    ({ post, title, planned }) =>
      html`<li>${renderPostLink(key, post, title)} ${renderCode(describePlanned(planned, true))}</li>`,
  );
  return html`<li><div class="what">${kind} <b>${what}</b></div>
    ${renderWhy(first)}
    <p class="quiet">For example:</p><ul class="quiet">${examples}</ul>
    ${answer}</li>`;
}

/** What ends all that is alike; its forms stand below. */
function renderWaysOfAll(looking: Looking, key: string, first: WaitingRow): Markup | undefined {
  const ways = waysOf(first, key, []);
  const [order] = ordersFor(first.kind)[0] ?? [];
  if (ways.length > 0 || looking.forms !== undefined || order === undefined) return renderWays(looking, ways);
  return renderCommand(remedyOfAll(first, key) ?? command(order, key));
}

function renderWhy({ message, code }: Pick<WaitingRow, "message" | "code">): Markup {
  return html`<p>${renderSentence(message)}${code !== undefined && html` <code>${code}</code>`}</p>`;
}

function isAllAnswered({ pending }: Listing, lines: readonly WaitingRow[]): boolean {
  return lines.every(({ kind, post }) => isAnswered(kind, pending, post));
}

/** The kind of what waits, by how bad it is. */
export function renderBadge({ kind }: Pick<WaitingRow, "kind">): Markup {
  const words: Readonly<Record<string, string>> = needWords;
  return badge(kind === "held" ? "warn" : "bad", words[kind] ?? kind);
}

async function renderWait(listing: Listing, waiting: WaitingRow): Promise<Markup> {
  const { looking, key } = listing;
  const { post, title, since, issues } = waiting;
  return html`<li>
    <div class="what">${renderBadge(waiting)} ${renderPostLink(key, post, title)}</div>
    ${renderPlanned(waiting)}
    ${renderWhy(waiting)}
    <p class="quiet"><bdi>${key}/${post}</bdi> · ${await renderSides(looking, key, post, issues)}since ${looking.times.show(since)}</p>
    ${renderRemedy(listing, waiting)}
  </li>`;
}

function renderRemedy({ looking, key, pending }: Listing, waiting: WaitingRow): Markup | undefined {
  const remedy = remedyOf(waiting, key);
  if (remedy === undefined) return undefined;
  if (isAnswered(waiting.kind, pending, waiting.post)) return askedFor;
  const ways = waysOf(waiting, key, [waiting.post]);
  const answers = renderAnswers(looking, waiting.kind, { project: key, post: waiting.post });
  if (ways.length > 0) return html`${renderWays(looking, ways)}${answers}`;
  return answers ?? renderCommand(remedy);
}

/** Whether a person has answered it, and no run has taken that up yet. */
export function isAnswered(kind: string, pending: readonly PersonRequest[], post: PostId): boolean {
  return ordersFor(kind).some(([order]) => isAsked(pending, order, post));
}

export const askedFor = html`<p class="quiet">It is asked for: a run starts at once and does it. Reload this page to see what came of it.</p>`;

/** The ways out of a hold, the dangerous one last; whoever has forms needs no command. */
function renderWays({ forms }: Looking, ways: readonly Way[]): Markup | undefined {
  const shown = ways.filter(({ typed }) => forms === undefined || typed === undefined);
  if (shown.length === 0) return undefined;
  return html`<ul class="quiet">${shown.map(
    ({ does, typed }) =>
      html`<li>${renderCode(does)}${typed !== undefined && html`: ${renderCommand(typed)}`}</li>`,
  )}</ul>`;
}

/** The forms that answer what waits; undefined for whoever may give no orders, and where nobody has to answer. */
export function renderAnswers(
  { forms }: Looking,
  kind: string,
  about: Omit<AskedOrder, "kind">,
): Markup | undefined {
  if (forms === undefined) return undefined;
  const orders = ordersFor(kind);
  if (orders.length === 0) return undefined;
  return html`<div class="orders">${orders.map(([order, label]) => renderOrder(forms, { ...about, kind: order }, label))}</div>`;
}

/** What answers each kind of wait. */
const answers: Readonly<Record<string, readonly (readonly [order: OrderKind, label: string])[]>> = {
  held: [
    ["discard", "Discard…"],
    ["approve", "Approve…"],
  ],
  settling: [["pause", "Pause…"]],
  parked: [["retry", "Retry…"]],
  quarantined: [["release", "Release…"]],
  paused: [
    ["resume", "Resume…"],
    ["resume-discard", "Resume without writing…"],
  ],
};

function ordersFor(kind: string): readonly (readonly [order: OrderKind, label: string])[] {
  return answers[kind] ?? [];
}

/** What would be written, and how many voters would be notified. */
function renderPlanned({ planned }: Pick<WaitingRow, "planned">): Markup | undefined {
  const text = describePlanned(planned, true);
  return text === "" ? undefined : html`<p><b><bdi>${renderCode(text)}</bdi></b></p>`;
}

/** What needs nobody, by what becomes of it. */
const others: readonly (readonly [words: string, kinds: readonly WaitingRow["kind"][]])[] = [
  ["can't be decided yet", ["undecided"]],
  ["follow later", ["settling", "waiting"]],
  ["are paused", ["paused"]],
  ["differ and stay so", ["disagreement", "did-not-stick"]],
  ["are not found on the board", ["missing"]],
];

function renderOther(looking: Looking, title: string, key: string, found: readonly WaitingRow[]): Markup {
  const lines = groupWaiting(found, false).flatMap((alike) => {
    const [first] = alike.shown;
    if (alike.isGroup && first !== undefined) return [renderGroup(key, alike, first, undefined, undefined)];
    return alike.shown.map((waiting) => renderOtherWait(looking, key, waiting));
  });
  // Whoever can still take it back has to see it.
  const isOpen = found.some(({ kind, planned }) => kind === "settling" && isNotifying(planned));
  const more = lines.length > mostShown && html`<p class="quiet">Not each is shown.</p>`;
  return html`<details${isOpen && html` open`}><summary>${title} (${found.length})</summary>
    <ul class="waits">${lines.slice(0, mostShown)}</ul>${more}</details>`;
}

function renderOtherWait(looking: Looking, key: string, waiting: WaitingRow): Markup {
  const { times } = looking;
  const { cause, kind, post, title, since, until, planned, message } = waiting;
  const [stop] = waysOf({ cause, isNotifying: isNotifying(planned) }, key, [post]).slice(-1);
  const typed = remedyOf(waiting, key) ?? stop?.typed;
  const answer =
    isPausedAsWhole(cause) || typed === undefined
      ? undefined
      : (renderAnswers(looking, kind, { project: key, post }) ?? renderCommand(typed));
  return html`<li>
    ${renderPostLink(key, post, title)}
    <span class="quiet">since ${times.show(since)}${until !== undefined && html`, from ${times.show(until)} on`}</span>
    ${renderPlanned(waiting)}<p>${renderSentence(message)}</p>${answer}</li>`;
}
