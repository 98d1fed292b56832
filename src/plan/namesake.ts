import type { Namesake, Post } from "../model/post.ts";
import { dayMs, readInstant } from "../model/time.ts";

/** What two posts of one id, in two projects of the board, are told apart by. */
export interface TwoPlaces
  extends Pick<Namesake, "here" | "listedSince" | "there" | "isGone" | "pulledAt" | "isUnderWay"> {
  /** When the run became due, epoch ms: a list from then on is as new as the one that shows the post here. */
  readonly dueAt: number;
  /** Whether further lists of the other project will come. */
  readonly isSynced: boolean;
}

/**
 * Whether a post with an issue has moved here from another project of the board. Some boards count their posts project by
 * project, so an id alone tells nothing.
 *
 * `moved`: it is the same post. `other`: there are two. `unsure`: a person has to say it. `later`: a list will.
 */
export function judgeNamesake(places: TwoPlaces): "moved" | "other" | "unsure" | "later" {
  const { isGone, pulledAt, listedSince, dueAt, isUnderWay, isSynced } = places;
  if (isGone && (pulledAt !== undefined || !isSynced)) {
    if (isUnderWay && isSynced) return "later";
    return isAlike(places) && !isUnderWay ? "moved" : "unsure";
  }
  // A list of the other place that is from later tells nothing by itself: the post may have been back there meanwhile.
  const isListedStill = pulledAt !== undefined && pulledAt > listedSince;
  const isOfThisRun = pulledAt !== undefined && pulledAt >= dueAt;
  if ((isListedStill && isOther(places)) || (isOfThisRun && hasOtherTime(places))) return "other";
  if (isSynced) return "later";
  return isOther(places) ? "other" : "unsure";
}

/** Whether two posts of one id are surely two: made at two times, or, where no times are shown, of two titles. */
export function isOther(places: Pick<TwoPlaces, "here" | "there">): boolean {
  const { here, there } = places;
  return timesOf(places).length === 2 ? hasOtherTime(places) : here.title !== there?.title;
}

/** Whether an id means another post than before: the titles differ, and they were made more than a day apart, which no zone of time explains. */
export function isReplaced(before: Post["values"], now: Post["values"]): boolean {
  const apart = Math.abs(readInstant(now.createdAt) - readInstant(before.createdAt));
  return apart > dayMs && before.title !== now.title;
}

/** Whether an id may mean another post than before: titles differ, and so do times of creation, where both are shown. */
export function isDoubtful(before: Post["values"], now: Post["values"]): boolean {
  const places = { here: now, there: before };
  if (before.title === undefined || now.title === undefined) return false;
  return before.title !== now.title && (timesOf(places).length < 2 || hasOtherTime(places));
}

/** People may give a few posts new titles at once. */
const fewest = 3;

/**
 * Whether a list is rather that of another board which counts its posts as this one does, as words. People change a title now and
 * then, but hardly those of most posts at once.
 *
 * @param doubtful - how many posts with issues it shows of which that is doubtful.
 * @param same - and how many others with issues.
 */
export function isOtherBoard(doubtful: number, same: number): string | undefined {
  if (doubtful < fewest || doubtful <= same) return undefined;
  return `the board shows other titles for ${doubtful} of ${doubtful + same} posts that have issues, as another board would: correct \`board.url\`; if these are the same posts, \`boardsync approve\` takes the board as it is`;
}

function hasOtherTime(places: Pick<TwoPlaces, "here" | "there">): boolean {
  const [time, other] = timesOf(places);
  return other !== undefined && time !== other;
}

function timesOf({ here, there }: Pick<TwoPlaces, "here" | "there">): readonly string[] {
  return [here.createdAt, there?.createdAt].filter((time) => typeof time === "string");
}

/** A title alone is nobody's own, and a board that shows no time of creation leaves it to a person. */
export function isAlike({ here, there }: Pick<TwoPlaces, "here" | "there">): boolean {
  const time = here.createdAt;
  return (
    there !== undefined &&
    time !== undefined &&
    time !== null &&
    time === there.createdAt &&
    here.title === there.title
  );
}
