import { ConfigError } from "../../errors.ts";
import type { Terminal } from "./terminal.ts";

/** Whether a person agrees: asked on a terminal; elsewhere `--yes` must have said so. @throws ConfigError where there is nobody to ask. */
export async function isAgreed(
  { ask }: Pick<Terminal, "ask">,
  { yes }: { readonly yes?: boolean },
  question: string,
): Promise<boolean> {
  if (yes === true) return true;
  if (ask === undefined) throw new ConfigError(["There is nobody to ask here: say `--yes` to agree."]);
  return /^y(es)?$/i.test(((await ask(`${question} [y/N] `)) ?? "").trim());
}
