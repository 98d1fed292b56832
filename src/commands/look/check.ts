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
import { exitOf, inSession, type Session } from "../open/session.ts";
import { closing, placeOfState, readState } from "../open/state.ts";
import { joinFailures } from "../print/failure.ts";
import { type Called, exitCodes } from "../print/terminal.ts";
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
    const mcp = sides.tools && {
      directory: sides.tools,
      named: config.board.mcp?.tools ?? {},
      agreed: await readAgreed(session),
      place,
    };
    const bounds = { until: machine.clock.now() + config.budget, signal: terminal.signal };
    const { findings: looked, categories } = session.clean(
      await checkAll(
        projects,
        { ...sides, mcp, clock: machine.clock, known: await readNames(session) },
        bounds,
        suggest,
      ),
    );
    const isOver = looked.some(isUnreached) || terminal.signal.aborted;
    const { ahead, names, failed, example } = isOver
      ? { ahead: [], names: [], failed: [], example: undefined }
      : session.clean(await lookAhead(session, looked, written !== undefined));
    const findings = [...looked, ...names, ...failed, ...findAhead(ahead), ...(await findStops(session))];
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

/** What the file does not tell of whether something is written: what people have paused, and what a daemon has not read yet. */
async function findStops(session: Session): Promise<readonly Finding[]> {
  const found = await readOf(session, async (ledger) => {
    const { config } = session;
    const others = await findOtherConfigs(config, ledger);
    const paused = await inOrder(config.projects, async ({ project: key }) => {
      const [pause] = await ledger.rows.wholePauses(ledger.memory.project(key)?.id);
      return pause === undefined ? [] : [{ key, ...pause }];
    });
    return { others, paused: paused.flat() };
  });
  if (found === undefined) return [];
  return [
    ...found.others.map((other): Finding => {
      const message = describeOtherConfig(other);
      return { level: "warning", subject: "daemon", code: "daemon.config", message };
    }),
    ...found.paused.map(({ key, of, since }): Finding => {
      const until = of === "all" ? "--all" : key;
      const message = `It is paused since ${new Date(since).toISOString()}: nothing is written until \`boardsync resume ${until}\`.`;
      return { level: "warning", subject: key, code: "run.paused", message };
    }),
  ];
}

/** What the names of the config mean to the runs. */
function readNames(session: Session): Promise<KnownNames | undefined> {
  return readOf(session, async ({ memory, signals }) => {
    const projects = new Map(session.projects.map(({ key }) => [key, memory.project(key)?.id]));
    const pins = new Map<string, readonly Pin[]>();
    for (const [key, id] of projects) if (id !== undefined) pins.set(key, await signals.pins(id));
    const names = session.projects.flatMap(({ settings }) => repositoryNames(settings));
    const repositories = new Map(
      names.map((name) => {
        const { server, repository } = memory.repository(name) ?? {};
        const isHere = server === undefined || server === session.config.tracker.url;
        return [name, isHere ? repository?.id : undefined];
      }),
    );
    return {
      project: (key) => projects.get(key),
      repository: (name) => repositories.get(name),
      pins: (key) => pins.get(key) ?? [],
    };
  });
}

/** The schemas that tools had when they were first used. */
async function readAgreed(session: Session): Promise<(tool: string) => string | undefined> {
  const read = await readOf(session, async ({ memory }) => {
    const names = Object.values(session.config.board.mcp?.tools ?? {}).flatMap((tool) => tool?.name ?? []);
    return new Map(names.map((name) => [name, memory.tool(name)?.print]));
  });
  return (name) => read?.get(name);
}

/** What the state tells; undefined where there is none that can be read. */
async function readOf<T>(
  { terminal, config }: Session,
  read: (ledger: Ledger) => Promise<T>,
): Promise<T | undefined> {
  try {
    const ledger = await readState(placeOfState(terminal, config));
    return ledger && (await closing(ledger, read));
  } catch (error) {
    // What is wrong with the state has been found and said.
    if (error instanceof StateError) return undefined;
    throw error;
  }
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
