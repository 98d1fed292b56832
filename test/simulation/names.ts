/**
 * Labels and milestones of one repository, whatever people call them: each keeps the name that it had first, and a new one under
 * that name counts as the same.
 */
export interface Names {
  /** The first name of what is called so now. */
  firstOf(name: string): string;
  /** What that is called now which had this name first; undefined where it is gone. */
  nowOf(first: string): string | undefined;
  rename(from: string, to: string): void;
  /** A new one under a name that another one had. */
  add(name: string): void;
  remove(name: string): void;
  /** Whether a new one was made under this name: which of the two a rule means, once that is renamed as well, nobody can know. */
  isMadeAnew(first: string): boolean;
  /** First names of what is gone. */
  readonly gone: ReadonlySet<string>;
  /** Whether anybody has done anything of this. */
  readonly isTouched: boolean;
  /** The program is shown a list of them; and whether a run that was shown it has ended well. */
  show(): void;
  endRun(isWhole: boolean): void;
  forget(): void;
  readonly isShown: boolean;
}

export function createNames(known: readonly string[]): Names {
  /** First names by the names of today, in lower case. */
  const firsts = new Map(known.map((name) => [name.toLowerCase(), name]));
  const gone = new Set<string>();
  const anew = new Set<string>();
  let isTouched = false;
  let isShown = false;
  let isShownInRun = false;
  const firstOf = (name: string): string => firsts.get(name.toLowerCase()) ?? name;
  const nowOf = (first: string): string | undefined => [...firsts].find(([, its]) => its === first)?.[0];
  const originals = new Map(known.map((name) => [name.toLowerCase(), name]));
  return {
    firstOf,
    nowOf: (first) => {
      const now = nowOf(first);
      return now === undefined ? undefined : (originals.get(now) ?? now);
    },
    rename(from, to) {
      isTouched = true;
      const first = firstOf(from);
      firsts.delete(from.toLowerCase());
      firsts.set(to.toLowerCase(), first);
      originals.set(to.toLowerCase(), to);
    },
    add(name) {
      isTouched = true;
      firsts.set(name.toLowerCase(), name);
      anew.add(name);
      gone.delete(name);
    },
    remove(name) {
      isTouched = true;
      const first = firstOf(name);
      firsts.delete(name.toLowerCase());
      if (nowOf(first) === undefined) gone.add(first);
    },
    gone,
    isMadeAnew: (first) => anew.has(first),
    get isTouched() {
      return isTouched;
    },
    show() {
      isShownInRun = true;
    },
    endRun(isWhole) {
      isShown ||= isShownInRun && isWhole;
      isShownInRun = false;
    },
    forget() {
      isShown = false;
    },
    get isShown() {
      return isShown;
    },
  };
}
