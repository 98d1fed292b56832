import { createServer } from "node:http";
import { listen, stop } from "../../../../src/demo/loopback.ts";
import { createResponder, type SandboxFault, type SandboxRequest } from "./http.ts";
import {
  type BoardState,
  createBoardState,
  type PostFields,
  type SandboxNotification,
  type SandboxProject,
} from "./state.ts";
import { type BoardStyle, type BoardStyleOptions, completeStyle, type SandboxPost } from "./style.ts";

/**
 * A feedback board on loopback that does what the board's API document says, and, by option, each of the things that the
 * document leaves open. The tests run against it.
 */

export interface SandboxBoardOptions {
  readonly projects: readonly SandboxProject[];
  /** Default `sandbox-board-key`. */
  readonly key?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Epoch ms; default `Date.now`. */
  readonly now?: () => number;
  /** What the API document leaves open; default: see `completeStyle`. */
  readonly style?: BoardStyleOptions;
}

export interface FaultPlan {
  /** Which requests it hits; default all. */
  readonly when?: (request: SandboxRequest) => boolean;
  /** How many of them; default 1. */
  readonly times?: number;
}

export interface SandboxBoard {
  /** Base address, ending with `/api/v1`. */
  readonly url: string;
  readonly key: string;
  /** Adds a post as a person would, and returns its id as text. The project may be named by id or slug. */
  addPost(project: string, fields?: PostFields): string;
  /** Changes a post as a person in the dashboard would: a change of status mails its voters, too. */
  editPost(project: string, post: string, fields: PostFields): void;
  removePost(project: string, post: string): void;
  /** Brings a post back that was removed. */
  restorePost(project: string, post: string): void;
  /** A copy of one post; undefined when it is gone. */
  post(project: string, post: string): SandboxPost | undefined;
  /** Copies of all posts, oldest first. */
  posts(project: string): readonly SandboxPost[];
  /** Every mail that went out to the voters of a post, oldest first. */
  readonly notifications: readonly SandboxNotification[];
  /** Every request, oldest first. */
  readonly requests: readonly SandboxRequest[];
  /** Changes what the document leaves open while the board runs. */
  restyle(style: BoardStyleOptions): void;
  /** Makes the next request, or the next ones that match, go wrong. Several plans queue up. */
  failNext(fault: SandboxFault, plan?: FaultPlan): void;
  /** Ends the server and every connection. */
  close(): Promise<void>;
}

/** Starts a board on 127.0.0.1 and resolves once it listens. */
export async function startSandboxBoard(options: SandboxBoardOptions): Promise<SandboxBoard> {
  const key = options.key ?? "sandbox-board-key";
  const now = options.now ?? Date.now;
  const requests: SandboxRequest[] = [];
  const faults: { readonly fault: SandboxFault; readonly plan: FaultPlan; left: number }[] = [];
  let style: BoardStyle = completeStyle(options.style ?? {});
  const state: BoardState = createBoardState({ projects: options.projects, now, style: () => style });

  const takeFault = (request: SandboxRequest): SandboxFault | undefined => {
    const planned = faults.find(({ plan, left }) => left > 0 && (plan.when?.(request) ?? true));
    if (planned !== undefined) planned.left -= 1;
    return planned?.fault;
  };
  const respond = createResponder({ key, now, state, requests, takeFault, style: () => style });
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const origin = await listen(server, options.port);
  return {
    url: `${origin}/api/v1`,
    key,
    addPost: state.addPost,
    editPost: state.editPost,
    removePost: state.removePost,
    restorePost: state.restorePost,
    post: state.post,
    posts: state.posts,
    notifications: state.notifications,
    requests,
    restyle(next) {
      style = completeStyle(next);
    },
    failNext(fault, plan = {}) {
      faults.push({ fault, plan, left: plan.times ?? 1 });
    },
    close: () => stop(server),
  };
}
