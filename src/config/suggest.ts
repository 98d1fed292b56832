import { quote } from "./paths.ts";

/** ` — did you mean …?` where one of the words is near enough to be what was meant; else nothing. */
export function suggest(word: string, words: readonly string[]): string {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let nearest: string | undefined;
  let least = limit + 1;
  for (const candidate of words) {
    const distance = measure(word.toLowerCase().slice(0, 100), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest === undefined ? "" : ` — did you mean ${quote(nearest)}?`;
}

/**
 * The number of letters to insert, remove, replace or swap with their neighbour to get from one word to the other
 * (optimal string alignment). See https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance.
 */
function measure(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
