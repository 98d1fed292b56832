import { beginSentence } from "../../sync/tell/words.ts";
import { html, type Markup, own, type Piece, type Writing } from "./html.ts";

/* How the page shows what other parts of the program say: commands, and messages with code in them. */

/** Nothing runs on the page: a click on a command, or a long touch, takes all of it for copying. */
export function renderCommand(typed: string): Markup {
  // What can't be typed is no command: an id with a line break in it would be two.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(typed)) return html``;
  return html`<code class="command">${nameProgram(typed)}</code>`;
}

/** The same as a person starts the program at this place. */
function nameProgram(typed: string): Piece {
  const [, rest] = /^boardsync (?=[a-z])(.*)$/s.exec(typed) ?? [];
  return rest === undefined ? typed : ({ command }) => html`${own(command)} ${rest}`;
}

/** A message as a sentence: some begin in the middle of one. What stands between back-ticks is code. */
export function renderSentence(message: string): Markup {
  // A secret with another first letter would be known no more.
  const asSentence = ({ redact, tell }: Writing): Piece => {
    const told = tell(redact(message));
    const begun = beginSentence(told);
    return renderCode(/[.!?:]$/.test(begun) ? begun : `${begun}.`);
  };
  return html`<bdi>${asSentence}</bdi>`;
}

/** What stands between back-ticks is code. */
export function renderCode(text: string): Markup {
  // Nor would one that stands on both sides of a back-tick.
  const split = ({ redact }: Writing): Piece =>
    redact(text)
      .split("`")
      .map((part, index) => (index % 2 === 1 ? html`<code>${nameProgram(part)}</code>` : part));
  return html`${split}`;
}
