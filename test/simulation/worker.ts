import { parentPort } from "node:worker_threads";
import { type Batch, playBatch } from "./batch.ts";
import { createStates } from "./state.ts";

/** One thread of `team.ts`: plays the batches that it is given, on a state of its own. */
const port = parentPort;
if (port === null) throw new Error("This file is a thread of the simulation: start simulate.ts.");
const states = createStates();
port.on("message", (batch: Batch | "end") => {
  if (batch === "end") {
    states.close();
    port.close();
    return;
  }
  void playBatch(states, batch).then((result) => port.postMessage(result));
});
