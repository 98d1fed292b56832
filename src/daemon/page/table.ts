import { html, type Markup, type Piece } from "./html.ts";

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
