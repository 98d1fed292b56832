import { quoteForShell } from "../../sync/ground/remedy.ts";

/** What a person can try while both sides are up. */
export interface Trial {
  /** What the program is called here. */
  readonly command: string;
  /** How many posts the board has. */
  readonly posts: number;
  /** What has to be exported first. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address that opens the status page. */
  readonly page: string;
}

/**
 * What `demo --serve` prints. What is indented is for the browser, where it is an address, or for a shell, line by line and in
 * this order; the rest are sentences. No comments: not every shell takes one that is typed.
 */
export function explainTrial({ command, posts, environment, page }: Trial): string {
  const exports = Object.entries(environment).map(
    ([name, value]) => `  export ${name}=${quoteForShell(value)}`,
  );
  return `A board with ${posts} posts and a GitHub are up, with a status page that takes orders:

  ${page}

In another terminal, in this folder:

${exports.join("\n")}

See what would be done, and do it:

  ${command} check
  ${command} plan
  ${command} sync
  ${command} status

A customer edits post p2, and its issue follows:

  curl -fsS -o /dev/null -X PATCH -H "Authorization: Bearer $BOARD_API_KEY" \\
    -H "Content-Type: application/json" -d '{"title":"Export to CSV and Excel"}' \\
    "$BOARD/feedback/p2?project=acme-app"
  ${command} sync

A developer closes issue #1, and its post follows:

  curl -fsS -o /dev/null -X PATCH -H "Authorization: Bearer $GITHUB_TOKEN" \\
    -d '{"state":"closed","state_reason":"completed"}' $GITHUB/repos/acme/app/issues/1
  ${command} sync

Why a post is as it is, and what was written on either side:

  ${command} explain p1
  ${command} history

Take back what the last run has written:

  ${command} undo 3 --yes

Ctrl-C ends it.
`;
}
