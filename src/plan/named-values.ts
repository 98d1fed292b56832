import { foldStatus } from "./ground/fields.ts";
import type { Settings } from "./ground/settings.ts";
import { groupsOf, selectGroup } from "./select-conditions.ts";

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

/** Every value of the board that the config names, in the order of the config. */
export function namedValues(
  settings: Pick<Settings, "select" | "route" | "issue" | "rules" | "boardRules">,
): readonly NamedValue[] {
  const { select, route, issue, rules, boardRules } = settings;
  const sought = (field: NamedField, where: string, value: string | undefined): readonly NamedValue[] =>
    value === undefined ? [] : [{ field, where, value, isSought: true }];
  const written = (field: NamedField, where: string, value: unknown): readonly NamedValue[] =>
    typeof value === "string" ? [{ field, where, value, isSought: false }] : [];
  return [
    ...groupsOf(selectGroup(select)).flatMap(({ name, given: { statuses = [], categories = [] } }) => [
      ...statuses.flatMap((status) => sought("status", `${name}.statuses`, status)),
      ...categories.flatMap((category) => sought("categoryId", `${name}.categories`, category)),
    ]),
    ...route.flatMap(({ status, category }, index) => [
      ...sought("status", `route[${index}].status`, status),
      ...sought("categoryId", `route[${index}].category`, category),
    ]),
    ...Object.keys(issue.categoryLabels).flatMap((category) =>
      sought("categoryId", "issue.categoryLabels", category),
    ),
    ...rules.flatMap(({ set }, index) => [
      ...written("status", `rules[${index}].set.status`, set.status),
      ...written("categoryId", `rules[${index}].set.categoryId`, set.categoryId),
    ]),
    ...boardRules.flatMap(({ when }, index) => [
      ...sought("status", `boardRules[${index}].when.status`, when.status),
      ...sought("categoryId", `boardRules[${index}].when.category`, when.category),
    ]),
  ];
}

/** Of the values that posts are looked through for those that no post shows: such a setting selects nothing. */
export function unshownValues(
  settings: Parameters<typeof namedValues>[0],
  shown: Readonly<Record<NamedField, readonly string[]>>,
): readonly NamedValue[] {
  const statuses = new Set(shown.status.map(foldStatus));
  const categories = new Set(shown.categoryId);
  return namedValues(settings).filter(
    ({ field, value, isSought }) =>
      isSought && !(field === "status" ? statuses.has(foldStatus(value)) : categories.has(value)),
  );
}
