import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startedAs } from "../../../src/commands/open/started-as.ts";

/** A folder with these files, and these links to them. */
function lay(files: readonly string[], links: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "boardsync-started-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const make = (path: string): string => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    return join(root, path);
  };
  for (const file of files) writeFileSync(make(file), "");
  for (const [link, target] of Object.entries(links)) symlinkSync(join(root, target), make(link));
  return root;
}

describe("how hints name the program", () => {
  it("is `boardsync` where PATH has this very program", () => {
    const root = lay(["lib/boardsync/dist/main.js"], { "bin/boardsync": "lib/boardsync/dist/main.js" });
    const PATH = `/nowhere:${root}/bin`;
    expect(startedAs({ script: `${root}/bin/boardsync`, cwd: root, env: { PATH } })).toBe("boardsync");
    // As the image starts it.
    const script = `${root}/lib/boardsync/dist/main.js`;
    expect(startedAs({ script, cwd: "/nowhere", env: { PATH } })).toBe("boardsync");
  });

  it("is `npx boardsync` in a checkout, and below it", () => {
    const root = lay(["dist/main.js", "deep/er/file"], { "node_modules/.bin/boardsync": "dist/main.js" });
    const script = `${root}/dist/main.js`;
    // npm puts this folder on the PATH of its scripts, and of those alone.
    const env = { PATH: `${root}/node_modules/.bin` };
    expect(startedAs({ script, cwd: root, env })).toBe("npx boardsync");
    expect(startedAs({ script, cwd: `${root}/deep/er`, env })).toBe("npx boardsync");
    const link = `${root}/node_modules/.bin/boardsync`;
    expect(startedAs({ script: link, cwd: root, env })).toBe("npx boardsync");
  });

  it("never lets npx fetch a package by its name: elsewhere it is the path", () => {
    const root = lay(["here/dist/main.js", "other/dist/main.js", "my files/main.js"], {
      "here/node_modules/.bin/boardsync": "other/dist/main.js",
      "bin/boardsync": "other/dist/main.js",
    });
    const env = { PATH: `${root}/bin` };
    const script = `${root}/here/dist/main.js`;
    expect(startedAs({ script, cwd: `${root}/here`, env })).toBe("node dist/main.js");
    expect(startedAs({ script, cwd: `${root}/other`, env })).toBe(`node ${script}`);
    const spaced = `${root}/my files/main.js`;
    expect(startedAs({ script: spaced, cwd: "/nowhere", env: {} })).toBe(`node '${spaced}'`);
  });

  it.each([
    ["boardsync", "npx boardsync"],
    ["boardsync@0.1.0", "npx boardsync@0.1.0"],
    ["./boardsync-0.1.0.tgz", "npx --package=./boardsync-0.1.0.tgz boardsync"],
    ["/my files/b.tgz", "npx --package='/my files/b.tgz' boardsync"],
    ["boardsyncs", "npx --package=boardsyncs boardsync"],
  ])("is what npx was told to fetch: %s", (fetched, command) => {
    const root = lay(["_npx/1a2b/node_modules/boardsync/dist/main.js"], {
      "_npx/1a2b/node_modules/.bin/boardsync": "_npx/1a2b/node_modules/boardsync/dist/main.js",
    });
    writeFileSync(join(root, "_npx/1a2b/package.json"), JSON.stringify({ _npx: { packages: [fetched] } }));
    const script = `${root}/_npx/1a2b/node_modules/.bin/boardsync`;
    const env = { PATH: `${root}/_npx/1a2b/node_modules/.bin` };
    expect(startedAs({ script, cwd: "/nowhere", env })).toBe(command);
  });

  it("is the path where npx has left no word of what it fetched", () => {
    const root = lay(["_npx/1a2b/node_modules/boardsync/dist/main.js"]);
    const script = `${root}/_npx/1a2b/node_modules/boardsync/dist/main.js`;
    expect(startedAs({ script, cwd: "/nowhere", env: {} })).toBe(`node ${script}`);
  });

  it("is what BOARDSYNC_COMMAND says, without anything that commands a terminal", () => {
    const env = { BOARDSYNC_COMMAND: " docker compose exec boardsync boardsync\u001b[2J" };
    const said = startedAs({ script: "/app/dist/main.js", cwd: "/nowhere", env });
    expect(said).toBe("docker compose exec boardsync boardsync<1b>[2J");
    expect(startedAs({ script: "/app/dist/main.js", cwd: "/nowhere", env: { BOARDSYNC_COMMAND: " " } })).toBe(
      "node /app/dist/main.js",
    );
  });
});
