/** `filter`, where the answer has to be waited for: one after the other, in their order. */
export async function select<T>(items: Iterable<T>, isWanted: (item: T) => Promise<boolean>): Promise<T[]> {
  const wanted: T[] = [];
  for (const item of items) if (await isWanted(item)) wanted.push(item);
  return wanted;
}

/** Parts of a list, `size` at a time; the last may be shorter. */
export function* chunks<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** 0 of none. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** `map`, where each answer has to be waited for before the next is asked for. */
export async function inOrder<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const item of items) answers.push(await work(item));
  return answers;
}

/** Works through a list, `width` at a time. After an error no further part is begun, and what is under way is waited for. */
export async function inParallel<T>(
  parts: readonly T[],
  width: number,
  work: (part: T) => Promise<void>,
): Promise<void> {
  const queue = parts.values();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const part of queue) {
      if (errors.length > 0) return;
      await work(part).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (errors.length > 0) throw errors[0];
}
