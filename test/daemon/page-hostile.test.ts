/** @module-tag long */

import { describe, expect, it } from "vitest";
import { hostileTitles } from "../support/hostile-titles.ts";
import {
  addPost,
  addWaits,
  openPage,
  type PageSetup,
  type PageStage,
  parkPost,
  readFields,
  readText,
} from "../support/page-stage.ts";

/** Words that stand in the markup of a page, as elements, attributes, values and texts. */
const words: readonly string[] = [
  "html",
  "head",
  "body",
  "main",
  "meta",
  "link",
  "title",
  "style",
  "header",
  "footer",
  "section",
  "article",
  "table",
  "form",
  "input",
  "button",
  "hidden",
  "label",
  "select",
  "option",
  "value",
  "name",
  "class",
  "method",
  "action",
  "post",
  "href",
  "order",
  "orders",
  "project",
  "from",
  "seal",
  "overview",
  "approve",
  "discard",
  "acme-app",
  "boardsync",
  "</html>",
  "</form>",
  "role=",
  "data-title",
  "#60;",
];

/** What a page is made of: how often each tag of it occurs, but for those that the back-ticks of a message make. */
function tagsOf(page: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [, tag = ""] of page.matchAll(/<(\/?[a-z0-9]+|!doctype|!--)/gi))
    if (!/^\/?code$/.test(tag)) counts[tag] = (counts[tag] ?? 0) + 1;
  return counts;
}

/** What a browser or a terminal would act on, and halves of characters. */
const odd =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u;

/** Shows a post with that title, status and refusal. */
async function showTitle({ ledger }: PageStage, title: string): Promise<void> {
  await addPost(ledger, "odd", { title, status: title, url: title });
  await parkPost(ledger, "odd", `The board says: ${title}`);
}

const open = (setup: PageSetup = {}): Promise<PageStage> =>
  openPage({ orders: true, after: addWaits, ...setup });

const paths = ["/", "/links?q=odd", "/post/acme-app/odd", "/post/acme-app/p1", "/runs/1", "/nothing"];

async function readAll({ get }: PageStage, from: readonly string[] = paths): Promise<readonly string[]> {
  return Promise.all(from.map(async (path) => (await get(path)).text()));
}

describe("a page is whole, with all its forms,", () => {
  it("whatever the title of a post, its status and a refusal say", async () => {
    const stage = await open();
    await showTitle(stage, "Plain");
    const plain = (await readAll(stage)).map(tagsOf);
    for (const title of hostileTitles) {
      await showTitle(stage, title);
      const pages = await readAll(stage);
      for (const page of pages) {
        expect(page.endsWith("</html>\n"), title).toBe(true);
        expect(page).not.toMatch(odd);
      }
      expect(pages.map(tagsOf), title).toEqual(plain);
      const order = await stage.post(stage.form(pages[0] ?? "", "Approve…"));
      expect([order.status, (await order.text()).endsWith("</html>\n")], title).toEqual([200, true]);
    }
  });

  it("whatever the id of a post is", async () => {
    const stage = await open();
    for (const id of hostileTitles.filter((text) => text.length < 1_000 && text === text.trim())) {
      await addPost(stage.ledger, id, { title: "Odd" });
      await parkPost(stage.ledger, id, "no");
      const found = await stage.page(`/links?q=${encodeURIComponent(id.toWellFormed())}`);
      expect(found.endsWith("</html>\n"), id).toBe(true);
      if (!id.isWellFormed()) continue;
      const [, address = ""] = /The post <a href="([^"]+)"/.exec(found) ?? [];
      const page = await stage.page(new URL(readText(address), `${stage.address}/links`).pathname);
      expect(page.endsWith("</html>\n"), id).toBe(true);
      expect(page, id).toContain("<h1><bdi>Odd</bdi></h1>");
      const question = await (await stage.post(stage.form(page, "Retry…"))).text();
      expect(question.endsWith("</html>\n"), id).toBe(true);
      expect(question, id).toContain("again?</bdi></h1>");
      const done = await stage.post(stage.form(question, "Retry"));
      const after = await fetch(new URL(done.headers.get("location") ?? "", `${stage.address}/orders`), {
        headers: { cookie: stage.cookie },
      });
      expect(await after.text(), id).toContain('role="status"');
    }
  });

  it("whichever word of the page is a secret", async () => {
    const secrets: string[] = [];
    const stage = await open({ secrets });
    const plain = (await readAll(stage)).map(tagsOf);
    for (const secret of words) {
      secrets.splice(0, 1, secret);
      const pages = await readAll(stage);
      for (const page of pages) expect(page.endsWith("</html>\n"), secret).toBe(true);
      expect(pages.map(tagsOf), secret).toEqual(plain);
      const forms = [...(pages[0] ?? "").matchAll(/<form[^>]*method="post"[\s\S]*?<\/form>/g)];
      expect(forms.length).toBeGreaterThan(5);
      for (const [form] of forms) {
        const response = await stage.post(readFields(form));
        const text = await response.text();
        expect([response.status, text.endsWith("</html>\n")], `${secret}: ${text}`).toEqual([200, true]);
      }
    }
  });
});

describe("what is secret", () => {
  it("is covered where the board sends it back: as a title, within a command, at the beginning, across code", async () => {
    const secret = "s3cret`with<odd>&signs'";
    const stage = await open({ secrets: [secret] });
    await addPost(stage.ledger, `id-${secret}`, { title: secret, status: `${secret} status` });
    await parkPost(stage.ledger, `id-${secret}`, `${secret} is what \`the ${secret} board\` says`);
    const pages = await readAll(stage, [
      "/",
      `/links?q=${encodeURIComponent(`id-${secret}`)}`,
      `/post/acme-app/${encodeURIComponent(`id-${secret}`)}`,
    ]);
    for (const page of pages) {
      expect(page).toContain("[redacted]");
      expect(readText(page).toLowerCase()).not.toContain("s3cret");
    }
  });

  it("shows nothing of itself in a page where its first letter is made a capital", async () => {
    const stage = await open({ secrets: ["lowercase-secret"] });
    await addPost(stage.ledger, "odd", { title: "Odd" });
    await parkPost(stage.ledger, "odd", "lowercase-secret was refused");
    expect(await stage.page("/")).not.toMatch(/owercase-secret/);
  });
});
