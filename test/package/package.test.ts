/** @module-tag long */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build, root, version } from "../deploy/files.ts";
import { compiled } from "../support/compiled.ts";

/** The oldest Node.js that the package promises, and one that is too old. */
const [oldest, tooOld] = ["22.19.0", "20.20.0"];
const place = mkdtempSync(join(tmpdir(), "boardsync-package-"));
const tarball = join(place, `boardsync-${version}.tgz`);
let packed: readonly string[] = [];

/** `npm pack` of a fresh build, in a copy: other tests work with the checkout's own build. */
beforeAll(() => {
  const copy = join(place, "copy");
  mkdirSync(copy);
  for (const name of [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "Dockerfile",
  ])
    copyFileSync(join(root, name), join(copy, name));
  for (const name of ["config", "src", "test"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  build(join(copy, "dist"));
  const { stdout } = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", place], copy);
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
  packed = files.map(({ path }) => path);
});

afterAll(() => rmSync(place, { recursive: true }));

function run(command: string, args: readonly string[], cwd: string, node = dirname(process.execPath)) {
  const env = { ...process.env, ...compiled, PATH: `${node}${delimiter}${process.env["PATH"]}` };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  expect(status, `${command} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
  return { stdout, stderr };
}

/** The folder of a Node.js from the registry, where packages of this name hold its programs. */
function fetchNode(number: string): string {
  const folder = join(place, `node-${number}`);
  const name = `node-${platform()}-${arch()}`;
  mkdirSync(folder);
  run(
    "npm",
    ["install", "--prefix", folder, "--no-audit", "--no-fund", "--prefer-offline", `${name}@${number}`],
    folder,
  );
  return join(folder, "node_modules", name, "bin");
}

/** An empty folder. */
function makeFolder(): string {
  return mkdtempSync(join(place, "empty-"));
}

/** The files of a folder of the checkout. */
function filesOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Those within the repository, without their headings. */
function linksOf(page: string): readonly string[] {
  return [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = ""]) => link);
}

describe("the package", () => {
  it("holds the program, the schema, the docs and all that they lead to, and what npm adds by itself", () => {
    const outside = packed.filter((path) => !path.startsWith("dist/"));
    const folders = ["deploy", "docs", "pictures", "samples"].flatMap((name) => filesOf(`config/${name}`));
    expect(folders.length).toBeGreaterThan(50);
    expect(outside.toSorted()).toEqual(
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "config/boardsync.schema.json",
        "config/sample.yaml",
        "package.json",
        ...folders,
      ].toSorted(),
    );
    expect(packed.filter((path) => path.startsWith("dist/") && !/\.(js|json)$/.test(path))).toEqual([]);
    expect(packed).toContain("dist/main.js");
  });

  it("has no page with a link that leads nowhere, but into the repository's own folders", () => {
    const pages = packed.filter((path) => path.endsWith(".md"));
    const lost = pages.flatMap((page) =>
      linksOf(readFileSync(join(root, page), "utf8"))
        .map((link) => join(dirname(page), link))
        .filter(
          (to) =>
            !/^(?:src|test|\.github)\//.test(to) && !packed.some((path) => `${path}/`.startsWith(`${to}/`)),
        )
        .map((to) => `${page}: ${to}`),
    );
    expect(lost).toEqual([]);
  });

  it("installed into an empty folder it plays a stranger's first hour, on the oldest Node.js that it promises", () => {
    const { stdout } = run(
      join(root, "test/package/first-hour.sh"),
      [tarball],
      makeFolder(),
      fetchNode(oldest),
    );
    expect(stdout).toContain("The first hour went well");
  });

  it("is `boardsync` where npm links it, and on an older Node.js says one sentence", () => {
    const folder = makeFolder();
    const prefix = makeFolder();
    // As `npm install --global` lays it out; what it depends on no command of this test needs.
    const installed = join(prefix, "lib/node_modules/boardsync");
    mkdirSync(installed, { recursive: true });
    run("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed], prefix);
    symlinkSync(join(root, "node_modules"), join(installed, "node_modules"));
    mkdirSync(join(prefix, "bin"));
    chmodSync(join(installed, "dist/main.js"), 0o755);
    symlinkSync("../lib/node_modules/boardsync/dist/main.js", join(prefix, "bin/boardsync"));
    const env = { PATH: `${join(prefix, "bin")}${delimiter}${dirname(process.execPath)}`, HOME: folder };
    const ran = spawnSync(join(prefix, "bin/boardsync"), ["plan"], { cwd: folder, env, encoding: "utf8" });
    expect(ran.stderr).toContain("`boardsync init`");
    expect(readdirSync(folder)).toEqual([]);
    const older = join(fetchNode(tooOld), "node");
    const { status, stdout, stderr } = spawnSync(older, [join(installed, "dist/main.js"), "demo"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^boardsync needs Node\.js 22\.19 or newer, and this is 20\.20\.0: [^\n]*\.\n$/);
  });
});
