import { existsSync, globSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { read, root, version } from "./files.ts";
import { folder, guide } from "./sample.ts";

describe("the page of the samples", () => {
  const links = [...read(guide).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, name = ""]) => name);

  it("links to files that there are", () => {
    expect(links.filter((name) => !existsSync(join(root, dirname(guide), name)))).toEqual([]);
  });

  it("speaks of every sample, and leads to the page of each folder that has one", () => {
    const place = `${root}${folder}`;
    const files = globSync("**/*.*", { cwd: place });
    const pages = files.filter((name) => /.\/README\.md$/.test(name));
    const isOnPage = (name: string): boolean =>
      pages.some((page) => !relative(dirname(page), name).startsWith(".."));
    const text = read(guide);
    const samples = files.filter((name) => !isOnPage(name));
    expect(samples.length).toBeGreaterThan(10);
    expect(samples.filter((name) => !text.includes(basename(name)))).toEqual([]);
    expect(pages).toContain("helm/README.md");
    expect(
      pages.filter((page) => !links.some((link) => join(dirname(guide), link) === `${folder}${page}`)),
    ).toEqual([]);
    expect(text).toContain(`boardsync:${version}`);
  });
});

it("the changelog begins with this version", () => {
  expect(/^## \[(.*)\]/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
});
