/**
 * Whoever asks while an answer is being made gets that one. What anybody may ask for takes one turn of the state at a time, so it
 * can't keep out those who work with that.
 */
export function share<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let making: Promise<Value> | undefined;
  return () => {
    making ??= make().finally(() => {
      making = undefined;
    });
    return making;
  };
}
