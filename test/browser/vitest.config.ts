import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The status page in a real browser: `npm run test:browser`. */
// biome-ignore lint/style/noDefaultExport: Vitest wants one.
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/browser/**/*.browser.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
