/** What a person may do next about an error, by its code; undefined where the message says it all. */
export function adviceOn(code: string): string | undefined {
  return advice[code];
}

const unreachable = (setting: string): string =>
  `Is ${setting} right, and does this machine reach it? HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are honoured. Nothing is lost: the next run tries again.`;

const advice: Readonly<Record<string, string>> = {
  "board.unauthorized":
    "Put a valid key into BOARD_API_KEY (the board's Settings → API). Nothing is lost: the next run goes on.",
  "tracker.unauthorized":
    "Put a valid token into GITHUB_TOKEN, with Issues: read and write on the repositories. Nothing is lost: the next run goes on.",
  "board.unreachable": unreachable("board.url"),
  "tracker.unreachable": unreachable("tracker.url"),
  "board.unreadable":
    "Say in board.list, board.paging and board.fields where things are; config/README.md has them.",
  "state.held":
    "Only one process may write. `boardsync status` and `boardsync plan` work beside it; for a run of your own, wait for it or stop it.",
};
