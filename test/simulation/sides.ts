import type { Board } from "../../src/board/board.ts";
import type { Send } from "../../src/http/send.ts";
import type { Clock } from "../../src/model/surroundings.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { createSimBoard } from "./board.ts";
import type { BoardServer } from "./board-server.ts";
import { createSimTracker } from "./github.ts";
import type { HubServer } from "./github-server.ts";
import type { Life } from "./process.ts";
import type { Scenario } from "./scenario.ts";
import type { Events, Violate } from "./watcher.ts";
import type { Wire } from "./wire.ts";

/** What lies between one process and the two sides. */
export interface Surroundings {
  readonly board: BoardServer;
  readonly hub: HubServer;
  readonly wire: Wire;
  readonly events: Events;
  readonly life: Life;
  readonly scenario: Scenario;
  readonly clock: Clock;
  readonly violate: Violate;
  /** A bug below the ports: bends what carries the requests to GitHub. Only HTTP has such a thing. */
  readonly carry: ((send: Send) => Send) | undefined;
}

/** Gives a process its two sides. */
export type Connect = (surroundings: Surroundings) => { readonly board: Board; readonly tracker: Tracker };

/** Ports in memory: what nearly all histories are played with. */
export const connectInMemory: Connect = ({ board, hub, wire, events, life, scenario }) => ({
  board: createSimBoard(board, wire, events, life, scenario),
  tracker: createSimTracker(hub, wire, events, life, scenario),
});
