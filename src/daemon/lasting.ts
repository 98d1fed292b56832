import type { Log } from "../log.ts";
import type { Clock } from "../model/surroundings.ts";
import { minuteMs } from "../model/time.ts";

/** How often it is said that it still fails: a server may be gone for a night, and a log must not fill its disk meanwhile. */
const reminderMs = minuteMs;

/**
 * Tries something again and again that fails for as long as its cause lasts. Says when that begins, with all of its error, then once a minute that it lasts, and once that it is over.
 *
 * @param failing - what it says while it fails: "The sign of life could not be written".
 * @param over - what it says when it works again.
 */
export function createLasting(
  { log, clock }: { readonly log: Log; readonly clock: Pick<Clock, "now"> },
  failing: string,
  over: string,
) {
  let trouble: { readonly since: number; saidAt: number; failures: number } | undefined;
  const fieldsOf = (since: number, failures: number) => ({ since: new Date(since).toISOString(), failures });
  const noteFailure = (error: unknown): void => {
    const now = clock.now();
    if (trouble === undefined) {
      log.error({ err: error }, failing);
      trouble = { since: now, saidAt: now, failures: 1 };
      return;
    }
    trouble.failures += 1;
    // One that lies ahead was said before the clock was set back.
    if (now - trouble.saidAt < reminderMs && now >= trouble.saidAt) return;
    trouble.saidAt = now;
    const reason = error instanceof Error ? error.message : String(error);
    log.error({ reason, ...fieldsOf(trouble.since, trouble.failures) }, failing);
  };
  return {
    /** Tries it once; an error is logged, and ends nothing. */
    async attempt(work: () => Promise<void>): Promise<void> {
      try {
        await work();
      } catch (error) {
        noteFailure(error);
        return;
      }
      if (trouble !== undefined) log.info(fieldsOf(trouble.since, trouble.failures), over);
      trouble = undefined;
    },
  };
}
