import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { createEmulator } from "emulate";
import { listen, stop } from "../../src/demo/loopback.ts";
import { forward } from "../crash/gate.ts";
import type { ApiRequest } from "../support/openapi.ts";
import type { Who } from "./steps.ts";

/** A GitHub that others wrote, on loopback: npm's `emulate`, with the repository `acme/app`. */
export interface Emulated {
  /** Where the program reaches it: through a door that knows addresses by a repository's id, which `emulate` does not. */
  readonly url: string;
  /** Where it answers by itself. */
  readonly origin: string;
  readonly login: string;
  /** Ours, that of somebody who may push, and that of somebody who may not. `nobody`'s is not known. */
  readonly tokens: Readonly<Record<Who, string>>;
  /** What somebody does who may push, by its API; `path` is below the repository. The answer must be a success. */
  act(method: string, path: string, body?: object): Promise<void>;
  /** What has come through the door, for GitHub's own description to judge. */
  readonly requests: readonly ApiRequest[];
  close(): Promise<void>;
}

const login = "boardsync-bot";
const tokens = { us: "ghp_Ours", person: "ghp_Danas", outsider: "ghp_Eves", nobody: "ghp_Nobodys" };

/** The first repository that is seeded, so its id is 1. */
const byId = /^\/repositories\/1(?=\/)/u;

/** A GitHub App, installed where `acme/app` is, with what the program asks of its owners. */
export interface EmulatedApp {
  readonly id: number;
  readonly privateKey: string;
}

/** Starts it in this process. */
export async function startEmulated(app?: EmulatedApp): Promise<Emulated> {
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      tokens: {
        [tokens.us]: { login },
        [tokens.person]: { login: "dana" },
        [tokens.outsider]: { login: "eve" },
      },
      github: {
        users: [{ login }, { login: "dana" }, { login: "eve" }],
        orgs: [{ login: "acme", members: [{ login }, { login: "dana" }] }],
        repos: [{ owner: "acme", name: "app" }],
        ...(app && { apps: [describeApp(app)] }),
      },
    },
  });
  const origin = `http://127.0.0.1:${new URL(emulator.url).port}`;
  const requests: ApiRequest[] = [];

  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(incoming);
    const { method = "", url = "" } = incoming;
    const { pathname: path, searchParams } = new URL(url, origin);
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    requests.push({ method, path, query: Object.fromEntries(searchParams), body });
    const answer = await forward(`${origin}${url.replace(byId, "/repos/acme/app")}`, incoming, text);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const door = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  const url = await listen(door);
  const act: Emulated["act"] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${tokens.person}` };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${origin}/repos/acme/app${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const close = async (): Promise<void> => {
    await stop(door);
    await emulator.close();
  };
  return { url, origin, login, tokens, requests, act, close };
}

function describeApp({ id, privateKey }: EmulatedApp): object {
  return {
    app_id: id,
    slug: "feedback-sync",
    name: "Feedback sync",
    private_key: privateKey,
    permissions: { issues: "write", metadata: "read" },
    installations: [{ installation_id: 1, account: "acme" }],
  };
}
