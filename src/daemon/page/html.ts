import { escapeControls, escapeMarkup } from "../../escape.ts";

/** No value that came from outside can have this key. */
const markup = Symbol("markup");

/** What is known when a page is written. */
export interface Writing {
  /** Takes out whatever is secret. It sees each text as it is, before that becomes HTML. */
  redact(text: string): string;
  /** How a person starts the program beside this page. */
  readonly command: string;
  /** The way to the first page, from the address that is answered. */
  readonly root: string;
  /** A text in which every time that is written for machines is named. */
  tell(text: string): string;
}

/** Text that a browser may read as HTML. Only this file makes it. */
export interface Markup {
  [markup](writing: Writing): string;
}

/**
 * What may stand in a template; nothing is shown of undefined, null and false. A function is for what has to be taken apart: it
 * sees to it by itself that nothing of a text is shown that was not redacted.
 */
export type Piece =
  | string
  | number
  | Markup
  | ((writing: Writing) => Piece)
  | readonly Piece[]
  | undefined
  | null
  | false;

/**
 * The one way to HTML. Whatever is put into the template is text and is shown as that, in an element or between the quotes of
 * an attribute; only what another `html` has made stays as it is. Nothing is ever looked for in what is finished.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return {
    [markup]: (writing) =>
      strings
        .map((part, index) => part + (index < pieces.length ? show(pieces[index], writing) : ""))
        .join(""),
  };
}

/** A word that the page itself has chosen, such as the name of a field. It is no secret, even where it looks like one. */
export function own(word: string): Markup {
  return { [markup]: () => escapeText(word) };
}

/** Of what is our own text, every character of it. */
export const asItIs: Writing = { redact: (text) => text, command: "", root: "", tell: (text) => text };

/** What is sent. */
export function writeOut(made: Markup, writing: Writing): string {
  return made[markup](writing);
}

function show(piece: Piece, writing: Writing): string {
  if (piece === undefined || piece === null || piece === false) return "";
  if (typeof piece === "number") return String(piece);
  if (typeof piece === "string") return escapeText(writing.redact(piece));
  if (typeof piece === "function") return show(piece(writing), writing);
  return markup in piece ? piece[markup](writing) : piece.map((one) => show(one, writing)).join("");
}

function escapeText(text: string): string {
  return escapeMarkup(escapeControls(text.toWellFormed()));
}

/** How bad something is, in a colour. */
export type Tone = "good" | "warn" | "bad" | "";

/** @param word - of the page. */
export function badge(look: Tone, word: string): Markup {
  return html`<span class="badge ${own(look)}">${own(word)}</span>`;
}

/** A column of a table, with what it shows of a row. */
export interface Column<Row> {
  /** A word of the page. */
  readonly title: string;
  show(row: Row): Piece;
  readonly isNumber?: true;
}

/**
 * A table with a caption for who can't see what is around it. On a phone each row becomes a block in which every value has its
 * title; the roles keep it a table for a screen reader there.
 */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Markup {
  return html`<table role="table">
    <caption class="unseen">${own(caption)}</caption>
    <thead role="rowgroup"><tr role="row">${columns.map(
      ({ title, isNumber }) =>
        html`<th role="columnheader" scope="col"${isNumber && html` class="number"`}>${own(title)}</th>`,
    )}</tr></thead>
    <tbody role="rowgroup">${rows.map(
      (row) =>
        html`<tr role="row">${columns.map(
          ({ title, show, isNumber }) =>
            html`<td role="cell" data-title="${own(title)}"${isNumber && html` class="number"`}><div>${show(row)}</div></td>`,
        )}</tr>`,
    )}</tbody>
  </table>`;
}
