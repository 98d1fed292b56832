import type { Command } from "commander";

/** What a command gets of the process; `main.ts` makes it of the real one, a test of strings. */
export interface Terminal {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** How a person starts the program here, for hints: `boardsync`, `npx boardsync`, … */
  readonly command: string;
  readonly pid: number;
  /** Tells it from a process of the same number on a host of the same name: containers may have both alike. */
  readonly id?: string;
  readonly out: Output;
  readonly err: Output;
  /** Aborted by the first SIGINT or SIGTERM: start nothing new, finish what is in hand. */
  readonly signal: AbortSignal;
  /**
   * Calls the listener at every SIGHUP, and at once where one came before, until the answered function is called. None ends a
   * daemon, while it starts or ends either. undefined where there are no signals.
   */
  readonly onHangUp?: ((listener: () => void) => () => void) | undefined;
  /** The last line of the terminal; undefined where stderr is none. */
  readonly footer?: Footer | undefined;
  /** Asks the person at the terminal, who may end the input (Ctrl-D): then it answers undefined. Left out where there is none. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** The same for a secret: what is typed is not shown. */
  readonly askSecret?: Terminal["ask"];
  /** Takes what the person types, key by key; undefined where nobody sits there. Ctrl-C aborts `signal`. */
  readonly takeKeys?: (() => Keys) | undefined;
  /** Starts this program once more, as a process of its own whose output goes nowhere; undefined where that can't be. */
  readonly startAgain?: ((args: readonly string[], place: OwnPlace) => Promise<OwnProcess>) | undefined;
}

/** The keys of a terminal. They are shown on it again when they are released. */
export interface Keys {
  /** Waits for the next key, at most so long, and no longer than until `signal` is aborted. */
  next(mostMs: number): Promise<void>;
  release(): void;
}

/** Where a process is started. */
export type OwnPlace = Pick<Terminal, "cwd" | "env">;

/** A process that a command has started. It does not outlive ours. */
export interface OwnProcess {
  /** Kept when the process is gone, for whatever reason. */
  readonly ended: Promise<void>;
  /** SIGKILL: ends it in the middle of whatever it does. */
  kill(): void;
}

/** stdout or stderr. */
export interface Output {
  readonly isTerminal: boolean;
  /** Whether colours are welcome: a terminal, without `NO_COLOR`. */
  readonly hasColours: boolean;
  /** Width in columns at this moment: a window may have been made wider or narrower. */
  columns(): number;
  /** How hints name the program; the terminal's `command`. */
  readonly command?: string;
  write(text: string): void;
}

/** The last line of a terminal, below everything that is printed: a progress bar. */
export interface Footer {
  /** Shows a text in place of what the line showed before. Nothing is shown where it could stand in a line of another text. */
  show(text: string): void;
  /** Takes the line away. */
  clear(): void;
}

/** Exit codes, as `config/docs/reference/commands.md` lists them. */
export const exitCodes = {
  ok: 0,
  partial: 1,
  usage: 2,
  unreachable: 3,
  held: 4,
  busy: 5,
  changes: 10,
  interrupted: 130,
  terminated: 143,
} as const;

/** 130 and 143 where a signal ended the work early, as a shell would say it. */
export function exitOf(terminal: Terminal, code: number): number {
  if (!terminal.signal.aborted) return code;
  return terminal.signal.reason === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
}

/** The options that every command has. */
export interface CommonOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logLevel?: string;
}

/** The option of the commands that can work on a part of the config. */
export interface ProjectOptions {
  readonly project?: readonly string[];
}

/** Where a command was called, and with which options: its own and the common ones. */
export interface Called<Options extends CommonOptions = CommonOptions> {
  readonly terminal: Terminal;
  readonly options: Options;
}

/** How a command was called. */
export interface CommandCall<Options extends CommonOptions = CommonOptions> extends Called<Options> {
  readonly program: Command;
  /** In the order of the arguments; undefined for one that was left out. */
  readonly args: readonly (string | undefined)[];
  /** Of an argument that may be repeated. */
  readonly rest: readonly string[];
}

/** A whole number as people write it; NaN for any other text, such as `1e3`, `0x10` or nothing. */
export function readWhole(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
