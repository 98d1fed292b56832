import { StateError } from "../../errors.ts";
import type { Taken } from "../ledger.ts";
import { type ServerClock, serverTime } from "./clock.ts";
import { literal } from "./dialect.ts";
import type { Pool, ServerAnswer } from "./pool.ts";
import { isAlive, type Signer } from "./signs.ts";

/** A project's lease, by the number that it was taken with: it rises each time that another takes it. */
export interface LeaseNumber {
  readonly project: string;
  readonly number: number;
}

/** Who has which project, by the clock of the state. */
export interface Leases {
  /** Takes all of these, or none; the first that is another's is told. */
  take(keys: readonly string[]): Promise<TakenLeases | Taken>;
  /** Prolongs those that are still held. */
  renew(holds: readonly LeaseNumber[]): Promise<void>;
  release(holds: readonly LeaseNumber[]): Promise<void>;
}

/**
 * Until when leases hold, as this process knows it.
 *
 * @param requestMs - the longest that a request may take.
 */
export function createValidity(monotonic: () => number, requestMs: number) {
  const validUntil = new Map<string, number>();
  return {
    /** These hold until then, by the monotonic clock. */
    prolonged(holds: readonly LeaseNumber[], until: number): void {
      for (const { project } of holds) validUntil.set(project, until);
    },
    /** @throws StateError where what is left of them is shorter than a request may take. */
    async assertLong(holds: readonly LeaseNumber[], leases: Leases): Promise<void> {
      const isLongEnough = (): boolean => {
        const until = Math.min(...holds.map(({ project }) => validUntil.get(project) ?? 0));
        return monotonic() + requestMs <= until;
      };
      // A write that needs no line of its own may come late after the last one.
      if (isLongEnough()) return;
      await leases.renew(holds);
      if (isLongEnough()) return;
      throw new StateError(
        `What is left of the lease of ${holds.map(({ project }) => project).join(", ")} is shorter than a request may take, so it is not sent: this process stood still, or could not reach the state. The next run goes on.`,
        { code: "state.unreachable" },
      );
    },
  };
}

export type Validity = ReturnType<typeof createValidity>;

export interface TakenLeases {
  readonly kind: "held";
  readonly holds: readonly LeaseNumber[];
}

interface LeaseOptions extends Pick<Signer, "who" | "config">, Pick<Validity, "prolonged"> {
  /** Another one than that of the transactions: a lease is prolonged however busy they are. */
  readonly pool: Pool;
  readonly clock: ServerClock;
  readonly leaseMs: number;
}

/** The row of the config that leads the whole state, however its projects are named; nobody holds it. */
const all = "";

/** Leases by the server's clock. */
export function createLeases({ pool, clock, leaseMs, prolonged, who, config }: LeaseOptions): Leases {
  const release = async (holds: readonly LeaseNumber[]): Promise<void> => {
    if (holds.length === 0) return;
    await pool.ask(
      `UPDATE boardsync.leases SET until = '-infinity' FROM (VALUES ${valuesOf(holds)}) AS held (project, number)
       WHERE leases.project = held.project AND leases.number = held.number`,
    );
  };
  return {
    async take(keys) {
      const wanted = keys.map(literal).join(", ");
      const mine = literal(config());
      const beganAt = clock.monotonic();
      const [, , found, others] = await pool.ask(`
        INSERT INTO boardsync.leases (project) SELECT unnest(ARRAY[${literal(all)}, ${wanted}]) ON CONFLICT DO NOTHING;
        UPDATE boardsync.leases AS led SET config = ${mine}, holder = ${literal(who)}
        WHERE project = ${literal(all)} AND config <> ${mine}
          AND NOT EXISTS (SELECT 1 FROM boardsync.replicas WHERE replicas.config = led.config AND ${isAlive})
          AND NOT EXISTS (SELECT 1 FROM boardsync.leases AS held WHERE held.until > clock_timestamp());
        UPDATE boardsync.leases SET number = number + 1, holder = ${literal(who)},
          until = clock_timestamp() + ${leaseMs} * interval '1 ms'
        WHERE project IN (
          SELECT project FROM boardsync.leases AS free
          WHERE project IN (${wanted}) AND until <= clock_timestamp()
            AND EXISTS (SELECT 1 FROM boardsync.leases WHERE project = ${literal(all)} AND config = ${mine})
          ORDER BY project FOR UPDATE SKIP LOCKED)
        RETURNING project, number;
        SELECT project, holder, config <> ${mine} AS is_other, until > clock_timestamp() AS held
        FROM boardsync.leases WHERE project IN (${literal(all)}, ${wanted})`);
      const holds = (found?.rows ?? []).map(toNumber);
      const missing = keys.find((key) => !holds.some(({ project }) => project === key));
      if (missing === undefined) {
        prolonged(holds, beganAt + leaseMs);
        return { kind: "held", holds };
      }
      await release(holds);
      const rowOf = (key: string) => others?.rows.find(({ project }) => project === key) ?? {};
      const [row, led] = [rowOf(missing), rowOf(all)];
      const isOtherConfig = row["held"] !== 1 && led["is_other"] === 1;
      return {
        kind: "taken",
        project: missing,
        who: String((isOtherConfig ? led : row)["holder"]),
        isOtherConfig,
      };
    },
    async renew(holds) {
      const beganAt = clock.monotonic();
      const [found] = await pool.ask(renewal(holds, leaseMs));
      clock.told(found, beganAt);
      prolonged((found?.rows ?? []).map(toNumber), beganAt + leaseMs);
    },
    release,
  };
}

function toNumber({ project, number }: Readonly<Record<string, unknown>>): LeaseNumber {
  return { project: String(project), number: Number(number) };
}

/** Prolongs leases, and shows those that are still held. */
export function renewal(holds: readonly LeaseNumber[], leaseMs: number): string {
  if (holds.length === 0) return "SELECT 1 WHERE false";
  return `
    UPDATE boardsync.leases SET until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    FROM (VALUES ${valuesOf(holds)}) AS held (project, number)
    WHERE leases.project = held.project AND leases.number = held.number AND until > clock_timestamp()
    RETURNING leases.project, leases.number, ${serverTime} AS now`;
}

function valuesOf(holds: readonly LeaseNumber[]): string {
  return holds.map(({ project, number }) => `(${literal(project)}, ${number})`).join(", ");
}

/** The failure of a run whose leases are not all held. */
export function leaseLost(holds: readonly LeaseNumber[], held: ServerAnswer | undefined): StateError {
  const left = new Set(held?.rows.map(({ project }) => project));
  const names = holds.filter(({ project }) => !left.has(project)).map(({ project }) => project);
  return new StateError(
    `The lease of ${names.join(", ")} has run out, so nothing more of this run is recorded or sent: this process stood still, or could not reach the state. The next run goes on.`,
    { code: "state.unreachable" },
  );
}
