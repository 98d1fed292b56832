import type { Config } from "../../config/schema.ts";
import { suggest } from "../../config/suggest.ts";
import { StateError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Pin } from "../../model/issue.ts";
import { inOrder } from "../../select.ts";
import { checkAll } from "../../story/check/check.ts";
import type { Finding, KnownNames } from "../../story/check/findings.ts";
import { repositoryNames } from "../../sync/ground/world.ts";
import { count } from "../../sync/tell/words.ts";
import { describeOtherConfig, findOtherConfigs } from "../open/other-config.ts";
import { inSession, type Session } from "../open/session.ts";
import { closing, placeOfState, readState } from "../open/state.ts";
import { joinFailures } from "../print/failure.ts";
import { type Called, exitCodes, exitOf } from "../print/terminal.ts";
import { oneLine, paint, printJson, printLine, type TextStyle } from "../print/text.ts";
import { type DraftedAction, printDraft } from "../reports/plan.ts";
import { findAhead, lookAhead } from "./check-ahead.ts";

const signs: Readonly<Record<Finding["level"], readonly [sign: string, look: TextStyle]>> = {
  ok: ["✓ ", "green"],
  warning: ["! ", "yellow"],
  error: ["✗ ", "red"],
};

/**
 * `boardsync check`: every promise of the config, looked at in one pass.
 *
 * @param written - what `init` has written before, for the one document of JSON; an issue is shown as it will be, too.
 */
export async function check(called: Called, written?: object): Promise<number> {
  return inSession(called, async (session) => {
    const { terminal, options, config, machine, sides, projects, place } = session;
    const known = await readKnown(session);
    const mcp = sides.tools && {
      directory: sides.tools,
      named: config.board.mcp?.tools ?? {},
      agreed: (tool: string) => known?.agreed.get(tool),
      place,
    };
    const bounds = { until: machine.clock.now() + config.budget, signal: terminal.signal };
    const { findings: looked, categories } = session.clean(
      await checkAll(projects, { ...sides, mcp, clock: machine.clock, known: known?.names }, bounds, suggest),
    );
    const isOver = looked.some(isUnreached) || terminal.signal.aborted;
    const { ahead, names, failed, example } = isOver
      ? { ahead: [], names: [], failed: [], example: undefined }
      : session.clean(await lookAhead(session, looked, written !== undefined));
    const findings = [...looked, ...names, ...failed, ...findAhead(ahead), ...(known?.stops ?? [])];
    const unreached = [...looked, ...failed].filter(isUnreached);
    const hasErrors = findings.some(({ level }) => level === "error");
    if (options.json === true) {
      const error = unreached.map(({ code = "", message }) => ({ code, message }));
      const result = hasErrors ? "failed" : "ok";
      printJson(terminal.out, {
        ...written,
        result,
        findings,
        ahead,
        categories,
        ...(error.length > 0 && { error: joinFailures(error) }),
      });
    } else {
      printFindings(session, findings, example);
    }
    if (unreached.length > 0) return exitOf(terminal, exitCodes.unreachable);
    return exitOf(terminal, hasErrors ? exitCodes.partial : exitCodes.ok);
  });
}

/** What the state tells, read at once; nothing where there is none that can be read. */
async function readKnown(session: Session) {
  const { terminal, config } = session;
  try {
    const opened = await readState(placeOfState(terminal, config));
    if (opened === undefined) return undefined;
    return await closing(opened, async (ledger) => {
      const tools = Object.values(config.board.mcp?.tools ?? {}).flatMap((tool) => tool?.name ?? []);
      return {
        names: await readNames(session, ledger),
        /** The schemas that tools had when they were first used. */
        agreed: new Map(tools.map((name) => [name, ledger.memory.tool(name)?.print])),
        stops: await findStops(config, ledger),
      };
    });
  } catch (error) {
    // What is wrong with the state is found and said by the look ahead.
    if (error instanceof StateError) return undefined;
    throw error;
  }
}

/** What the file does not tell of whether something is written: what people have paused, and what a daemon has not read yet. */
async function findStops(config: Config, ledger: Ledger): Promise<readonly Finding[]> {
  const others = (await findOtherConfigs(config, ledger)).map((other): Finding => {
    const message = describeOtherConfig(other);
    return { level: "warning", subject: "daemon", code: "daemon.config", message };
  });
  const paused = await inOrder(config.projects, async ({ project }): Promise<readonly Finding[]> => {
    const [pause] = await ledger.rows.wholePauses(ledger.memory.project(project)?.id);
    if (pause === undefined) return [];
    const until = pause.of === "all" ? "--all" : project;
    const message = `It is paused since ${new Date(pause.since).toISOString()}: nothing is written until \`boardsync resume ${until}\`.`;
    return [{ level: "warning", subject: project, code: "run.paused", message }];
  });
  return [...others, ...paused.flat()];
}

/** What the names of the config mean to the runs. */
async function readNames({ projects, config }: Session, { memory, signals }: Ledger): Promise<KnownNames> {
  const ids = new Map(projects.map(({ key }) => [key, memory.project(key)?.id]));
  const pins = new Map<string, readonly Pin[]>();
  for (const [key, id] of ids) if (id !== undefined) pins.set(key, await signals.pins(id));
  const names = projects.flatMap(({ settings }) => repositoryNames(settings));
  const repositories = new Map(
    names.map((name) => {
      const { server, repository } = memory.repository(name) ?? {};
      const isHere = server === undefined || server === config.tracker.url;
      return [name, isHere ? repository?.id : undefined];
    }),
  );
  return {
    project: (key) => ids.get(key),
    repository: (name) => repositories.get(name),
    pins: (key) => pins.get(key) ?? [],
  };
}

/** A side, or the state, that could not be reached, or refused our key. */
function isUnreached({ level, code = "" }: Finding): boolean {
  return level === "error" && /\.(?:unauthorized|unreachable)$/.test(code);
}

function printFindings(
  { terminal: { out, times }, options }: Session,
  findings: readonly Finding[],
  example: DraftedAction | undefined,
): void {
  for (const { level, subject, code, message } of findings) {
    if (options.quiet === true && level === "ok") continue;
    const [sign, look] = signs[level];
    const said = `${subject}: ${times().tell(message)}${code ? ` [${code}]` : ""}`;
    printLine(out, paint(out, look, sign), oneLine(said));
  }
  if (options.quiet === true) return;
  for (const advice of new Set(findings.map((finding) => finding.advice))) {
    if (advice !== undefined) printLine(out, "→ ", advice);
  }
  if (example !== undefined) {
    printLine(out, "", "\nOne of the issues, as it will be (`boardsync plan --show POST` shows another):");
    printDraft(out, times(), example);
    out.write("\n");
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
