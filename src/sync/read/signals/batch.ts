import { RemoteError } from "../../../errors.ts";
import type { SignalledIssue } from "../../../ledger/pulls.ts";
import { isPutOff } from "../../ground/report.ts";

/** The tracker answers for this many issues in one request. */
export const issuesPerRequest = 100;

/** Issues that are asked for together. */
export interface SignalBatch {
  /** Asks as soon as there are as many as a request takes. */
  add(issue: SignalledIssue): Promise<void>;
  /** Takes one along that is not ours, where the last request has room for it. */
  fill(issue: SignalledIssue): void;
  hasRoom(): boolean;
  /** Asks for the rest. */
  end(): Promise<void>;
}

export function createPart(work: (issues: readonly SignalledIssue[]) => Promise<void>): SignalBatch {
  let own: SignalledIssue[] = [];
  const others: SignalledIssue[] = [];
  return {
    async add(issue) {
      if (own.push(issue) < issuesPerRequest) return;
      const full = own;
      own = [];
      await work(full);
    },
    fill(issue) {
      const isIn = [...own, ...others].some((one) => one.issue.nodeId === issue.issue.nodeId);
      if (!isIn) others.push(issue);
    },
    hasRoom: () => own.length > 0 && own.length + others.length < issuesPerRequest,
    async end() {
      if (own.length === 0) return;
      try {
        await work([...own, ...others]);
      } catch (error) {
        if (others.length === 0 || !(error instanceof RemoteError) || isPutOff(error)) throw error;
        // What goes wrong with issues of other projects must not keep this one from its own.
        await work(own);
      }
    },
  };
}
