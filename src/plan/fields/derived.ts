/**
 * What follows from a part of the settings alone, worked out once for it and not for every post. Settings never change: other
 * ones are other objects.
 */
export function derivedOnce<Part extends object, Found>(
  derive: (part: Part) => Found,
): (part: Part) => Found {
  const known = new WeakMap<Part, { readonly found: Found }>();
  return (part) => {
    let entry = known.get(part);
    if (entry === undefined) {
      entry = { found: derive(part) };
      known.set(part, entry);
    }
    return entry.found;
  };
}
