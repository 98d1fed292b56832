import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const pages = [
  "README.md",
  "src/README.md",
  "src/daemon/README.md",
  "src/ledger/README.md",
  "test/README.md",
  ...globSync(["config/**/*.md", ".github/[A-Z]*.md"], { cwd: root }).toSorted(),
];

function read(url: URL): string {
  return readFileSync(url, "utf8");
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path, anchor] = link.split("#");
  const target = path === "" ? new URL(page, root) : new URL(path ?? "", new URL(page, root));
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(read(target)).includes(anchor);
}

describe.each(pages)("the page %s", (page) => {
  const text = read(new URL(page, root));

  it("links to files and headings that there are", () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });
});

describe.each(globSync("src/**/README.md", { cwd: new URL(".", root) }))("the page %s", (page) => {
  it("names files of the source that there are", () => {
    const text = read(new URL(page, root));
    const folders = ["src/", page.slice(0, page.lastIndexOf("/") + 1)];
    const named = [...text.matchAll(/`([a-z][a-z/-]*\.ts)`/g)].map(([, file = ""]) => file);
    const isThere = (file: string) => folders.some((folder) => existsSync(new URL(folder + file, root)));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((file) => !isThere(file))).toEqual([]);
  });
});
