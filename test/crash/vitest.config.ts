import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { tags } from "../vitest.config.ts";

/** Every scenario killed at every point: `npm run test:crash`. */
// biome-ignore lint/style/noDefaultExport: Vitest wants one.
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/crash/**/*.{crash,test}.ts"],
    testTimeout: 60_000,
    maxConcurrency: 4,
    tags,
  },
});
