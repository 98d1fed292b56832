import { existsSync, globSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { read, root, version } from "./files.ts";
import { folder } from "./sample.ts";

describe("the README of the samples", () => {
  const links = [...read(`${folder}README.md`).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(
    ([, name = ""]) => name,
  );

  it("links to files that there are", () => {
    expect(links.filter((name) => !existsSync(`${root}${folder}${name}`))).toEqual([]);
  });

  it("speaks of every sample, and leads to the page of each folder that has one", () => {
    const place = `${root}${folder}`;
    const files = globSync("**/*.*", { cwd: place });
    const pages = files.filter((name) => /.\/README\.md$/.test(name));
    const isOnPage = (name: string): boolean =>
      pages.some((page) => !relative(dirname(page), name).startsWith(".."));
    const text = read(`${folder}README.md`);
    const samples = files.filter((name) => name !== "README.md" && !isOnPage(name));
    expect(samples.length).toBeGreaterThan(10);
    expect(samples.filter((name) => !text.includes(basename(name)))).toEqual([]);
    expect(pages).toContain("helm/README.md");
    expect(pages.filter((page) => !links.some((link) => link.startsWith(page)))).toEqual([]);
    expect(text).toContain(`boardsync:${version}`);
  });
});

it("the changelog begins with this version", () => {
  expect(/^## \[(.*)\]/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
});
