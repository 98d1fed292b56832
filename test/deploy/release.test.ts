/** @module-tag long */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { read, root, version } from "./files.ts";

const script = `${root}.github/scripts/release.ts`;

/** Runs the script in a tree of four files, some of them changed; null takes one's text away. */
function ask(args: readonly string[], changes: Readonly<Record<string, string>> = {}) {
  const files = {
    "package.json": '{ "version": "1.2.3" }',
    "package-lock.json": '{ "version": "1.2.3", "packages": {} }',
    "config/deploy/helm/Chart.yaml": 'apiVersion: v2\nversion: 1.2.3\nappVersion: "1.2.3"\n',
    "CHANGELOG.md": "# Changelog\n\n## [1.2.3] - 2026-11-24\n\nNew:\n\n- a\n\n## [1.2.2]\n\n- b\n",
    ...changes,
  };
  const tree = mkdtempSync(join(tmpdir(), "boardsync-release-"));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  return run(args, tree);
}

function run(args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd,
    encoding: "utf8",
  });
  return { code: status, out: stdout, err: stderr };
}

describe("the check of a release", () => {
  it("passes where tag, package, lock file, chart and changelog agree", () => {
    expect(ask(["check", "v1.2.3"])).toEqual({ code: 0, out: "Everything is ready for v1.2.3.\n", err: "" });
  });

  it.each([
    ["a tag that is none", "main", {}, "The tag `main` names no version: a release's is like v1.2.3."],
    ["a tag without v", "1.2.3", {}, "The tag `1.2.3` names no version: a release's is like v1.2.3."],
    [
      "another package",
      "v1.2.3",
      { "package.json": '{ "version": "1.2.4" }' },
      "The tag is v1.2.3, and package.json says 1.2.4.",
    ],
    [
      "another lock file",
      "v1.2.3",
      { "package-lock.json": "{}" },
      "The tag is v1.2.3, and package-lock.json says nothing.",
    ],
    [
      "another chart",
      "v1.2.3",
      { "config/deploy/helm/Chart.yaml": "version: 1.2.4\nappVersion: 1.2.3\n" },
      "The tag is v1.2.3, and `version` of config/deploy/helm/Chart.yaml says 1.2.4.",
    ],
    [
      "another version of the app in the chart",
      "v1.2.3",
      { "config/deploy/helm/Chart.yaml": "version: 1.2.3 # as package.json\n" },
      "The tag is v1.2.3, and `appVersion` of config/deploy/helm/Chart.yaml says nothing.",
    ],
    [
      "no section",
      "v1.2.3",
      { "CHANGELOG.md": "## [1.2.2]\n\n- b\n" },
      "CHANGELOG.md has no text under `## [1.2.3]`.",
    ],
    [
      "an empty section",
      "v1.2.3",
      { "CHANGELOG.md": "## [1.2.3]\n\n## [1.2.2]\n\n- b\n" },
      "CHANGELOG.md has no text under `## [1.2.3]`.",
    ],
  ])("says %s", (_, tag, changes, sentence) => {
    expect(ask(["check", tag], changes)).toEqual({ code: 1, out: "", err: `${sentence}\n` });
  });

  it("passes for this tree", () => {
    expect(run(["check", `v${version}`], root)).toMatchObject({ code: 0, err: "" });
  });

  it("says everything at once", () => {
    expect(ask(["check", "v2.0.0"]).err.trim().split("\n")).toHaveLength(5);
  });
});

describe("the notes of a release", () => {
  it("are the changelog's section without its heading", () => {
    expect(ask(["notes", "v1.2.3"])).toEqual({ code: 0, out: "New:\n\n- a\n", err: "" });
  });

  it("of this version are in this tree", () => {
    const { out } = run(["notes", `v${version}`], root);
    expect(out.length).toBeGreaterThan(100);
    expect(read("CHANGELOG.md")).toContain(out);
  });

  it.each([[[]], [["notes"]], [["notes", "v9.9.9"]], [["publish", "v1.2.3"]]])(
    "asks for what is missing in %j",
    (args) => {
      expect(ask(args)).toMatchObject({ code: 2, out: "" });
    },
  );
});
