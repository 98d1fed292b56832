import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { read, root } from "../deploy/files.ts";

/** The steps of the demo that the README shows, by their numbers. */
const shown = ["1", "4"];

/** What the demo prints of these steps. */
export function tellSteps(): string {
  const { stdout } = spawnSync(process.execPath, [join(root, "src/main.ts"), "demo"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], COLUMNS: "80" },
  });
  return stdout
    .split(/\n\n/)
    .filter((step) => shown.includes(step.split(".")[0] ?? ""))
    .join("\n\n");
}

const block = /(<!-- demo -->\n```\n)([\s\S]*?)(\n```\n<!-- \/demo -->)/;

/** What the README shows of it. */
export function readShown(): string | undefined {
  return read("README.md").match(block)?.[2];
}

/** The README with these lines in it. */
export function show(steps: string): string {
  return read("README.md").replace(block, (_, before, __, after) => `${before}${steps}${after}`);
}
