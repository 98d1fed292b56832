import { ConfigError, ProjectError, RemoteError, StateError, StateHeldError } from "../errors.ts";
import { escapeControls } from "../log.ts";
import { exitCodes, type Terminal } from "./terminal.ts";

/** What ended a command: one sentence for a person on stderr, and one JSON document on stdout for a script. */
export function failWith(
  terminal: Terminal,
  options: { readonly json?: boolean | undefined },
  error: unknown,
): number {
  const { code, exit } = classify(error);
  const message = error instanceof Error ? error.message : String(error);
  terminal.err.write(`${escapeControls(message)}\n`);
  if (options.json === true) terminal.out.write(`${JSON.stringify({ error: { code, message } })}\n`);
  // A bug is worth its stack; an expected failure is not.
  if (code === "bug" && error instanceof Error) terminal.err.write(`${escapeControls(error.stack ?? "")}\n`);
  return exit;
}

function classify(error: unknown): { readonly code: string; readonly exit: number } {
  if (error instanceof ConfigError) return { code: "config", exit: exitCodes.usage };
  if (error instanceof StateHeldError) return { code: "state.held", exit: exitCodes.busy };
  if (error instanceof StateError) return { code: "state.unusable", exit: exitCodes.partial };
  if (error instanceof RemoteError) return { code: error.code, exit: exitCodes.unreachable };
  if (error instanceof ProjectError) return { code: error.code, exit: exitCodes.partial };
  return { code: "bug", exit: exitCodes.partial };
}
