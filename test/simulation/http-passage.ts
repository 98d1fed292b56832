import type { PostId } from "../../src/model/post.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import type { Gate } from "../support/sandbox/github/gate.ts";
import type { Flaw } from "./board.ts";
import type { Surroundings } from "./sides.ts";

/** How the board's pages follow one another. */
export type BoardPaging = "offset" | "page" | "cursor" | "link";

/** How GitHub behaves where its documents are silent, and how the board does. The seed's choice, for a whole history. */
export interface Manners {
  readonly paging: BoardPaging;
  /** Whether `since` includes its own second. */
  readonly isSinceInclusive: boolean;
  /** Whether the pages of a list of issues are numbered; else a cursor names their place. */
  readonly hasPageNumbers: boolean;
  /** Whether the board's pages have an entity tag. */
  readonly hasTags: boolean;
}

/** What both servers know of one process. */
export interface Passage {
  readonly surroundings: Surroundings;
  readonly manners: Manners;
  /** Of the call that is under way. */
  bounds: ReadBounds;
  /** What is wrong with the list of posts that is being read. */
  flaw: Flaw;
  /** The posts that it has shown so far. */
  shown: PostId[];
  /** The front of the sandbox's GitHub. */
  readonly gate: Gate;
}
