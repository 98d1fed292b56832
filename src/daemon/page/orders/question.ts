import type { HeldAction } from "../../../ledger/rows.ts";
import { command } from "../../../sync/ground/remedy.ts";
import { showVoters } from "../../../sync/ground/voters.ts";
import { describeHeld, likenessOfHeld, votersOfHeld } from "../../../sync/orders/approve.ts";
import { type Group, groupAlike } from "../../../sync/tell/waiting-lines.ts";
import { ordersAddress } from "../addresses.ts";
import { type Column, html, type Markup, own, table } from "../html.ts";
import { renderPostLink } from "../sides.ts";
import { renderCommand, renderSentence } from "../words.ts";
import type { Question } from "./foresee.ts";
import { type PageOrder, wayBackOf } from "./order.ts";

/** So many lines of actions are shown; what is alike is one. */
const mostLines = 200;
/** So many posts of one line are named. */
const mostNamed = 3;

/**
 * What an order will do, and the form that carries it out.
 *
 * @param form - the token of that form, good once.
 * @param isAgain - it was to be carried out, and something else would have happened by then.
 */
export function renderQuestion(
  order: PageOrder,
  { question, effects, actions = [], notified, button }: Question,
  form: string,
  isAgain: boolean,
): Markup {
  const lines = groupAlike(actions, likenessOfHeld);
  const more = lines.length - mostLines;
  return html`${
    isAgain &&
    html`<p class="said warn" role="alert"><b>Nothing was done.</b> What would happen has changed since it was shown. Here is how it stands now.</p>`
  }
    <h1><bdi>${question}</bdi></h1>
    <p class="notified">${notified}</p>
    ${effects.map((effect) => html`<p>${renderSentence(effect)}</p>`)}
    ${actions.length > 0 && table("What happens", columnsOf(order.project), lines.slice(0, mostLines))}
    ${more > 0 && html`<p class="quiet">And ${more.toLocaleString("en")} lines more, which ${renderCommand(command("approve", order.project))} shows.</p>`}
    <form class="answer" method="post" action="${ordersAddress()}">
      <input type="hidden" name="form" value="${own(form)}">
      <button class="go">${button}</button>
      <a href="${wayBackOf(order)}">Leave it as it is</a>
    </form>`;
}

function columnsOf(project: string): readonly Column<Group<HeldAction>>[] {
  return [
    {
      title: "Post",
      show({ all }) {
        const more = all.length - mostNamed;
        const named = all.slice(0, mostNamed).map(({ post, title }) => renderPostLink(project, post, title));
        return html`${named.map((one, index) => html`${index > 0 && ", "}${one}`)}${more > 0 && ` and ${more.toLocaleString("en")} more`}`;
      },
    },
    {
      title: "What",
      show: ({ first }) => html`<bdi>${describeHeld(first)}</bdi> <span class="quiet">${first.kind}</span>`,
    },
    { title: "Voters", show: ({ all }) => showVoters(votersOfHeld(all)), isNumber: true },
    { title: "Needs you because", show: ({ first }) => renderSentence(first.message) },
  ];
}
