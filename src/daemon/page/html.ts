import { escapeControls, escapeMarkup } from "../../escape.ts";

/** No value that came from outside can have this key. */
const markup = Symbol("markup");

/** Text that a browser may read as HTML. Only `html` makes it. */
export interface Markup {
  readonly [markup]: string;
}

/** What may stand in a template; nothing is shown of undefined, null and false. */
export type Piece = string | number | Markup | readonly Piece[] | undefined | null | false;

/**
 * The one way to HTML. Whatever is put into the template is text and is shown as that, in an element or between the quotes of
 * an attribute; only what another `html` has made stays as it is.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const parts = strings.map((part, index) => part + (index < pieces.length ? show(pieces[index]) : ""));
  return { [markup]: parts.join("") };
}

/** What is sent. */
export function textOf(made: Markup): string {
  return made[markup];
}

function show(piece: Piece): string {
  if (piece === undefined || piece === null || piece === false) return "";
  if (typeof piece === "object") return markup in piece ? piece[markup] : piece.map(show).join("");
  return escapeMarkup(escapeControls(String(piece).toWellFormed()));
}

/** A column of a table, with what it shows of a row. */
export interface Column<Row> {
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
    <caption class="unseen">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${columns.map(
      ({ title, isNumber }) =>
        html`<th role="columnheader" scope="col"${isNumber && html` class="number"`}>${title}</th>`,
    )}</tr></thead>
    <tbody role="rowgroup">${rows.map(
      (row) =>
        html`<tr role="row">${columns.map(
          ({ title, show, isNumber }) =>
            html`<td role="cell" data-title="${title}"${isNumber && html` class="number"`}><div>${show(row)}</div></td>`,
        )}</tr>`,
    )}</tbody>
  </table>`;
}
