/** A part of the port as SQLite carries it out: at once. */
export type Plain<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...asked: infer Asked) => Promise<infer Found>
    ? (...asked: Asked) => Found
    : Part[Name];
};

/** How a method is carried out. */
type Via = (work: () => unknown) => unknown;

/** The part as the port has it: a method is carried out at once, and whatever it throws rejects its promise. */
export function promise<Part extends object>(plain: Plain<Part>, via: Via = (work) => work()): Part {
  const methods = Object.entries(plain).map(([name, method]) => [
    name,
    typeof method === "function" ? async (...asked: unknown[]) => via(() => method(...asked)) : method,
  ]);
  return Object.fromEntries(methods);
}

/** Several parts, by their names. */
export function promised<Parts extends { readonly [Name in keyof Parts]: object }>(
  plain: {
    readonly [Name in keyof Parts]: Plain<Parts[Name]>;
  },
  via?: Via,
): Parts {
  const parts = Object.entries<Plain<object>>(plain).map(([name, part]) => [name, promise(part, via)]);
  return Object.fromEntries(parts);
}
