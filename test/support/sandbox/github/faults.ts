/** What the client gets instead of, or on top of, the right answer. */
export type FaultAnswer =
  /** Another answer. A string goes out as it is, anything else as JSON. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is reset. */
  | { readonly kind: "reset" }
  /** Nothing ever comes. */
  | { readonly kind: "hang" }
  /** The right answer, its JSON cut in half with a matching `content-length`. */
  | { readonly kind: "truncate" }
  /** The right answer's head and half its JSON, then the connection is reset. */
  | { readonly kind: "cut" };

/** How much a request asks for. */
export interface AskedFor {
  /** Rows of a page, as `per_page` says it; 0 where it says nothing. */
  readonly rows: number;
  /** Node ids of a query. */
  readonly ids: readonly string[];
}

/** A failure of the next requests that match. */
export interface SandboxFault {
  /** Only this method; any without one. */
  readonly method?: string;
  /** Only paths (below the API's root, without query) that contain this text or match this pattern; any without one. */
  readonly path?: string | RegExp;
  /** Only requests that ask for so much. */
  readonly when?: (asked: AskedFor) => boolean;
  /** How many matching requests fail; 1 without it. */
  readonly times?: number;
  /** How many matching requests pass before; 0 without it. */
  readonly after?: number;
  /**
   * Whether the request takes effect all the same: not at all, at once, or `late` (when the handle's `landLate` is called).
   * `truncate` and `cut` always apply. False without it.
   */
  readonly applied?: boolean | "late";
  readonly answer: FaultAnswer;
  /** Called for each request that fails, when it has had the effect that it has at once. */
  readonly onMet?: () => void;
}

/** Faults that wait for their requests. */
export interface FaultQueue {
  add(fault: SandboxFault): void;
  /** The fault of this request, which it uses up. The fault added first goes first. */
  take(method: string, path: string, asked: AskedFor): SandboxFault | undefined;
}

/** An empty queue. */
export function createFaultQueue(): FaultQueue {
  let waiting: { readonly fault: SandboxFault; after: number; times: number }[] = [];
  return {
    add(fault) {
      waiting.push({ fault, after: fault.after ?? 0, times: fault.times ?? 1 });
    },
    take(method, path, asked) {
      const next = waiting.find(({ fault }) => matches(fault, method, path) && (fault.when?.(asked) ?? true));
      if (next === undefined) return undefined;
      if (next.after > 0) {
        next.after -= 1;
        return undefined;
      }
      next.times -= 1;
      waiting = waiting.filter(({ times }) => times > 0);
      return next.fault;
    },
  };
}

function matches(fault: SandboxFault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  if (fault.path === undefined) return true;
  return typeof fault.path === "string" ? path.includes(fault.path) : fault.path.test(path);
}

/** An answer of the primary limit. */
export function primaryLimit(resetAtMs: number, status: 403 | 429 = 403): FaultAnswer {
  return {
    kind: "answer",
    status,
    headers: {
      "x-ratelimit-limit": "5000",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-used": "5000",
      "x-ratelimit-reset": String(Math.ceil(resetAtMs / 1000)),
      "x-ratelimit-resource": "core",
    },
    body: {
      message: "API rate limit exceeded for user ID 1001.",
      documentation_url: "https://docs.github.com/rest",
    },
  };
}

/** An answer of a secondary limit, with or without a time. */
export function secondaryLimit(retryAfterSeconds?: number, status: 403 | 429 = 403): FaultAnswer {
  return {
    kind: "answer",
    status,
    headers: {
      "x-ratelimit-remaining": "4000",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
    body: {
      message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
      documentation_url: "https://docs.github.com/rest",
    },
  };
}
