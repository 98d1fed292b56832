import type { Ledger } from "../../ledger/ledger.ts";
import type { Pin } from "../../model/issue.ts";
import { isRenamed, pinNouns } from "../../plan/rules/pins.ts";
import type { Finding } from "./findings.ts";

/** What the state knows of names in the rules of projects: who reads the repository alone can't tell a new name from a missing one. */
export async function findNames(ledger: Ledger, keys: readonly string[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const key of keys) {
    const id = ledger.memory.project(key)?.id;
    const pins = id === undefined ? [] : await ledger.signals.pins(id);
    for (const pin of pins) {
      const repo = ledger.memory.repositoryById(pin.repositoryId)?.repository.name ?? "";
      const finding = describePin(repo, pin);
      if (finding !== undefined) findings.push({ ...finding, subject: key, code: `tracker.${pin.kind}` });
    }
  }
  return findings;
}

function describePin(repo: string, pin: Pin): Pick<Finding, "level" | "message"> | undefined {
  const { kind, name, now } = pin;
  const noun = pinNouns[kind];
  if (now === undefined) {
    const message = `The ${noun} "${name}" of ${repo} was deleted: posts whose decision hangs on it stay as they are. Make a ${noun} of that name, or take it out of the rules.`;
    return { level: "error", message };
  }
  if (!isRenamed(pin)) return undefined;
  const message = `${repo} calls the ${noun} "${name}" "${now}" now. The rules go on to match it for as long as this state remembers the old name: write the new one into the rules.`;
  return { level: "warning", message };
}
