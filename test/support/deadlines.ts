import type { Clock } from "../../src/model/surroundings.ts";

/** Deadlines that pass when a test says so: for the `after` of its clock. */
export interface Deadlines {
  readonly after: NonNullable<Clock["after"]>;
  /** All that run now have passed. */
  pass(): void;
  /** A server says that it leaves a request without an end. Its deadline passes as soon as no other request is under way. */
  passWhenAlone(): void;
}

export function createDeadlines(): Deadlines {
  const running = new Set<() => void>();
  let hanging = 0;
  const pass = (): void => {
    hanging = 0;
    for (const end of [...running]) {
      running.delete(end);
      end();
    }
  };
  const passIfAlone = (): void => {
    if (hanging > 0 && running.size === hanging) pass();
  };
  return {
    after(_, act) {
      const end = (): void => act();
      running.add(end);
      return () => {
        running.delete(end);
        passIfAlone();
      };
    },
    pass,
    passWhenAlone() {
      hanging += 1;
      passIfAlone();
    },
  };
}
