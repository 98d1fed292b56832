import type { BoardTools, ToolArguments, ToolOutcome } from "../../src/board/tools.ts";
import { openStage, type Stage, type StageOptions, standardProject } from "./stage.ts";

/** What becomes of a call. `wrong answer`: the answer names a post that was there before; `other title`: one that nobody has seen, `other id`: the one that was made, by an id that no list shows. */
export type CallFault =
  | "answer lost"
  | "lost"
  | "unsent"
  | "limited"
  | "rejected"
  | "unauthorized"
  | "no id"
  | "wrong answer"
  | "other id"
  | "other title";

/** A stage whose board has a tool that makes posts. */
export interface ImportStage extends Stage {
  /** What the tool was called with, oldest first. */
  readonly calls: ToolArguments[];
  /** What happens to the next calls, in this order. */
  readonly faults: CallFault[];
  /** The board's tools; for whoever bends the world once more. */
  readonly port: BoardTools;
  /** Done right before a call is answered. */
  beforeAnswer: (() => void | Promise<void>) | undefined;
}

/** The standard project, which makes posts of issues with the label `idea`. */
export const importing = {
  ...standardProject,
  import: { labels: ["idea"], category: "billing" },
};

const args = {
  title: "{{ issue.title }}",
  description: "{{ issue.body }}",
  category: "{{ issue.category }}",
};

/** Of the config. */
export const tools = { feedbackCreate: { name: "create_feedback", args } };

/** Opens it. Whoever is called `maintainer` or `octocat` may write to the repository. */
export async function openImports(options: StageOptions = {}): Promise<ImportStage> {
  const stage = await openStage({
    repositories: [
      {
        name: "acme/app",
        private: true,
        labels: ["feedback", "in progress", "idea"],
        collaborators: ["maintainer", "octocat"],
      },
    ],
    projects: [importing],
    ...options,
    config: { board: { mcp: { tools } }, ...options.config },
  });
  const calls: ToolArguments[] = [];
  const faults: CallFault[] = [];
  const own: ImportStage = Object.assign(Object.create(stage), {
    ...{
      calls,
      faults,
      beforeAnswer: undefined,
    },
  });
  const port: BoardTools = {
    purposes: new Set(["feedbackCreate"]),
    requests: 0,
    list: () => Promise.reject(new Error("The board lists nothing by tools.")),
    call: (_, given) => answer(own, given),
  };
  stage.bend((world) => ({ ...world, tools: port }));
  return Object.assign(own, { port });
}

async function answer(stage: ImportStage, given: ToolArguments): Promise<ToolOutcome> {
  const fault = stage.faults.shift();
  if (fault === "unsent") return { kind: "unsent", message: "The tools can't be reached." };
  if (fault === "limited") return { kind: "limited", retryAt: undefined, message: "Too many calls." };
  if (fault === "unauthorized") return { kind: "unauthorized", message: "Permission denied." };
  if (fault === "rejected") return { kind: "rejected", message: "The title is too long." };
  stage.calls.push(given);
  await stage.beforeAnswer?.();
  if (fault === "lost") return { kind: "unknown", message: "The answer broke off." };
  const before = stage.board.posts("acme-app")[0]?.id;
  const { title, description } = given;
  const texts = { title: String(title), description: String(description) };
  const id = stage.board.addPost("acme-app", { ...texts, status: "planned", votes: 1 });
  if (fault === "answer lost") return { kind: "unknown", message: "The answer broke off." };
  if (fault === "no id") return { kind: "applied", record: undefined };
  if (fault === "other title") return { kind: "applied", record: { id: "p9", title: "Another" } };
  if (fault === "other id") return { kind: "applied", record: { id: `feedback_${id}` } };
  return { kind: "applied", record: { id: fault === "wrong answer" && before !== undefined ? before : id } };
}
