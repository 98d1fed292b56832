/**
 * Posts by their numbers, which run from 1 without large gaps: a bit, or eight bytes, for each number there is. A Map or Set
 * of 100,000 posts takes ten times as much, and a daemon keeps one for good.
 */

/** A set of posts. */
export interface PostSet {
  add(post: number): void;
  delete(post: number): void;
  has(post: number): boolean;
  readonly size: number;
}

/** A time of each post, epoch milliseconds. */
export interface PostTimes {
  set(post: number, at: number): void;
  get(post: number): number | undefined;
  delete(post: number): void;
  clear(): void;
}

/** An empty set. */
export function createPostSet(): PostSet {
  let bits = new Uint8Array(0);
  let size = 0;
  const has = (post: number): boolean => ((bits[post >> 3] ?? 0) & (1 << (post & 7))) !== 0;
  return {
    add(post) {
      if (has(post)) return;
      const place = post >> 3;
      if (place >= bits.length) bits = grow(bits, new Uint8Array(lengthFor(place)));
      bits[place] = (bits[place] ?? 0) | (1 << (post & 7));
      size += 1;
    },
    delete(post) {
      if (!has(post)) return;
      bits[post >> 3] = (bits[post >> 3] ?? 0) & ~(1 << (post & 7));
      size -= 1;
    },
    has,
    get size() {
      return size;
    },
  };
}

/** No times. */
export function createPostTimes(): PostTimes {
  // NaN stands for no time.
  let times = new Float64Array(0);
  return {
    set(post, at) {
      if (post >= times.length) times = grow(times, new Float64Array(lengthFor(post)).fill(Number.NaN));
      times[post] = at;
    },
    get(post) {
      const at = times[post];
      return at === undefined || Number.isNaN(at) ? undefined : at;
    },
    delete(post) {
      if (post < times.length) times[post] = Number.NaN;
    },
    clear() {
      times = new Float64Array(0);
    },
  };
}

/** Half as much again as is needed, so that growing stays rare. */
function lengthFor(place: number): number {
  return Math.ceil((place + 1) * 1.5) + 64;
}

function grow<Numbers extends Uint8Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
