import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = "/usr/bin/script";
/** A command that is not done by then never will be. */
const patienceMs = 120_000;

/** What a person types once a question is shown. */
export interface Reply {
  readonly asked: string;
  readonly typed: string;
}

/** What a command has shown on the terminal, and its exit code. */
export interface Shown {
  readonly code: number | null;
  readonly text: string;
}

/** A process beside the terminal, such as the daemon. */
export interface Beside {
  /** Waits for the first match in what it has written since `from`, a length of that. */
  find(wanted: RegExp, from?: number): Promise<RegExpExecArray>;
  /** How much it has written so far. */
  written(): number;
  /** Asks it to end, as an init system does. */
  stop(): Promise<number | null>;
}

/** A folder of a person's own, with `boardsync` on the path, and a record of all that happens in it. */
export interface Desk {
  readonly folder: string;
  /** Where pictures go, and the transcript. */
  readonly record: string;
  /** Writes a line of the person's own into the transcript. */
  note(text: string): void;
  /** Runs a command on a terminal; each reply is typed when its question is there, never before. */
  type(command: string, replies?: readonly Reply[]): Promise<Shown>;
  /** Starts a command without a terminal. */
  start(command: string): Beside;
}

/** Builds the program as a clone has it after `npm ci`, in a place that the test leaves behind as it was. */
export async function openDesk(): Promise<Desk> {
  if (!existsSync(script)) {
    throw new Error(
      "`npm run test:browser` needs `script` at /usr/bin/script: `apt-get update && apt-get install -y bsdutils` installs it.",
    );
  }
  const place = mkdtempSync(join(tmpdir(), "boardsync-first-hour-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const bin = await build(join(place, "clone"));
  const folder = join(place, "desk");
  mkdirSync(folder);
  const record = process.env["BOARDSYNC_PICTURES"] ?? mkdtempSync(join(tmpdir(), "boardsync-record-"));
  mkdirSync(record, { recursive: true });
  const transcript = join(record, "first-hour.txt");
  writeFileSync(transcript, "");
  process.stdout.write(`Transcript of the first hour: ${transcript}\n`);
  const note = (text: string): void => appendFileSync(transcript, `${text}\n`);
  const path = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  // Nothing of the machine's own settings: a person's first hour has none.
  const env = { PATH: path, HOME: folder, TERM: "xterm", SHELL: "/bin/sh", NO_COLOR: "1" };
  return {
    folder,
    record,
    note,
    async type(command, replies = []) {
      note(`\n$ ${command}`);
      const child = spawn(script, ["-qfec", `stty cols 160; ${command}`, "/dev/null"], { cwd: folder, env });
      const ended = endOf(child);
      let [text, seen, next] = ["", 0, 0];
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const reply = replies[next];
        const at = reply === undefined ? -1 : text.indexOf(reply.asked, seen);
        if (reply === undefined || at < 0) return;
        [seen, next] = [at + reply.asked.length, next + 1];
        child.stdin.write(`${reply.typed}\r`);
      });
      const code = await ended;
      const plain = stripVTControlCharacters(text).replaceAll("\r\n", "\n");
      note(`${plain}[exit ${code}]`);
      return { code, text: plain };
    },
    start(command) {
      note(`\n$ ${command} &`);
      const [file = "", ...args] = command.split(" ");
      return follow(spawn(join(bin, file), args, { cwd: folder, env }), note);
    },
  };
}

/** @returns the folder of the command `boardsync`. */
async function build(clone: string): Promise<string> {
  const bin = join(clone, "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(join(root, "package.json"), join(clone, "package.json"));
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  const compiler = spawn(
    process.execPath,
    [join(root, "node_modules/.bin/tsc"), "-p", "src", "--outDir", join(clone, "dist")],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
  );
  const code = await endOf(compiler);
  if (code !== 0) throw new Error(`The program could not be built: tsc ended with ${code}.`);
  chmodSync(join(clone, "dist/main.js"), 0o755);
  symlinkSync("../dist/main.js", join(bin, "boardsync"));
  return bin;
}

/** The process does not outlive the test, nor keep it waiting for ever. */
function endOf(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  onTestFinished(async () => {
    clearTimeout(timer);
    child.kill("SIGKILL");
    await ended;
  });
  return ended;
}

function follow(child: ChildProcess, note: (text: string) => void): Beside {
  const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let text = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      note(chunk.trimEnd());
      for (const listener of listeners) listener();
    });
  }
  return {
    find: (wanted, from = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = wanted.exec(text.slice(from));
          if (found !== null) settle(() => resolve(found));
        };
        const settle = (done: () => void): void => {
          clearTimeout(timer);
          listeners.delete(look);
          done();
        };
        const fail = (why: string) => () => reject(new Error(`${why} without ${wanted}:\n${text}`));
        const timer = setTimeout(() => settle(fail("Waited in vain")), patienceMs);
        void ended.then(() => settle(fail("It ended")));
        listeners.add(look);
        look();
      }),
    written: () => text.length,
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
