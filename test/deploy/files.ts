import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, with a slash at its end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** A file of the checkout. */
export function read(name: string): string {
  return readFileSync(`${root}${name}`, "utf8");
}

/** The program, compiled into a folder; what the checkout holds is that where it is newer than every source. */
export function build(folder: string): void {
  const sources = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" }).map(
    (name) => `src/${name}`,
  );
  const changed = ["tsconfig.json", "package.json", ...sources].map((name) => statSync(root + name).mtimeMs);
  const built = `${root}dist/main.js`;
  const isNew = existsSync(built) && statSync(built).mtimeMs > Math.max(...changed);
  if (isNew) cpSync(`${root}dist`, folder, { recursive: true });
  else execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "src", "--outDir", folder], { cwd: root });
}

/** The version that everything in the checkout speaks of. */
export const version = String(JSON.parse(read("package.json")).version);

/** One instruction of a Dockerfile; a line that goes on is one with its next. */
export interface Instruction {
  /** Counts the `FROM`s: 0 before the first one. */
  readonly stage: number;
  readonly name: string;
  readonly value: string;
}

export function parseDockerfile(text: string): readonly Instruction[] {
  let stage = 0;
  return text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...words] = line.trim().split(/\s+/);
      if (name === "FROM") stage += 1;
      return { stage, name, value: words.join(" ") };
    });
}

/** What the image sets. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const pairs = parseDockerfile(read("Dockerfile"))
    .filter(({ name }) => name === "ENV")
    .flatMap(({ value }) => value.split(" "))
    .map((pair) => pair.split("="));
  return Object.fromEntries(pairs);
}

/** The directives of a systemd unit, in order: `Service.ExecStart` and its value. */
export function parseUnit(text: string): readonly (readonly [string, string])[] {
  let section = "";
  return text.split("\n").flatMap((line) => {
    const found = /^\[(\w+)\]$/.exec(line);
    if (found !== null) section = found[1] ?? "";
    const directive = /^(\w+)=(.*)$/.exec(line);
    return directive === null ? [] : [[`${section}.${directive[1]}`, directive[2] ?? ""] as const];
  });
}
