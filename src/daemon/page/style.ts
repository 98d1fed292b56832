import { html } from "./html.ts";

/** The whole look: system fonts, light and dark by the reader's own choice, tables that become blocks on a phone. */
export const style = html`
:root {
  color-scheme: light dark;
  --paper: #fbfbfa; --sheet: #ffffff; --ink: #1d2327; --soft: #566068; --line: #e1e4e6; --link: #0b5c86;
  --good: #1d6b3c; --good-paper: #e6f3ea; --warn: #7a4d00; --warn-paper: #fbf0d9; --bad: #a3231c; --bad-paper: #fbe7e5;
  --bar: #4f86a6; --code: #f1f3f4; --go: #0b5c86; --go-ink: #ffffff; --edge: #868e94; --lift: 0 1px 2px rgb(20 30 40 / .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181b; --sheet: #1b2024; --ink: #e4e8ea; --soft: #a3adb4; --line: #30373c; --link: #86c5ea;
    --good: #86d6a4; --good-paper: #17301f; --warn: #f0c674; --warn-paper: #352a12; --bad: #ff9f97; --bad-paper: #3c1d1b;
    --bar: #6ea6c6; --code: #252b30; --go: #86c5ea; --go-ink: #10202b; --edge: #7b868d; --lift: none;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
}
header, main, footer { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding-top: 1rem; padding-bottom: .75rem; }
header .name { color: var(--ink); font-weight: 650; text-decoration: none; }
nav { display: flex; gap: 1.25rem; }
nav a { padding: .25rem 0; text-decoration: none; }
nav a[aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--bar); }
footer { color: var(--soft); font-size: .875rem; padding-top: 1rem; padding-bottom: 2.5rem; }
main:focus { outline: none; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, input:focus-visible, select:focus-visible, button:focus-visible, [tabindex="0"]:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: .75rem 0 .25rem; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.125rem; margin: 2.25rem 0 .6rem; font-weight: 650; }
h3 { font-size: 1rem; margin: 0; font-weight: 650; }
p { margin: .35rem 0; max-width: 46rem; }
ul { margin: .35rem 0; padding-left: 1.25rem; }
.lead { color: var(--soft); }
.quiet { color: var(--soft); font-size: .875rem; }
.more { display: block; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--sheet); padding: .25rem .5rem; }
.badge {
  display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .8125rem; line-height: 1.5rem; font-weight: 550;
  background: var(--code); color: var(--soft); white-space: nowrap;
}
.badge.good { background: var(--good-paper); color: var(--good); }
.badge.warn { background: var(--warn-paper); color: var(--warn); }
.badge.bad { background: var(--bad-paper); color: var(--bad); }
.card { background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.35rem; margin: 0 0 1rem; box-shadow: var(--lift); }
.card > .head { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; justify-content: space-between; }
.side { display: flex; flex-wrap: wrap; gap: .4rem .75rem; align-items: center; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.25rem, 1fr)); gap: .75rem 1.25rem; margin: .75rem 0 0; }
dt { color: var(--soft); font-size: .8125rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
section > .waits > li:first-child { padding-top: 0; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; color: var(--soft); font-size: .8125rem; font-weight: 550; vertical-align: bottom; overflow-wrap: normal; }
th, td { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; }
td:first-child { min-width: 8rem; }
tbody tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font: .875em/1.5 ui-monospace, monospace; background: var(--code); border-radius: .25rem; padding: .1rem .35rem; }
code.command { display: inline-block; user-select: all; -webkit-user-select: all; padding: .25rem .5rem; margin-top: .25rem; cursor: copy; }
.waits { list-style: none; margin: 0; padding: 0; }
.waits > li { padding: .95rem 0; border-bottom: 1px solid var(--line); }
.waits > li:last-child { border-bottom: 0; }
.waits p { margin: .2rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem 2rem; margin: .75rem 0; }
figure { margin: 0; }
figcaption { font-size: .875rem; color: var(--soft); }
figcaption b { color: var(--ink); font-size: 1.125rem; font-weight: 650; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: 3.5rem; margin: .4rem 0 .15rem; border-bottom: 1px solid var(--line); }
svg rect { fill: var(--bar); }
svg.failures rect { fill: var(--bad); }
.axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .75rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: .75rem 0 1.25rem; }
label { display: grid; gap: .2rem; color: var(--soft); font-size: .8125rem; }
label.wide { flex: 1 1 14rem; }
input, select, button {
  font: inherit; font-size: 1rem; color: var(--ink); background: var(--sheet); border: 1px solid var(--edge); border-radius: .35rem;
  padding: .4rem .6rem; min-height: 2.5rem; width: 100%;
}
button { width: auto; padding: .4rem 1rem; cursor: pointer; font-weight: 550; }
summary { cursor: pointer; padding: .25rem 0; }
details { margin: .5rem 0; }
button:hover { border-color: var(--link); color: var(--link); }
button.small { min-height: 2.1rem; padding: .15rem .8rem; font-size: .9375rem; border-color: var(--line); background: var(--paper); }
button.small:hover { border-color: var(--link); }
button.go { background: var(--go); border-color: var(--go); color: var(--go-ink); padding: .5rem 1.5rem; }
button.go:hover { color: var(--go-ink); filter: brightness(1.08); }
.orders { display: flex; flex-wrap: wrap; gap: .5rem; margin: .6rem 0 .1rem; }
form.order { margin: 0; }
form.order:has(label) { margin: 1.25rem 0; max-width: 34rem; }
form.answer { align-items: center; gap: 1.25rem; margin: 1.75rem 0; }
.notified { font-size: 1.1875rem; font-weight: 550; margin: .6rem 0 1rem; }
.said { border-radius: .5rem; padding: .65rem 1rem; max-width: none; margin: .25rem 0 1.5rem; }
.said.good { background: var(--good-paper); color: var(--good); }
.said.warn { background: var(--warn-paper); color: var(--warn); }
.what { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; font-weight: 550; }
.place { display: flex; flex-wrap: wrap; gap: .35rem 1rem; align-items: center; margin: .2rem 0; }
dl.sides { grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); }
.others { margin-top: 1.25rem; }
.machine { display: flex; flex-wrap: wrap; gap: 0 2rem; padding: .6rem 0; border-top: 1px solid var(--line); font-size: .9375rem; }
.machine h3 { flex: 0 0 9rem; padding-top: .1rem; font-size: .9375rem; }
.machine dl { flex: 1 1 20rem; margin: 0; grid-template-columns: repeat(auto-fill, minmax(12.5rem, 1fr)); }
.pages { display: flex; gap: 1.5rem; margin: 1rem 0; }
.rule { margin: .5rem 0; }
.rule ul { list-style: none; padding-left: 1.4rem; margin: .1rem 0; }
@media (max-width: 44rem) {
  h1 { font-size: 1.3rem; }
  .card { padding: .9rem 1rem; }
  dl { grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  tbody tr:last-child { border-bottom: 0; }
  td { display: grid; grid-template-columns: 7rem 1fr; gap: .75rem; align-items: baseline; padding: .15rem 0; border: 0; }
  td::before { content: attr(data-title); color: var(--soft); font-size: .8125rem; }
  td.number { text-align: left; }
  dl.sides { grid-template-columns: 1fr; }
  button.small { min-height: 2.75rem; padding: .25rem 1rem; }
  form.answer .go { width: 100%; }
  .machine h3 { flex-basis: 100%; margin-bottom: .35rem; }
}
@media print { header nav, form, .pages { display: none; } }
`;
