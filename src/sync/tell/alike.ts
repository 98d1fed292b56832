/** More than this that is alike is told as one group. */
export const mostAlike = 20;
/** So many of a group are named as examples. */
export const examplesOfGroup = 3;

/** Things that are told in one line. */
export interface Group<Thing> {
  readonly first: Thing;
  readonly all: readonly Thing[];
}

/** Tells apart what is alike: up to `mostAlike` of a kind stand by themselves, more are one group, where the first of them stood. */
export function groupAlike<Thing>(
  things: readonly Thing[],
  kindOf: (thing: Thing) => string,
  isFull = false,
): readonly Group<Thing>[] {
  const kinds = Map.groupBy(things, kindOf);
  const told = new Set<string>();
  return things.flatMap((first): readonly Group<Thing>[] => {
    const kind = kindOf(first);
    const all = kinds.get(kind) ?? [];
    if (isFull || all.length <= mostAlike) return [{ first, all: [first] }];
    if (told.has(kind)) return [];
    told.add(kind);
    return [{ first, all }];
  });
}

/** The names of a group: all of one, and of more the first few with how many there are. */
export function nameGroup<Thing>({ all }: Group<Thing>, nameOf: (thing: Thing) => string): string {
  const names = all.slice(0, examplesOfGroup).map(nameOf);
  const more = all.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more.toLocaleString("en")} more` : names.join(", ");
}

/** Voters who would hear of several writes. */
export interface Voters {
  readonly known: number;
  /** Writes whose voters the board does not show. */
  readonly unknown: number;
}

export function countVoters(notifies: readonly (number | null)[]): Voters {
  return {
    known: notifies.reduce((sum: number, one) => sum + (one ?? 0), 0),
    unknown: notifies.filter((one) => one === null).length,
  };
}

/** "202", "at least 202", "?" */
export function showVoters({ known, unknown }: Voters): string {
  if (unknown === 0) return known.toLocaleString("en");
  return known === 0 ? "?" : `at least ${known.toLocaleString("en")}`;
}
