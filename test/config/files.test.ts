import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { explainReadFault, isAbsent, isReadableByAll, readTextFile } from "../../src/config/files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "boardsync-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(content: string | Uint8Array): string {
  const path = join(folder, "file");
  writeFileSync(path, content);
  return path;
}

function reasonFor(path: string): string {
  try {
    readTextFile(path);
  } catch (fault) {
    return explainReadFault(fault);
  }
  throw new Error("it could be read");
}

describe("reading a text file", () => {
  it("gives UTF-8 without its byte order mark", () => {
    expect(readTextFile(write("\ufeffgrün: ✓\n"))).toBe("grün: ✓\n");
  });

  it("fails for one that is not there, and that is known from other failures", () => {
    const path = join(folder, "none");
    expect(reasonFor(path)).toBe("there is no such file");
    expect(reasonFor(join(write("a"), "none"))).toBe("there is no such file");
    expect(isAbsent(Object.assign(new Error("x"), { code: "ENOENT" }))).toBe(true);
    expect(isAbsent(Object.assign(new Error("x"), { code: "EACCES" }))).toBe(false);
    expect(isAbsent(new Error("x"))).toBe(false);
  });

  it.each<[string, string | Uint8Array, string]>([
    ["larger than 1 MiB", "x".repeat(1024 * 1024 + 1), "it is larger than 1 MiB"],
    ["no UTF-8", new Uint8Array([0x61, 0xff]), "it is not UTF-8 text"],
  ])("fails for one that is %s", (_, content, reason) => {
    expect(reasonFor(write(content))).toBe(reason);
  });

  it("fails for a directory", () => {
    expect(reasonFor(folder)).toBe("it is a directory");
  });

  it("waits for no pipe that nobody writes to", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(readTextFile(pipe)).toBe("");
  });

  it("reads what comes out of another program, as `--config <(make)` names it", () => {
    const file = new URL("../../src/config/files.ts", import.meta.url).href;
    const script = `import { readTextFile } from "${file}"; process.stdout.write(readTextFile("/dev/stdin"));`;
    const made = '(echo early; sleep 0.1; echo late) | "$0" --input-type=module -e "$1"';
    expect(String(execFileSync("sh", ["-c", made, process.execPath, script]))).toBe("early\nlate\n");
  });

  it.runIf(existsSync("/dev/zero"))("stops at 1 MiB of a device that never ends", () => {
    expect(reasonFor("/dev/zero")).toBe("it is larger than 1 MiB");
  });
});

describe("a file that every user can read", () => {
  it("is one whose mode and whose folders let them", () => {
    const path = write("secret");
    for (const [file, around, isOpen] of [
      [0o644, 0o755, true],
      [0o640, 0o755, false],
      [0o644, 0o750, false],
    ] as const) {
      chmodSync(path, file);
      chmodSync(folder, around);
      expect(isReadableByAll(path)).toBe(isOpen);
    }
    expect(isReadableByAll(join(folder, "none"))).toBe(false);
  });
});
