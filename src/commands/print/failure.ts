import {
  ConfigError,
  OrderError,
  ProjectError,
  RemoteError,
  StateError,
  StateHeldError,
} from "../../errors.ts";
import { escapeControls } from "../../escape.ts";
import { adviceOn } from "../../sync/ground/remedy.ts";
import { exitCodes, exitOf, type Terminal } from "./terminal.ts";
import { hint, oneLine, printJson, tellByMachine } from "./text.ts";

/** What `--json` prints where a command ends with 2, 3 or 5. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What ended a command: one sentence for a person on stderr, and one JSON document on stdout for a script. */
export function failWith(
  terminal: Terminal,
  options: { readonly json?: boolean | undefined },
  error: unknown,
): number {
  const { code, exit } = classify(error);
  const message = error instanceof Error ? error.message : String(error);
  // One line each, or what a person typed could pass for a line of ours.
  const lines = error instanceof ConfigError ? error.problems : [message];
  for (const line of lines) terminal.err.write(`${hint(terminal.err, tellByMachine(oneLine(line)))}\n`);
  const advice = adviceOn({ code, detail: error instanceof RemoteError ? error.detail : undefined });
  if (advice !== undefined) terminal.err.write(`${hint(terminal.err, advice)}\n`);
  // A bug is worth its stack; an expected failure is not.
  if (code === "internal") {
    const stack = error instanceof Error ? String(error.stack) : message;
    const request = "Please report it, with what `boardsync --version` prints and with these lines:";
    terminal.err.write(`This is a mistake in boardsync. ${hint(terminal.err, request)}\n`);
    terminal.err.write(`${escapeControls(stack)}\n`);
  }
  if (options.json === true) printFailure(terminal, { code, message });
  return error instanceof RemoteError && error.fault === "aborted" ? exitOf(terminal, exit) : exit;
}

/** The one document on stdout of a command that came to nothing. */
export function printFailure(terminal: Terminal, error: Failure): void {
  printJson(terminal.out, { error });
}

/** Several errors as the one that a script looks at: the code of the first, and every message once. */
export function joinFailures(errors: readonly Failure[]): Failure {
  const messages = [...new Set(errors.map(({ message }) => message))];
  return { code: errors[0]?.code ?? "", message: messages.join("\n") };
}

/** The code of what ended a command, and its exit code. */
export function classify(error: unknown): { readonly code: string; readonly exit: number } {
  if (error instanceof ConfigError) return { code: "config", exit: exitCodes.usage };
  if (error instanceof StateHeldError) return { code: "state.held", exit: exitCodes.busy };
  if (error instanceof StateError) {
    const isGone = error.code === "state.unreachable";
    return { code: error.code, exit: isGone ? exitCodes.unreachable : exitCodes.partial };
  }
  if (error instanceof OrderError) return { code: error.code, exit: error.exit };
  if (error instanceof RemoteError) return { code: error.code, exit: exitCodes.unreachable };
  if (error instanceof ProjectError) return { code: error.code, exit: exitCodes.partial };
  return { code: "internal", exit: exitCodes.partial };
}
