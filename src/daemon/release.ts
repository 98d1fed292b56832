import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** As much may be held in reserve: to give it back and take it anew for every run would cost more than the run. */
const reserveBytes = 8 * 1024 * 1024;

/** V8's collector. `last-resort` also gives back what it keeps for a program that goes on allocating. */
type Collect = (how: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/**
 * Makes the function that gives the memory of what is over back to the machine, where V8 holds notably more than after the
 * last time. It takes about 100 ms, in which nothing else happens.
 *
 * V8 grows with what a run needs, and an idle process allocates too little to make it shrink again. Node.js shows the
 * collector only where a flag says so, to a context that is made while it does.
 */
export function createRelease(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: Collect = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  let kept = 0;
  return () => {
    if (getHeapStatistics().total_physical_size - kept < reserveBytes) return;
    collect({ type: "major", flavor: "last-resort" });
    kept = getHeapStatistics().total_physical_size;
  };
}
