import type { BoardTools, ToolArguments, ToolOutcome, ToolPurpose } from "../../src/board/tools.ts";
import type { ToolRecord } from "../../src/model/post.ts";

/** What a tool does with its next call, beside what it is called for. */
export type ToolFault =
  | "answer lost"
  | "lost"
  | "unsent"
  | "limited"
  | "unauthorized"
  | "rejected"
  | "publishes at once"
  /** It is done, and the answer shows the oldest entry. */
  | "another entry";

/** A record as the tools keep it. */
export interface ToolEntry {
  readonly id: string;
  title: string;
  text: string;
  isPublished: boolean;
}

/** The board's own tools in memory: drafts of a changelog, and posts. */
export interface FakeTools extends BoardTools {
  readonly entries: ToolEntry[];
  /** Every call that arrived, oldest first. */
  readonly calls: { readonly purpose: ToolPurpose; readonly args: ToolArguments }[];
  /** What happens to the next calls, in this order. */
  readonly faults: ToolFault[];
  /** Whether a list is all that there is. */
  isListComplete: boolean;
  /** Done right before a call is answered. */
  beforeAnswer: (() => void | Promise<void>) | undefined;
}

const all: readonly ToolPurpose[] = [
  "categories",
  "changelogList",
  "changelogCreate",
  "changelogUpdate",
  "changelogPublish",
  "feedbackCreate",
];

const refusals: Readonly<Record<string, ToolOutcome>> = {
  unsent: { kind: "unsent", message: "The tools can't be reached." },
  limited: { kind: "limited", retryAt: undefined, message: "Too many calls." },
  unauthorized: { kind: "unauthorized", message: "The tools refuse the key.", detail: "forbidden" },
  rejected: { kind: "rejected", message: "The title is too long." },
};

/** Tools for these purposes; what they are called with is in `title`, `text`, `id` and `publish`. */
export function createFakeTools(purposes: readonly ToolPurpose[] = all): FakeTools {
  let requests = 0;
  const tools: FakeTools = {
    entries: [],
    calls: [],
    faults: [],
    isListComplete: true,
    beforeAnswer: undefined,
    purposes: new Set(purposes),
    get requests() {
      return requests;
    },
    async list() {
      requests += 1;
      return { records: tools.entries.map(shown), isComplete: tools.isListComplete };
    },
    async call(purpose, args) {
      requests += 1;
      const fault = tools.faults.shift();
      const refused = refusals[fault ?? ""];
      if (refused !== undefined) return refused;
      tools.calls.push({ purpose, args });
      await tools.beforeAnswer?.();
      const record = fault === "lost" ? undefined : act(tools, purpose, args, fault);
      if (fault === "lost" || fault === "answer lost")
        return { kind: "unknown", message: "The answer broke off." };
      const [other] = tools.entries;
      return { kind: "applied", record: fault === "another entry" && other ? shown(other) : record };
    },
  };
  return tools;
}

function act(
  { entries }: FakeTools,
  purpose: ToolPurpose,
  { title = "", text = "", id }: ToolArguments,
  fault: ToolFault | undefined,
): ToolRecord | undefined {
  const known = entries.find((one) => one.id === id);
  if (purpose === "changelogUpdate" && known) Object.assign(known, { title, text });
  if (purpose === "changelogPublish" && known) known.isPublished = true;
  if (known !== undefined) return shown(known);
  const entry = {
    id: `e${entries.length + 1}`,
    title: String(title),
    text: String(text),
    isPublished: fault === "publishes at once",
  };
  entries.push(entry);
  return shown(entry);
}

function shown(entry: ToolEntry): ToolRecord {
  return { ...entry, url: `https://board.example/changelog/${entry.id}` };
}
