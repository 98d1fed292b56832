import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { read, root, version } from "./files.ts";
import { folder } from "./sample.ts";

describe("the README of the samples", () => {
  const links = [...read(`${folder}README.md`).matchAll(/\]\(([^)#:]+)\)/g)].map(([, name = ""]) => name);

  it("links to files that there are", () => {
    expect(links.filter((name) => !existsSync(`${root}${folder}${name}`))).toEqual([]);
  });

  it("speaks of every sample", () => {
    const samples = readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "README.md")
      .map(({ name }) => name);
    const text = read(`${folder}README.md`);
    expect(samples.filter((name) => !text.includes(name))).toEqual([]);
    expect(text).toContain(`boardsync:${version}`);
  });
});

it("the changelog begins with this version", () => {
  expect(/^## \[(.*)\]/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
});
