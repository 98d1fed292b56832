import { hash } from "node:crypto";
import { html, type Piece, type Writing, write } from "../../daemon/page/html.ts";

/** Nothing on these pages is secret but the address that they came from. */
const asItIs: Writing = { redact: (text) => text, command: "", root: "" };

const style = html`body{font:1.1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}`;

/** What every page is sent with. Where a form leads is not limited: GitHub may send the browser on to sign in elsewhere. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${hash("sha256", write(style, asItIs), "base64")}'; base-uri 'none'; frame-ancestors 'none'`,
  // GitHub sees where the form came from, and not the address that opens it.
  "referrer-policy": "strict-origin",
};

/** The form that takes the manifest to GitHub. */
export function showForm(address: string, manifest: string, permissions: string): string {
  return layOut(
    "Make a GitHub App",
    html`<p>GitHub will show the App's name, which you may change, and ask before it makes it.</p>
<p>The App may: ${permissions}. Its key goes to the machine on which boardsync runs, and to nobody else.</p>
<form action="${address}" method="post">
<input type="hidden" name="manifest" value="${manifest}">
<button>Go on to GitHub</button>
</form>`,
  );
}

/** After it was made. */
export function showMade(name: string, installPage: string): string {
  return layOut(
    "The App is made",
    html`<p>${name} is made, and its key is stored. You can close this page.</p>
<p>Next: <a href="${installPage}" rel="noreferrer">install it on the repositories</a>.</p>`,
  );
}

/** What has not worked, in a sentence. */
export function showRefusal(title: string, words: string): string {
  return layOut(title, html`<p>${words}</p>`);
}

function layOut(title: string, content: Piece): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – boardsync</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`;
  return write(page, asItIs);
}
