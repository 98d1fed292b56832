/** @module-tag long */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Connection, createConnection } from "../../../src/ledger/postgres/connection.ts";
import type { LeaseNumber } from "../../../src/ledger/postgres/log.ts";
import { openTables } from "../../../src/ledger/postgres/schema.ts";
import { createServerClock } from "../../../src/ledger/postgres/server-clock.ts";
import {
  createServerLeases,
  createServerLog,
  type ServerOptions,
} from "../../../src/ledger/postgres/server-log.ts";
import { createStateServer, type Line } from "../../simulation/state-server.ts";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { openProxy } from "../../support/tcp-proxy.ts";
import { describeLog, firstImage, type LogClient, type LogPlace, leaseMs } from "./log-contract.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

/** A client's clock, and what it knows of its leases. */
function createClientClock() {
  const validUntil = new Map<string, number>();
  return {
    validUntil,
    monotonicMs: 0,
    prolonged(holds: readonly LeaseNumber[], until: number) {
      for (const { project } of holds) validUntil.set(project, until);
    },
  };
}

async function openServerLog(): Promise<LogPlace> {
  const url = await server.freshDatabase();
  const proxy = await openProxy(server.port);
  const through = server.urlOf(new URL(url).pathname.slice(1), proxy.port);
  const connections: Connection[] = [];
  const connect = (): Connection => {
    const connection = createConnection(through, "here");
    connections.push(connection);
    return connection;
  };
  await openTables(connect(), "here", { schema: 1, version: "1.0.0", image: () => firstImage });
  return {
    connect(who): LogClient {
      const client = createClientClock();
      const options: ServerOptions = {
        at: "here",
        schema: 1,
        leaseMs,
        who,
        config: () => "",
        clock: createServerClock(() => client.monotonicMs),
        prolonged: client.prolonged,
      };
      const log = createServerLog(connect(), options);
      return Object.assign(client, { log, leases: createServerLeases(connect(), options) });
    },
    cutAtCommit: (when) => proxy.cutAt("INSERT INTO boardsync.entries", when),
    async runOut(project) {
      await server.ask(url, `UPDATE boardsync.leases SET until = now() WHERE project = '${project}'`);
    },
    async end() {
      for (const connection of connections) await connection.close();
      await proxy.close();
    },
  };
}

const noEvents = { committed() {}, taken() {}, released() {} };

async function openMemoryLog(): Promise<LogPlace> {
  let cut: "before" | "after" | undefined;
  const memory = createStateServer({ now: () => 0, wait: () => undefined, events: noEvents });
  memory.reset({ number: 0, body: firstImage }, true);
  return {
    connect(who): LogClient {
      const client = createClientClock();
      const line: Line = {
        who,
        leaseMs,
        monotonic: () => client.monotonicMs,
        prolonged: client.prolonged,
        fate(question) {
          if (question !== "commit" || cut === undefined) return "fine";
          const when = cut;
          cut = undefined;
          return when === "before" ? "unsent" : "answer lost";
        },
        pass: () => undefined,
        isStill: () => false,
      };
      return Object.assign(client, memory.connect(line));
    },
    cutAtCommit(when) {
      cut = when;
    },
    async runOut(project) {
      memory.endLease(project);
    },
    async end() {},
  };
}

describeLog("the log on a server", openServerLog);
describeLog("the log of the simulation", openMemoryLog);

it("the log of the simulation takes the turn from a process that stands still in it", async () => {
  let now = 0;
  const memory = createStateServer({
    now: () => now,
    wait(ms) {
      now += ms;
    },
    events: noEvents,
  });
  memory.reset({ number: 0, body: firstImage }, true);
  const line = (isStill: boolean): Line => ({
    who: "",
    leaseMs,
    monotonic: () => now,
    prolonged: () => undefined,
    fate: () => "fine",
    pass: () => undefined,
    isStill: () => isStill,
  });
  const still = await memory.connect(line(true)).log.turn(0, []);
  const turn = await memory.connect(line(false)).log.turn(0, []);
  expect(now).toBeGreaterThan(0);
  await turn.append(Buffer.from("a"));
  await expect(still.append(Buffer.from("b"))).rejects.toMatchObject({ code: "state.unreachable" });
});
