import { suggest } from "../../config/suggest.ts";
import { checkAll } from "../../story/check/check.ts";
import type { Finding } from "../../story/check/findings.ts";
import { exitOf, inSession, type Session } from "../open/session.ts";
import { joinFailures } from "../print/failure.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { count, oneLine, paint, printLine, type TextStyle } from "../print/text.ts";
import { findAhead, lookAhead } from "./check-ahead.ts";

const signs: Readonly<Record<Finding["level"], readonly [sign: string, look: TextStyle]>> = {
  ok: ["✓ ", "green"],
  warning: ["! ", "yellow"],
  error: ["✗ ", "red"],
};

/**
 * `boardsync check`: every promise of the config, looked at in one pass.
 *
 * @param written - what `init` has written before, for the one document of JSON.
 */
export async function check(
  terminal: Terminal,
  options: CommonOptions,
  written: object = {},
): Promise<number> {
  return inSession(terminal, options, async (session) => {
    const { config, machine, sides, projects } = session;
    const bounds = { until: machine.clock.now() + config.budget, signal: terminal.signal };
    const { findings: looked, categories } = session.clean(
      await checkAll(projects, { ...sides, clock: machine.clock }, bounds, suggest),
    );
    const unreached = looked.filter(isUnreached);
    const isOver = unreached.length > 0 || terminal.signal.aborted;
    const { ahead, names } = isOver
      ? { ahead: [], names: [] }
      : session.clean(await lookAhead(session, looked));
    const findings = [...looked, ...names, ...findAhead(ahead)];
    const hasErrors = findings.some(({ level }) => level === "error");
    if (options.json === true) {
      const error = unreached.map(({ code = "", message }) => ({ code, message }));
      const result = hasErrors ? "failed" : "ok";
      printJson(session.terminal.out, {
        ...written,
        result,
        findings,
        ahead,
        categories,
        ...(error.length > 0 && { error: joinFailures(error) }),
      });
    } else {
      printFindings(session.terminal, options, findings);
    }
    if (unreached.length > 0) return exitOf(terminal, exitCodes.unreachable);
    return exitOf(terminal, hasErrors ? exitCodes.partial : exitCodes.ok);
  });
}

/** A side that could not be reached, or refused our key. */
function isUnreached({ level, code = "" }: Finding): boolean {
  return level === "error" && /\.(?:unauthorized|unreachable)$/.test(code);
}

function printFindings(
  { out, times }: Session["terminal"],
  options: CommonOptions,
  findings: readonly Finding[],
): void {
  for (const { level, subject, code, message } of findings) {
    if (options.quiet === true && level === "ok") continue;
    const [sign, look] = signs[level];
    printLine(
      out,
      paint(out, look, sign),
      oneLine(`${subject}: ${times().tell(message)}${code ? ` [${code}]` : ""}`),
    );
  }
  if (options.quiet === true) return;
  for (const advice of new Set(findings.map((finding) => finding.advice))) {
    if (advice !== undefined) printLine(out, "→ ", advice);
  }
  printLine(out, "", summaryOf(findings));
}

function summaryOf(findings: readonly Finding[]): string {
  const errors = findings.filter(({ level }) => level === "error").length;
  const warnings = findings.filter(({ level }) => level === "warning").length;
  const toKnow = warnings === 0 ? "" : `, ${count(warnings, "thing")} to know (!)`;
  if (errors > 0)
    return `${count(errors, "thing")} to mend (✗)${toKnow}. Nothing was written. Mend them, then check again.`;
  return `All is well${toKnow}. Nothing was written. Next: \`boardsync plan\`.`;
}
