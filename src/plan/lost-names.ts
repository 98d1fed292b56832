import type { Pin, RepositoryId } from "../model/issue.ts";
import type { LinkedIssue, Row } from "../model/link.ts";
import { awaitTarget } from "./board-rules/echo.ts";
import type { RuleSettings } from "./ground/settings.ts";
import { deriveTarget } from "./rules/rules.ts";

/**
 * The bases of a row after something that its rules name was deleted on the tracker. Whoever deletes a label takes it off every
 * issue at once, and that is no change of these issues. So where the decision hangs on such a name, the first target that can
 * be evaluated afterwards becomes the base, and is not written.
 *
 * @param pins all of the project's, with `now` undefined where a name has just lost what it meant.
 */
export function awaitLost(row: Row, pins: readonly Pin[], settings: RuleSettings): Row["base"] {
  // The first plan of a pair takes the issues as they are then.
  if (Object.keys(row.base).length === 0) return {};
  const of = (id: RepositoryId) => pins.filter(({ repositoryId }) => repositoryId === id);
  const lost = row.links.map(
    (linked): LinkedIssue => ({
      ...linked,
      pins: of(linked.link.issue.repositoryId),
      ...(linked.canonical && {
        canonical: { ...linked.canonical, pins: of(linked.canonical.issue.repositoryId) },
      }),
    }),
  );
  const unknown = [...deriveTarget(lost, settings)].filter(([, { kind }]) => kind === "unknown");
  return Object.fromEntries(unknown.map(([field]) => [field, awaitTarget(row.base[field])]));
}
