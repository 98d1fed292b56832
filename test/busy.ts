import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/** Plays `npm test` three times, each beside a busy loop for every core: `npm run test:busy -- test/board`. */

const times = 3;
let failures = 0;
const loops = Array.from({ length: availableParallelism() }, () =>
  // They end with this process, however that ends.
  spawn(process.execPath, ["-e", "const { ppid } = process; while (process.ppid === ppid);"], {
    stdio: "ignore",
  }),
);
try {
  for (let run = 1; run <= times; run += 1) {
    const code = await play(process.argv.slice(2));
    if (code !== 0) failures += 1;
    const outcome = code === 0 ? "passed" : "FAILED";
    process.stdout.write(`Run ${run} of ${times} beside ${loops.length} busy loops: ${outcome}\n`);
  }
} finally {
  for (const loop of loops) loop.kill("SIGKILL");
}
process.exitCode = failures === 0 ? 0 : 1;

function play(args: readonly string[]): Promise<number | null> {
  const child = spawn("npm", ["test", "--", ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
}
