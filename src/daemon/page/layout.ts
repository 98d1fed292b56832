import { hash } from "node:crypto";
import { linksAddress, toRoot } from "./addresses.ts";
import { asItIs, html, type Markup, own, type Piece, writeOut } from "./html.ts";
import { style } from "./style.ts";

/** One page: what stands on it, or that there is none. */
export interface RenderedPage {
  readonly status: number;
  /** Beside the name of the program. */
  readonly title: string;
  /** Where it stands among the pages that every page leads to. */
  readonly current?: "overview" | "links";
  readonly content: Markup;
}

/** Nothing runs and nothing is fetched; the one style sheet is known by its hash. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", writeOut(style, asItIs), "base64")}'`,
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

// A file that the browser would ask for on its own is not there.
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 5.5h10m-2.2-2.2 2.2 2.2-2.2 2.2M13 10.5H3m2.2-2.2L3 10.5l2.2 2.2' fill='none' stroke='%23477' stroke-width='1.6'/%3E%3C/svg%3E";

/** The whole document. @param foot - what stands at the end of every page. */
export function layOut({ title, current, content }: RenderedPage, said: Piece, foot: Piece): Markup {
  const place = (name: string, address: Markup, text: string): Markup =>
    html`<a href="${address}"${name === current && html` aria-current="page"`}>${own(text)}</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – boardsync</title>
<link rel="icon" href="${own(icon)}">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
  <a class="name" href="${toRoot}">boardsync</a>
  <nav aria-label="Pages">${place("overview", html`${toRoot}`, "Overview")} ${place("links", linksAddress({}), "Links")}</nav>
</header>
<main id="content" tabindex="-1">${said}${content}</main>
<footer>${foot}</footer>
</body>
</html>
`;
}
