/** The same thing with some parts of its own. What it tells anew each time, it goes on telling so: a spread keeps one answer. */
export function withParts<Whole extends object>(whole: Whole, parts: Partial<Whole>): Whole {
  return Object.assign(Object.create(whole) as Whole, parts);
}
