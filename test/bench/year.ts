import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openShared } from "../ledger/postgres/open.ts";
import { type LongTime, openLongTime } from "../support/long-time.ts";
import { startPostgres } from "../support/postgres.ts";

const usage =
  "node test/bench/year.ts [--days N] [--every MINUTES] [--posts N] [--keep D] [--idle | --busy] [--postgres]\n" +
  "Plays runs of a year on a clock of its own, over the real ledger, and prints how the state grows: a file, or\n" +
  "tables of a server of its own.\n";

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "365" },
    every: { type: "string", default: "5" },
    posts: { type: "string", default: "200" },
    keep: { type: "string", default: "180d" },
    idle: { type: "boolean", default: false },
    busy: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const dayMs = 86_400_000;
/** On a busy day people write so many posts, and close or reopen so many issues. */
const busyDay = { posts: 2, toggles: 20 };

if (values.help) process.stdout.write(usage);
else {
  const server = values.postgres ? await startPostgres() : undefined;
  if (!values.busy) await play("Nothing happens", false, await server?.freshDatabase());
  if (!values.idle) {
    const { posts, toggles } = busyDay;
    const title = `${posts} posts and ${toggles} closed or reopened issues a day`;
    await play(title, true, await server?.freshDatabase());
  }
  await server?.end();
}

async function play(title: string, isBusy: boolean, url: string | undefined): Promise<void> {
  const shared = url === undefined ? undefined : await openShared(url);
  const held = await shared?.take(["app"]);
  const ledger = held?.kind === "held" ? held.ledger : undefined;
  const time = openLongTime({
    posts: { app: Number(values.posts) },
    config: { keep: values.keep },
    ...(ledger && { bend: () => ledger }),
  });
  const everyMs = Number(values.every) * 60_000;
  const begin = time.clock.now();
  process.stdout.write(
    `\n${title}; a run every ${values.every} minutes, ${values.posts} posts, keep ${values.keep}\n`,
  );
  printRow([
    "day",
    "runs",
    "links",
    "file kB",
    "used kB",
    "journal kB",
    "used a link",
    "written a run",
    "CPU ms a run",
  ]);
  let runs = 0;
  let since = readMeter();
  for (let day = 1; day <= Number(values.days); day += 1) {
    let acts = 0;
    const end = begin + day * dayMs;
    for (; time.clock.now() < end; runs += 1) {
      const next = begin + (Math.floor((time.clock.now() - begin) / everyMs) + 1) * everyMs;
      const due = busyDay.toggles * (1 - (end - next) / dayMs);
      if (isBusy) for (; acts < due; acts += 1) act(time, day, acts);
      await time.run();
      time.clock.skip(Math.max(0, next - time.clock.now()));
    }
    if (day % 30 === 0 || day === Number(values.days))
      since = await printMonth(ledger ?? time.ledger, day, runs, since);
  }
  time.close();
  shared?.close();
}

/** Every issue has its turn, so that nothing is quarantined. */
function act(time: LongTime, day: number, index: number): void {
  const links = time.opened.length;
  if (links > 0) time.toggle(((day * busyDay.toggles + index) % links) + 1);
  if (index < busyDay.posts) time.addPost("app");
}

/** What the process has used so far. */
interface Meter {
  readonly runs: number;
  readonly written: number;
  readonly cpuMs: number;
}

function readMeter(runs = 0): Meter {
  const { user, system } = process.cpuUsage();
  // Linux tells what was given to write calls, whether it went to a disk or to tmpfs.
  const io = existsSync("/proc/self/io") ? readFileSync("/proc/self/io", "utf8") : "";
  return { runs, written: Number(/^wchar: (\d+)$/m.exec(io)?.[1] ?? 0), cpuMs: (user + system) / 1000 };
}

async function printMonth(ledger: Ledger, day: number, runs: number, since: Meter): Promise<Meter> {
  const meter = readMeter(runs);
  const { bytes, freeBytes, journalBytes, links } = await ledger.upkeep.size();
  const part = meter.runs - since.runs;
  const used = bytes - freeBytes;
  printRow([
    day,
    runs,
    links,
    Math.round(bytes / 1000),
    Math.round(used / 1000),
    Math.round(journalBytes / 1000),
    Math.round(used / Math.max(1, links)),
    Math.round((meter.written - since.written) / part),
    ((meter.cpuMs - since.cpuMs) / part).toFixed(1),
  ]);
  return meter;
}

function printRow(cells: readonly (string | number)[]): void {
  process.stdout.write(`| ${cells.map(String).join(" | ")} |\n`);
}
