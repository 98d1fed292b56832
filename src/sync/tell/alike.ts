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
