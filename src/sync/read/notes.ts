import type { PostPage } from "../../board/board.ts";
import type { PostId } from "../../model/post.ts";
import type { Cycle, DueNote, PulledPage } from "../ground/cycle-state.ts";
import { takesAsItIs } from "../ground/order.ts";

/** Notes are private and may be long: no more than these of one pull stand in memory. The rest waits for the next pull. */
const most = { notes: 10_000, characters: 8 * 1024 * 1024 };

/** Picks the notes out of a pull that `backlink` has to change. */
export interface NoteCollector {
  take(shown: PostPage, page: PulledPage): Promise<void>;
  /** None where no record of the pull has shown its note: what a board does not show is not written. */
  readonly found: readonly DueNote[];
}

/** undefined where no note has to be read. */
export async function collectNotes({
  world,
  memory,
  settings,
  run,
}: Cycle): Promise<NoteCollector | undefined> {
  const { backlinks } = world.ledger;
  const isWanted = settings.backlink && settings.writes === "all" && !takesAsItIs(run);
  if (!isWanted || !(await backlinks.areDue(memory.id))) return undefined;
  const notes = new Map<PostId, DueNote>();
  let characters = 0;
  let isSeen = false;
  return {
    async take({ posts, notes: shown = new Map() }, page) {
      if (shown.size > 0) isSeen = true;
      const ids = posts.flatMap(({ id, values }) => (values.isArchived === true ? [] : [id]));
      for (const { post, line } of await backlinks.due(memory.id, ids)) {
        const text = shown.has(post) ? shown.get(post) : "";
        // What can't be read is not written over; a later pull may show it as text.
        if (text === null || text === undefined) continue;
        if (notes.size >= most.notes || characters + text.length > most.characters) return;
        characters += text.length;
        notes.set(post, { post, text, line, page });
      }
    },
    get found() {
      return isSeen ? [...notes.values()] : [];
    },
  };
}
