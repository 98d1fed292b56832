import { existsSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Reporter, TestModule } from "vitest/node";

/** Names the file that gets the closing line of `.ci/run`. */
const report = process.env["BOARDSYNC_TEST_REPORT"];

/** Memory as a disk: a commit waits for the disk, and most tests make hundreds. A container may have little of it. */
const memory = "/dev/shm";
const isRoomy =
  existsSync(memory) && statfsSync(memory).bavail * statfsSync(memory).bsize > 2 * 1024 * 1024 * 1024;

export const tags = [
  { name: "long", description: "Real processes in bulk, and months of samples: not in `npm test`." },
];

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    restoreMocks: true,
    // Only for a test that hangs: no test may depend on how fast the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // No test replaces a module or keeps anything in one, so the files of a worker share what they import.
    isolate: false,
    tags,
    ...(isRoomy && { env: { TMPDIR: memory } }),
    // By itself it leaves a core free; of two that is half. More than there are only get in each other's way.
    maxWorkers: "100%",
    ...(report !== undefined && { reporters: ["default", createCounter(report)] }),
    // What decides is covered by its own tests, and whole; of the rest `npm run coverage:all` tells how much.
    coverage: {
      provider: "v8",
      include: ["src/plan/**/*.ts", "src/model/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      thresholds: { 100: true },
    },
  },
});

/** Writes `N passed, N failed, N skipped` for readers that don't know this runner: of all runs that have written to the file so far. */
function createCounter(file: string): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const states = modules.flatMap((module) =>
        [...module.children.allTests()].map((test) => test.result().state),
      );
      const before = existsSync(file) ? readFileSync(file, "utf8") : "";
      const count = (wanted: string): number => {
        const known = new RegExp(`(\\d+) ${wanted}`).exec(before)?.[1] ?? 0;
        return Number(known) + states.filter((state) => state === wanted).length;
      };
      // A file that can't be loaded, or a hook that throws, has tests that never ran.
      const failed = count("failed") + modules.filter(isBroken).length + unhandledErrors.length;
      writeFileSync(file, `${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped\n`);
    },
  };
}

function isBroken(module: TestModule): boolean {
  return [module, ...module.children.allSuites()].some((part) => part.errors().length > 0);
}
