import { escapeControls } from "../log.ts";
import { checkAll, type Finding } from "../sync/check.ts";
import { printJson } from "./output.ts";
import { exitOf, inSession } from "./session.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

const signs: Readonly<Record<Finding["level"], string>> = { ok: "✓", warning: "!", error: "✗" };

/** `boardsync check`: every promise of the config, looked at in one pass. */
export async function check(terminal: Terminal, options: CommonOptions): Promise<number> {
  return inSession(terminal, options, async (session) => {
    const { config, machine, sides, projects } = session;
    const bounds = { until: machine.clock.now() + config.budget, signal: terminal.signal };
    const findings = await checkAll(projects, sides, bounds);
    const code = exitOfFindings(findings);
    if (options.json === true) {
      const result = code === exitCodes.ok ? "ok" : "failed";
      printJson(session.terminal.out, { result, findings });
    } else {
      for (const { level, subject, message } of findings) {
        if (options.quiet === true && level === "ok") continue;
        session.terminal.out.write(`${signs[level]} ${escapeControls(`${subject}: ${message}`)}\n`);
      }
      if (options.quiet !== true) session.terminal.out.write(`${summaryOf(findings)}\n`);
    }
    return exitOf(terminal, code);
  });
}

/** 3 when a side could not be reached or refused our key, 1 for any other thing that is wrong. */
function exitOfFindings(findings: readonly Finding[]): number {
  const errors = findings.filter(({ level }) => level === "error");
  const isUnreached = errors.some(
    ({ code }) => code?.endsWith(".unauthorized") || code?.endsWith(".unreachable"),
  );
  if (isUnreached) return exitCodes.unreachable;
  return errors.length === 0 ? exitCodes.ok : exitCodes.partial;
}

function summaryOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ level }) => level === "error").length;
  const warnings = findings.filter(({ level }) => level === "warning").length;
  if (errors > 0) return `${errors} to mend, ${warnings} to know. Nothing was written.`;
  return `All is well, ${warnings} to know. Next: \`boardsync plan\`. Nothing was written.`;
}
