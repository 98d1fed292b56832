import { ProjectError, RemoteError } from "../../errors.ts";
import type { Pin, RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { ProjectId } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { TemplateError } from "../../plan/text/template.ts";
import { adviceOn } from "../../sync/ground/remedy.ts";
import type { World } from "../../sync/ground/world.ts";

/** One line of `check`. */
export interface Finding {
  readonly level: "ok" | "warning" | "error";
  /** `board`, `tracker`, `state`, or the project's name. */
  readonly subject: string;
  /** Set where something is wrong; for example `board.unauthorized`. */
  readonly code: string | undefined;
  readonly message: string;
  /** What a person may do about it; left out where the message says it. */
  readonly advice?: string;
}

/** ` — did you mean …?` where one of the words is near to what was written; else nothing. */
export type Suggest = (word: string, words: readonly string[]) => string;

/** What names of the config mean, as far as a run has found that out. */
export interface KnownNames {
  project(key: string): ProjectId | undefined;
  repository(name: RepositoryName): RepositoryId | undefined;
  /** Of labels, milestones and types in the rules of a project. */
  pins(key: string): readonly Pin[];
}

/** What `check` looks at. */
export interface Looked extends Pick<World, "board" | "tracker"> {
  readonly known?: KnownNames | undefined;
}

/** What every look of `check` is given. */
export interface Checking extends Looked {
  readonly bounds: ReadBounds;
  readonly suggest: Suggest;
  /** Adds a line. */
  say(level: Finding["level"], message: string, code?: string, detail?: RemoteError["detail"]): void;
  /** Runs one look; a failure is a finding, and the rest goes on. */
  look<T>(work: (checking: Checking) => Promise<T>): Promise<T | undefined>;
  /** The same for another subject. */
  of(subject: string): Checking;
}

/** Looks whose lines go to `findings`. */
export function startChecking(
  findings: Finding[],
  subject: string,
  world: Looked,
  bounds: ReadBounds,
  suggest: Suggest,
): Checking {
  const checking: Checking = {
    ...world,
    bounds,
    suggest,
    say(level, message, found, detail) {
      const code = level === "ok" ? undefined : found;
      const advice = code === undefined ? undefined : adviceOn({ code, detail });
      findings.push({ level, subject, code, message, ...(advice !== undefined && { advice }) });
    },
    async look(work) {
      try {
        return await work(checking);
      } catch (error) {
        const { say } = checking;
        if (error instanceof TemplateError)
          say("error", `A template fails: ${error.message}.`, "config.template");
        else if (error instanceof RemoteError) say("error", error.message, error.code, error.detail);
        else if (error instanceof ProjectError) say("error", error.message, error.code);
        else throw error;
        return undefined;
      }
    },
    of: (other) => startChecking(findings, other, world, bounds, suggest),
  };
  return checking;
}
