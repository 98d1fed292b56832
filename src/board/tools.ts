import type { FaultDetail } from "../errors.ts";
import type { ToolRecord } from "../model/post.ts";
import type { ReadBounds } from "../model/surroundings.ts";

/** What a tool is called for. Reads may be repeated; of the others each call is one write. */
export type ToolReading = "categories" | "changelogList";
export type ToolWriting = "changelogCreate" | "changelogUpdate" | "changelogPublish" | "feedbackCreate";
export type ToolPurpose = ToolReading | ToolWriting;

/** Arguments of a call: JSON, as the config's `args` with their templates filled in. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/**
 * The board's own tools, as far as the config names them (`board.mcp.tools`): what its REST API leaves unspecified. Nothing is
 * asked of the server, not even what it is, before the first call.
 */
export interface BoardTools {
  /** The purposes for which the config names a tool. */
  readonly purposes: ReadonlySet<ToolPurpose>;
  /**
   * All records that the tool lists, pages followed.
   *
   * @param print - of the schema that was looked at: with another one it is not called.
   * @throws RemoteError, also where the tool's schema is not the pinned one.
   */
  list(purpose: ToolReading, args: ToolArguments, bounds: ReadBounds, print?: string): Promise<ToolList>;
  /** Calls the tool once; never throws. @param print - see `list`. */
  call(purpose: ToolWriting, args: ToolArguments, print?: string): Promise<ToolOutcome>;
  /** Requests sent so far, for counting. */
  readonly requests: number;
}

export interface ToolList {
  readonly records: readonly ToolRecord[];
  /** Whether absence means something: false where the answer says, or looks as if, there is more than could be read. */
  readonly isComplete: boolean;
}

/** What became of a call, in the words of `PatchOutcome` (board.ts). Only `unknown` may have done something without our knowing. */
export type ToolOutcome =
  | { readonly kind: "applied"; readonly record: ToolRecord | undefined }
  | { readonly kind: "rejected"; readonly message: string } // isError, or invalid params, or the schema changed (nothing was called)
  | { readonly kind: "unauthorized"; readonly message: string; readonly detail?: FaultDetail | undefined }
  | { readonly kind: "limited"; readonly retryAt: number | undefined; readonly message: string }
  | { readonly kind: "unsent"; readonly message: string; readonly fault?: string } // the second half of its code, where it is not `unreachable`
  | { readonly kind: "unknown"; readonly message: string; readonly retryAt?: number };

/** What a server says of one of its tools; every text is foreign. */
export interface ToolDescription {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of its arguments. */
  readonly schema: unknown;
  /** Stands for the schema: another one where anything of it is different. */
  readonly print: string;
}

/** Tools of the board, those included that the config does not name. */
export interface ToolDirectory {
  /** Asks which tools there are; calls none. @throws RemoteError */
  describe(bounds: ReadBounds): Promise<readonly ToolDescription[]>;
}
