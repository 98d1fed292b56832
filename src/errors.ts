/** The few errors that end a run, a project or a command. Expected outcomes are values, never errors. */

/** Bad usage, config or secrets: exit 2. `problems` are complete sentences, one per line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Which of the two sides an error is about. */
export type Side = "board" | "tracker";

/** What made a remote read fail, as the middle of a code such as `board.unauthorized`. */
export type RemoteFault =
  | "unreachable" // refused, reset, timed out, 5xx after all retries
  | "unauthorized" // 401, 403: key or token
  | "limited" // 429, or a limit that names a time beyond this run
  | "missing" // 404: not there, or not visible to us
  | "unreadable" // no JSON, truncated, oversized, or a shape that is not recognised
  | "refused" // any other definite no
  | "aborted"; // a signal ended the run

/** What a fault leaves open, where other things help for it. */
export type FaultDetail =
  | "server" // it answered, with an error of its own (5xx)
  | "slow" // no whole answer within the deadline
  | "page" // a web page, or another server's answer, where the API should answer
  | "forbidden" // 403: we are known, and may not do this
  | "blocked" // 451: for legal reasons
  | "gone" // 410: switched off there, or deleted
  | "said" // another refusal, in the API's own words
  | "cut" // the answer broke off on its way
  | "large" // more than one answer shows
  | "proxy" // the proxy before it did not let it through
  | "told"; // the message itself says what to do

/** What goes without because of a failed read: what was asked for, or all that the same side or credential is asked. */
export type Concerned = "asked" | "all";

/**
 * A read of the board or the tracker that did not give what was asked. It ends the pull that needed it.
 * `message` is one plain sentence for the user and holds no secret; `cause` is the library's error.
 */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly side: Side;
  readonly fault: RemoteFault;
  /** Epoch ms before which nothing should be asked again; undefined when the other side named no time. */
  readonly retryAt: number | undefined;
  /** Of the tracker: whose budget the request counted against; '' on the board, and where there is only one. */
  readonly budget: string;
  readonly detail: FaultDetail | undefined;
  /** With `all` and a budget: of what counts against that budget. */
  readonly concerns: Concerned;

  constructor(
    side: Side,
    fault: RemoteFault,
    message: string,
    options: {
      cause?: unknown;
      retryAt?: number;
      budget?: string;
      detail?: FaultDetail | undefined;
      concerns?: Concerned;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.side = side;
    this.fault = fault;
    this.retryAt = options.retryAt;
    this.budget = options.budget ?? "";
    this.detail = options.detail;
    const isOfRun = fault === "limited" || fault === "aborted";
    this.concerns = options.concerns ?? (isOfRun ? "all" : "asked");
  }

  get code(): string {
    return `${this.side}.${this.fault}`;
  }
}

/** A project that can't be synced as it is configured; the others go on. The message names the cause and the remedy. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
  /** For example `board.project`, `tracker.archived`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The state can't be used: corrupt, of a newer version, not writable, not reached. */
export class StateError extends Error {
  override readonly name = "StateError";
  readonly code: "state.unusable" | "state.unreachable";
  /** Of a state whose schema is not this version's: its own. */
  readonly schema: number | undefined;
  /** What is wrong, in a few words that name no place: "its disk is full"; undefined where the code has to do. */
  readonly brief: string | undefined;

  constructor(
    message: string,
    options: {
      cause?: unknown;
      code?: StateError["code"];
      schema?: number;
      brief?: string | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = options.code ?? "state.unusable";
    this.schema = options.schema;
    this.brief = options.brief;
  }
}

/** For whoever asks over HTTP: without the words of the error, which may name a server. */
export function describeUnread(error: StateError): string {
  return `The state can't be read (${nameBreak(error)}): the daemon's log says why`;
}

/** What has ended a run before it could be recorded, in a word that names nobody's place: "state.unusable: its disk is full". */
export function nameBreak(error: unknown): string {
  if (!(error instanceof StateError)) return "internal";
  return error.brief === undefined ? error.code : `${error.code}: ${error.brief}`;
}

/** What a commit rests on has changed since it was read: nothing of it was made, and it is looked at again. */
export class OutdatedError extends Error {
  override readonly name = "OutdatedError";
}

/** What another process was given to do, and did not: as it said. */
export class OrderError extends Error {
  override readonly name = "OrderError";
  /** Of the error that it ended with there. */
  readonly code: string;
  /** The exit code of a command that ends with it. */
  readonly exit: number;

  constructor(message: string, { code, exit }: { readonly code: string; readonly exit: number }) {
    super(message);
    this.code = code;
    this.exit = exit;
  }
}

/** Another process holds the state: exit 5. */
export class StateHeldError extends Error {
  override readonly name = "StateHeldError";
}
