import { paint } from "../print/text.ts";
import { chapters } from "./chapters.ts";
import { createTeller, type Telling, type ToldStory } from "./teller.ts";

/** Tells the story, step by step. Every number in it is counted on the two sides, none is written down. */
export async function tellStory(telling: Telling): Promise<ToldStory> {
  const { out, signal, pause } = telling;
  const { teller, told, isOver } = createTeller(telling);
  for (const [index, { title, tell }] of chapters.entries()) {
    if (index > 0) await pause?.();
    if (signal.aborted || isOver()) break;
    out.write(`${index > 0 ? "\n" : ""}${paint(out, "bold", title)}\n`);
    try {
      await tell(teller);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return told;
}
