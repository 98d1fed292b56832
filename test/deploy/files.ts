import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The checkout, with a slash at its end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** A file of the checkout. */
export function read(name: string): string {
  return readFileSync(`${root}${name}`, "utf8");
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
