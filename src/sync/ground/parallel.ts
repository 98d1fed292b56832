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
