import { z } from "zod";
import { RemoteError } from "../../../errors.ts";
import type { RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { positiveInteger, readShape } from "../wire/shapes.ts";
import { firstOpenedQuery } from "./queries.ts";
import type { Query } from "./querying.ts";

/** An App's account is called `name[bot]` everywhere but here. */
const answerShape = z.object({
  issues: z.object({
    nodes: z.array(
      z.object({ number: positiveInteger, author: z.object({ login: z.string() }).nullable() }).nullable(),
    ),
  }),
});

/** The port's `firstOpened`. */
export async function readFirstOpened(
  query: Query,
  repository: RepositoryName,
  author: string,
  bounds: ReadBounds,
): Promise<readonly number[]> {
  const subject = `the first issues of ${repository}`;
  const { data, errors } = await query({ ...firstOpenedQuery(repository, author), subject }, bounds);
  if (errors[0] !== undefined) {
    throw new RemoteError("tracker", "refused", `GitHub could not show ${subject}: ${errors[0].message}`);
  }
  const { issues } = readShape(answerShape, data?.["repository"], "repository");
  const fold = (login: string): string => login.toLowerCase().replace(/\[bot\]$/, "");
  // A server that knows no such filter may show everybody's.
  return issues.nodes.flatMap((node) =>
    node?.author != null && fold(node.author.login) === fold(author) ? [node.number] : [],
  );
}
