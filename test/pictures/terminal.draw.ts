import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { root } from "../deploy/files.ts";
import { show, tellSteps } from "./terminal.ts";

it("puts what the demo prints into the README", () => {
  writeFileSync(join(root, "README.md"), show(tellSteps()));
});
