import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type HttpPart, serveHttp } from "../../daemon/http.ts";
import type { Log } from "../../log.ts";
import { pageHeaders, showRefusal } from "./init-app-pages.ts";

/** A page of ours with its status. */
export interface Shown {
  readonly status: number;
  readonly page: string;
}

/** What the door is opened with. */
export interface DoorOptions {
  readonly log: Log;
  /** The page on which it begins. */
  showStart(door: Pick<Door, "redirectUrl" | "state">): string;
  /** Takes the code that GitHub has sent the browser back with; called once. */
  take(code: string): Promise<Shown>;
}

/** A server on loopback that a browser goes out from and comes back to. */
export interface Door {
  /** Where to begin. Nobody can guess it, so another user of the machine does not see the state. */
  readonly address: string;
  readonly redirectUrl: string;
  /** Comes back with the code: only who has seen the first page knows it. */
  readonly state: string;
  /** Resolves once the code was taken and the page has gone to the browser. */
  readonly taken: Promise<void>;
  close(): Promise<void>;
}

/** Opens the door on 127.0.0.1, on any free port. */
export async function openDoor({ log, showStart, take }: DoorOptions): Promise<Door> {
  const state = randomBytes(32).toString("base64url");
  const entry = `/${randomBytes(16).toString("base64url")}`;
  const { promise: taken, resolve: finish } = Promise.withResolvers<void>();
  let redirectUrl = "";
  let isTaken = false;

  const come = async (query: Readonly<Record<string, unknown>>): Promise<Shown> => {
    if (!isSame(query["state"], state)) return refuse(403, "Refused", strangerWords);
    const { code } = query;
    if (typeof code !== "string" || !/^[\w-]{1,200}$/.test(code)) return refuse(400, "No code", noCodeWords);
    if (isTaken) return refuse(409, "Done already", takenWords);
    isTaken = true;
    return take(code);
  };

  const part: HttpPart = (server) => {
    // A page of another name that leads to this address (DNS rebinding) gets nothing.
    server.addHook("onRequest", async (request, reply) => {
      if (`http://${request.headers.host}` === new URL(redirectUrl).origin) return;
      await reply.code(403).headers(pageHeaders).send(showRefusal("Refused", strangerWords));
    });
    server.get(entry, { exposeHeadRoute: false }, (_request, reply) =>
      reply.headers(pageHeaders).send(showStart({ redirectUrl, state })),
    );
    server.get("/callback", { exposeHeadRoute: false }, async (request, reply) => {
      const { status, page } = await come(Object(request.query));
      // What was taken is over: the page goes out before the door is closed.
      if (isTaken && status !== 409) {
        if (request.raw.destroyed || reply.raw.closed) finish();
        else reply.raw.once("close", finish);
      }
      return reply.code(status).headers(pageHeaders).header("connection", "close").send(page);
    });
  };
  const server = await serveHttp({ host: "127.0.0.1", port: 0 }, log, [part]);
  redirectUrl = `${server.address}/callback`;
  return { address: `${server.address}${entry}`, redirectUrl, state, taken, close: server.close };
}

const strangerWords =
  "This does not belong to what boardsync waits for, so nothing was done. Open the address that the terminal shows, and go on from there.";
const noCodeWords = "GitHub has sent no code along. Open the address that the terminal shows, and try again.";
const takenWords = "The App was fetched already; the terminal says how it goes on.";

function refuse(status: number, title: string, words: string): Shown {
  return { status, page: showRefusal(title, words) };
}

/** In a time that does not tell how much of it was right. */
function isSame(given: unknown, wanted: string): boolean {
  if (typeof given !== "string") return false;
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", wanted, "buffer"));
}
