import { rmSync } from "node:fs";
import { type Story, startStory } from "../../demo/story.ts";
import { type CommandCall, type CommonOptions, exitCodes, exitOf, type Terminal } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";
import { tellStory } from "./chapters.ts";
import { createStoryClock, makeStoryFolder, openStage } from "./stage.ts";

/** Wider lines are hard to read, however wide the terminal is. */
const maxColumns = 100;
/** How long a step stands before the next one, where nobody presses a key. */
const pauseMs = 1000;

/** What `demo` takes beside the common options. */
export interface DemoOptions extends CommonOptions {
  readonly serve?: boolean;
  readonly port?: number;
}

/** `boardsync demo`: a board and a GitHub on loopback, and a few days of a small company. No account, no trace. */
export async function demo({ terminal, options }: CommandCall<DemoOptions>): Promise<number> {
  if (options.serve !== true) return play(terminal, options);
  return (await import("./serve.ts")).serveDemo(terminal, options);
}

async function play(terminal: Terminal, options: DemoOptions): Promise<number> {
  const { out, signal } = terminal;
  const isSilent = options.json === true || options.quiet === true;
  const clock = createStoryClock();
  const folder = makeStoryFolder();
  const keys = isSilent || !out.isTerminal ? undefined : terminal.takeKeys?.();
  let story: Story | undefined;
  try {
    story = await startStory({ now: clock.now, port: undefined });
    const told = await tellStory({
      stage: openStage(terminal, options, { story, clock, folder }),
      out: {
        ...out,
        // It is told to people, whatever it is written to: its lines are broken.
        isTerminal: true,
        columns: () => Math.min(maxColumns, out.columns()),
        write: (text) => (isSilent ? undefined : out.write(text)),
      },
      signal,
      pause: keys && (() => keys.next(pauseMs)),
    });
    if (options.json === true) printJson(out, told);
    return exitOf(terminal, told.differences.length === 0 ? exitCodes.ok : exitCodes.partial);
  } finally {
    keys?.release();
    await story?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
