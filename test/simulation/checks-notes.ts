import type { PostId } from "../../src/model/post.ts";
import type { Check, Violate } from "./watcher.ts";

/** What people write into internal notes begins so; it must not get anywhere else. */
export const secret = "Between us:";

const ourLine = /^Tracked in \S+#\d+(?:, \S+#\d+)*$/;

/** Our line of a note; null where it has none. */
export function lineOf(note: string | null): string | null {
  return linesOf(note ?? "").find((line) => ourLine.test(line)) ?? null;
}

/** What people have written stays to the letter, and gets nowhere else; a line that they take away stays away until it is to be another. */
export function checkNotes(violate: Violate): Check {
  const known = new Map<PostId, string | null>();
  return {
    noteIsWritten({ post, note, shown, isAnswered, isLate }) {
      if (restOf(note) !== restOf(shown)) {
        violate("I8", `the note of ${post} loses what people wrote: ${JSON.stringify({ shown, note })}`);
      }
      const line = lineOf(note);
      // What arrives late may be of a former life.
      if (line !== null && !isLate && known.get(post) === line) {
        violate("I2", `the note of ${post} gets the line "${line}" again, which people took away`);
      }
      if (isAnswered) known.set(post, line);
      else known.delete(post);
    },
    // A post that is linked again gets its line again.
    personOrders(order) {
      if (order.kind === "unlink") known.delete(order.post);
    },
    // What an answer said may never have been recorded.
    processEnds: () => known.clear(),
    stateIsLost: () => known.clear(),
    issueWriteLeaves({ write, repository }) {
      if (JSON.stringify(write).includes(secret)) {
        violate("I4", `an internal note gets into ${write.kind} for ${repository.name}`);
      }
    },
  };
}

function linesOf(note: string): readonly string[] {
  return note.split("\n").map((line) => line.replace(/\r$/, ""));
}

/** Line ends before our line may be ours, too. */
function restOf(note: string): string {
  return note
    .split("\n")
    .filter((line) => !ourLine.test(line.replace(/\r$/, "")))
    .join("\n")
    .replace(/[\r\n]+$/, "");
}
