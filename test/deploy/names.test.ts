import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { read, root, version } from "./files.ts";
import { folder, guide } from "./sample.ts";

/** Whoever publishes boardsync under names of their own replaces these; they stand in one section only. */
const placeholder =
  /OWNER\/(?:boardsync|charts)\b|\b(?:github\.com|ghcr\.io)\/OWNER\b|\bregistry\.example\.com\b/;
const page = guide;

/** The section "Names", without the heading of the next one. */
const section = /^## Names\n.*?(?=^## |(?![\s\S]))/ms.exec(read(page))?.[0] ?? "";

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((name) => name !== "" && existsSync(`${root}${name}`));

describe("the names to publish under", () => {
  it("stand in one table", () => {
    const owner = "OWNER";
    const rows = [...section.matchAll(/^\| (.+?) \| `(.+?)` \|/gm)].map(([, what, name]) => [what, name]);
    expect(rows.slice(0, 5)).toEqual([
      ["npm package", "boardsync"],
      ["repository", `https://github.com/${owner}/boardsync`],
      ["image", `ghcr.io/${owner}/boardsync`],
      ["chart", `oci://ghcr.io/${owner}/charts/boardsync`],
      ["action", `${owner}/boardsync/config/deploy/action`],
    ]);
  });

  it("stand nowhere else", () => {
    const found = tracked.flatMap((name) => {
      const text = name === page ? read(name).replace(section, "") : read(name);
      const lines = text.split("\n").map((line, index) => ({ line, at: `${name}:${index + 1}` }));
      return lines.filter(({ line }) => placeholder.test(line)).map(({ at }) => at);
    });
    expect(tracked.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });

  it("are the image's own in every sample: what `docker build` makes in the checkout", () => {
    const samples = tracked.filter((name) => name.startsWith(folder) && /\.ya?ml$/.test(name));
    const images = samples.flatMap((name) => [...read(name).matchAll(/\bboardsync:(\d[\w.-]*)/g)]);
    expect(images.length).toBeGreaterThan(5);
    expect(new Set(images.map(([, tag]) => tag))).toEqual(new Set([version]));
  });
});
