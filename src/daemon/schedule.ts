import { createTask, type ScheduledTask, validate } from "node-cron";

export interface Schedule {
  /** Starts calling `fire` at the times of the expression. */
  start(fire: () => void): void;
  stop(): Promise<void>;
  /** Milliseconds between the next two times. */
  periodMs(): number;
}

/** A cron expression in a time zone; a field of seconds is allowed. What happens at its times is the caller's business. */
export function createSchedule(expression: string, timezone: string): Schedule {
  let task: ScheduledTask | undefined;
  return {
    start(fire) {
      task = createTask(expression, fire, { timezone, suppressMissedWarning: true });
      void task.start();
    },
    async stop() {
      await task?.destroy();
    },
    periodMs() {
      const probe = createTask(expression, () => undefined, { timezone });
      const [first, second] = probe.getNextRuns(2);
      void probe.destroy();
      return first === undefined || second === undefined
        ? Number.POSITIVE_INFINITY
        : second.getTime() - first.getTime();
    },
  };
}

/** Whether node-cron understands an expression. */
export function isSchedule(expression: string): boolean {
  return validate(expression);
}
