import { parseArgs } from "node:util";
import { startEngines } from "./engines.ts";
import type { Way } from "./world.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    seeds: { type: "string", default: "100" },
    rare: { type: "boolean", default: false },
    quirks: { type: "boolean", default: false },
    moves: { type: "boolean", default: false },
    wishes: { type: "boolean", default: false },
    tools: { type: "boolean", default: false },
    ordered: { type: "boolean", default: false },
  },
});

const from = Number(values.from);
const count = Number(values.seeds);
const way: Way = {
  isRare: values.rare,
  isQuirky: values.quirks,
  isMoving: values.moves,
  isWishing: values.wishes,
  hasTools: values.tools,
  isOrdered: values.ordered,
};
const engines = await startEngines();
let different = 0;
try {
  for (let seed = from; seed < from + count; seed += 1) {
    const difference = await engines.compare(seed, way);
    if (difference === undefined) continue;
    different += 1;
    process.stdout.write(`Seed ${seed}: ${difference}\n`);
  }
} finally {
  await engines.close();
}
process.stdout.write(
  `${count} histories, ${engines.calls} calls of the port on both engines: ${different} histories with a difference\n`,
);
process.exitCode = different === 0 ? 0 : 1;
