import { foldStatus } from "./ground/fields.ts";
import type { SelectConditions, Settings } from "./ground/settings.ts";

/** Fields of a post whose values are the board's own words, and which the config names. */
export type NamedField = "status" | "categoryId";

/** A value of the board that the config names. */
export interface NamedValue {
  readonly field: NamedField;
  readonly value: string;
  /** As the config calls the place: `select.categories`, `boardRules[0].when.status`. */
  readonly where: string;
  /** Whether posts are looked through for it; else it is only written, and may be new. */
  readonly isSought: boolean;
}

type Naming = Pick<Settings, "select" | "route" | "issue" | "rules" | "boardRules">;

/** Every value of the board that the config names, in the order of the config. */
export function namedValues(settings: Naming): readonly NamedValue[] {
  const found: NamedValue[] = [];
  replaceNamed(settings, (named) => {
    found.push(named);
    return named.value;
  });
  return found;
}

/** Settings, or a part of them, with another value in the place of each that they name. */
export function replaceNamed<T extends Partial<Naming>>(
  settings: T,
  replace: (named: NamedValue) => string,
): T {
  const inside = <Part extends object>(
    part: Part,
    place: string,
    fields: Readonly<Record<string, NamedField>>,
    isSought = true,
  ): Part => {
    const replaced = Object.entries(fields).flatMap(([key, field]) => {
      const given: unknown = part[key as keyof Part];
      const one = (value: string) => replace({ field, where: `${place}.${key}`, value, isSought });
      if (typeof given === "string") return [[key, one(given)]];
      return Array.isArray(given) ? [[key, given.map(one)]] : [];
    });
    return { ...part, ...Object.fromEntries(replaced) };
  };
  const select = (group: SelectConditions, name: string): SelectConditions => ({
    ...inside(group, name, { statuses: "status", categories: "categoryId" }),
    ...(group.any && { any: group.any.map((one, index) => select(one, `${name}.any[${index}]`)) }),
    ...(group.not && { not: select(group.not, `${name}.not`) }),
  });
  const { route, issue, rules, boardRules } = settings;
  const category = (id: string): string =>
    replace({ field: "categoryId", where: "issue.categoryLabels", value: id, isSought: true });
  const labels = Object.entries(issue?.categoryLabels ?? {});
  const ofPost = { status: "status", category: "categoryId" } as const;
  const ofRule = { status: "status", categoryId: "categoryId" } as const;
  return {
    ...settings,
    ...(settings.select && { select: select(settings.select, "select") }),
    ...(route && { route: route.map((one, index) => inside(one, `route[${index}]`, ofPost)) }),
    ...(issue && {
      issue: {
        ...issue,
        categoryLabels: Object.fromEntries(labels.map(([id, label]) => [category(id), label])),
      },
    }),
    ...(rules && {
      rules: rules.map(({ when, set }, index) => ({
        when,
        set: inside(set, `rules[${index}].set`, ofRule, false),
      })),
    }),
    ...(boardRules && {
      boardRules: boardRules.map(({ when, set }, index) => ({
        when: inside(when, `boardRules[${index}].when`, ofPost),
        set,
      })),
    }),
  };
}

/** Of the values that posts are looked through for those that no post shows: such a setting selects nothing. */
export function unshownValues(
  settings: Naming,
  shown: Readonly<Record<NamedField, readonly string[]>>,
): readonly NamedValue[] {
  const statuses = new Set(shown.status.map(foldStatus));
  const categories = new Set(shown.categoryId);
  return namedValues(settings).filter(
    ({ field, value, isSought }) =>
      isSought && !(field === "status" ? statuses.has(foldStatus(value)) : categories.has(value)),
  );
}
