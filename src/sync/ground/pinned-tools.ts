import type {
  BoardTools,
  ToolArguments,
  ToolDirectory,
  ToolOutcome,
  ToolPurpose,
} from "../../board/tools.ts";
import { RemoteError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Clock, ReadBounds } from "../../model/surroundings.ts";

/** Which tool the config names for each purpose, and the schema that a person has said yes to. */
export type NamedTools = {
  readonly [purpose in ToolPurpose]?:
    | { readonly name: string; readonly args: ToolArguments; readonly schema?: string }
    | undefined;
};

/** How long a call waits for the description of its tool, ms. */
const describeMs = 60_000;

/**
 * Tools that are only called while the schema of their arguments is the one that a person has agreed to: `schema` of the config, or
 * else the one that was seen first. Another one may mean another thing by the same arguments.
 */
export function pinTools(
  tools: BoardTools & ToolDirectory,
  named: NamedTools,
  { ledger, clock }: { readonly ledger: Pick<Ledger, "memory" | "commit">; readonly clock: Clock },
): BoardTools {
  /** The print by which the tool may be called; as `changed` a sentence where it may not. */
  const check = async (
    purpose: ToolPurpose,
    bounds: ReadBounds,
  ): Promise<{ readonly print?: string; readonly changed?: string }> => {
    const tool = named[purpose];
    const found = (await tools.describe(bounds)).find(({ name }) => name === tool?.name);
    // That there is no such tool is said by whoever calls it.
    if (tool === undefined || found === undefined) return {};
    const { name, print } = found;
    const known = tool.schema ?? ledger.memory.tool(name)?.print;
    if (known === undefined) await ledger.commit([{ kind: "remember-tool", tool: { name, print } }]);
    return known === undefined || known === print ? { print } : { changed: sayChanged(purpose, name, print) };
  };
  return {
    purposes: tools.purposes,
    async list(purpose, args, bounds) {
      const { print, changed } = await check(purpose, bounds);
      if (changed !== undefined) throw new RemoteError("board", "refused", changed, { detail: "told" });
      return tools.list(purpose, { ...named[purpose]?.args, ...args }, bounds, print);
    },
    async call(purpose, args) {
      const bounds = { until: clock.now() + describeMs, signal: new AbortController().signal };
      try {
        const { print, changed } = await check(purpose, bounds);
        if (changed !== undefined) return { kind: "rejected", message: changed };
        return await tools.call(purpose, args, print);
      } catch (error) {
        if (error instanceof RemoteError) return outcomeOf(error);
        throw error;
      }
    },
    get requests() {
      return tools.requests;
    },
  };
}

/** @param print - of the schema that the tool has now. */
export function sayChanged(purpose: ToolPurpose, name: string, print: string): string {
  return `The schema of the tool \`${name}\` has changed since it was agreed to, so it is not called. Look at its arguments (\`boardsync check\`), then set board.mcp.tools.${purpose}.schema to ${print}.`;
}

/** Nothing was called. */
function outcomeOf({ fault, message, retryAt, detail }: RemoteError): ToolOutcome {
  if (fault === "limited") return { kind: "limited", message, retryAt };
  return fault === "unauthorized" ? { kind: fault, message, detail } : { kind: "unsent", message, fault };
}
