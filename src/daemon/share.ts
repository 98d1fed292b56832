/**
 * Whoever asks while an answer is being made gets that one. What anybody may ask for takes one turn of the state at a time, so it
 * can't keep out those who work with that.
 */
export function share<Answer>(make: () => Promise<Answer>): () => Promise<Answer> {
  let making: Promise<Answer> | undefined;
  return () => {
    making ??= make().finally(() => {
      making = undefined;
    });
    return making;
  };
}
