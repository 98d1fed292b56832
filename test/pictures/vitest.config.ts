import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Draws the pictures of the README anew: `npm run pictures`. */
// biome-ignore lint/style/noDefaultExport: Vitest wants one.
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/pictures/**/*.draw.ts"], testTimeout: 60_000 },
});
