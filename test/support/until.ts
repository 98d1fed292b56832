import { setTimeout } from "node:timers/promises";

/** Waits until it is so, however long that takes: only the time limit of the test itself ends a wait in vain. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(5);
}
