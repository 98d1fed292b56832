/**
 * The tables of a state, in the SQL that both engines know, and in an order in which each refers only to those above it. A file
 * `dialect.ts` beside each engine turns `ID` into a number that the engine gives, `INTEGER` and `TEXT` into its types, and
 * `TABLE END` into what else it wants to be told of a table, and writes the triggers.
 *
 * Posts and projects have numbers of our own, so that every other table is narrow. What an idle run touches (`posts`) is
 * kept apart from what is wide (`post_facts`). Times are epoch milliseconds, flags 0 or 1.
 */
const first = `
  -- What the state says of itself: version is the program that made this schema, copied_at is there in a copy.
  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) TABLE END;

  -- until: the side wants no request before; kept when it has passed. at: when that was learnt. budget: whose limit, as the
  -- tracker names it; '' where there is only one.
  CREATE TABLE limits (
    side TEXT NOT NULL CHECK (side IN ('board', 'tracker')),
    budget TEXT NOT NULL,
    until INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (side, budget)
  ) TABLE END;

  CREATE TABLE board_projects (
    number ID,
    id TEXT NOT NULL UNIQUE
  ) TABLE;

  -- key: the project's name in the config. memory: JSON, all that is remembered of it.
  CREATE TABLE projects (
    key TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    name TEXT NOT NULL,
    last_success_at INTEGER,
    memory TEXT NOT NULL
  ) TABLE END;

  -- name: as the config writes it, in lower case; NULL once another repository goes by that name. paused_at: most of its
  -- issues could not be found. memory: JSON, all that is remembered of it.
  CREATE TABLE repositories (
    id INTEGER PRIMARY KEY,
    name TEXT UNIQUE,
    current_name TEXT NOT NULL,
    paused_at INTEGER,
    memory TEXT NOT NULL
  ) TABLE;

  -- What else is remembered. kind: account, paging (of a project's list), open-list (where it is gone on with), project-field,
  -- size (of what the tracker answers for at once), tool (of the board, as it was when it was first used), categories (of a project). value: JSON; of an open
  -- list the board adapter's words.
  CREATE TABLE memory (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, key)
  ) TABLE END;

  CREATE TABLE pulls (
    number ID FOREVER,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    run INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    kind TEXT CHECK (kind IN ('complete', 'usable', 'incomplete')),
    posts INTEGER
  ) TABLE;
  CREATE INDEX pulls_of_project ON pulls (project, number);

  -- Pages of the board's lists, as they are known again. number: rises with every page that is read. request, digest: hashes.
  -- reading: what else was read there, in the words of the board's adapter. shown: JSON array of the numbers of its posts.
  CREATE TABLE pages (
    number INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    request TEXT NOT NULL,
    digest TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    reading TEXT NOT NULL,
    posts INTEGER NOT NULL,
    shown TEXT NOT NULL,
    UNIQUE (project, request)
  ) TABLE;

  -- hash: of the facts, NULL for a post that was named (by a link or a marker) and never listed.
  -- seen_at: when the facts were stored, NULL when a write of ours has outdated them. missing: how many complete lists have lacked
  -- it, at most 2; missing_since: when the first did. due_at: 0 or less is at once, a time is from then on, NULL is not due.
  -- unlinked_at: a person has ended its last link, so it gets no issue. paused_at: a person wants nothing written, either way.
  -- page: the one that told what is stored. listed_since: when a list first showed it, or showed it again.
  CREATE TABLE posts (
    number ID,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    id TEXT NOT NULL,
    hash TEXT,
    seen_at INTEGER,
    missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1, 2)),
    missing_run INTEGER,
    missing_since INTEGER,
    due_at INTEGER,
    standing TEXT CHECK (standing IN ('skipped', 'linked', 'wanted')),
    reason TEXT,
    released_at INTEGER,
    unlinked_at INTEGER,
    page INTEGER NOT NULL DEFAULT 0,
    paused_at INTEGER,
    listed_since INTEGER,
    UNIQUE (project, id)
  ) TABLE;
  CREATE INDEX posts_due ON posts (project, id, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX posts_present ON posts (project, missing) WHERE hash IS NOT NULL;
  CREATE INDEX posts_skipped ON posts (project) WHERE standing = 'skipped' AND missing = 0;
  CREATE INDEX posts_paused ON posts (project) WHERE paused_at IS NOT NULL;

  -- facts: JSON, every field that the board's list has shown; some of them stand beside it, as far as they are texts, or whole numbers.
  CREATE TABLE post_facts (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    status TEXT,
    category TEXT,
    title TEXT,
    url TEXT,
    votes INTEGER,
    facts TEXT NOT NULL
  ) TABLE;

  -- facts: JSON, NULL for an issue that is linked and was not read yet; some of them stand beside it.
  CREATE TABLE issues (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    state TEXT,
    state_reason TEXT,
    created_at TEXT,
    facts TEXT,
    is_gone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (repository, number)
  ) TABLE END;

  -- What became of issues that are not where they were. to_*: where one was moved.
  CREATE TABLE absences (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('missing', 'refused', 'lost', 'deleted', 'moved')),
    since INTEGER NOT NULL,
    to_repository INTEGER,
    to_number INTEGER,
    to_name TEXT,
    PRIMARY KEY (repository, number)
  ) TABLE END;

  -- What was read of issues beside their records. signals: JSON. canonical_*: the issue that this one is a duplicate of, for
  -- the posts that follow it.
  CREATE TABLE signals (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    signals TEXT NOT NULL,
    canonical_repository INTEGER,
    canonical_number INTEGER,
    PRIMARY KEY (repository, number)
  ) TABLE END;
  CREATE INDEX signals_canonical ON signals (canonical_repository, canonical_number) WHERE canonical_repository IS NOT NULL;

  -- position: of the post in the marker; the issue has the text of the first, which is 0.
  CREATE TABLE markers (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    is_own INTEGER NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (post, repository, number)
  ) TABLE END;
  CREATE INDEX markers_by_issue ON markers (repository, number);

  -- Marks of another board address on issues of ours. post: its id. board: the hash in the mark. address: as far as it could be
  -- told. accepted_at: when a person said that it is another board: in a row of no issue (repository 0).
  CREATE TABLE other_marks (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post TEXT NOT NULL,
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    board TEXT NOT NULL,
    address TEXT,
    seen_at INTEGER NOT NULL,
    accepted_at INTEGER,
    PRIMARY KEY (project, post, repository, number)
  ) TABLE END;
  CREATE INDEX other_marks_of_issue ON other_marks (repository, number);

  -- Addresses of the web that issues of people name, as hashes: one of them may be the page of a post.
  CREATE TABLE naming (
    address TEXT NOT NULL,
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (address, repository, number)
  ) TABLE END;
  CREATE INDEX naming_of_issue ON naming (repository, number);

  -- What names in the rules of a project mean in a repository. kind: label, milestone or type. id: of a milestone its number.
  -- now: what it is called now; NULL: it was deleted.
  CREATE TABLE pins (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    repository INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    now TEXT,
    PRIMARY KEY (project, repository, kind, name)
  ) TABLE END;

  -- position: links of a post stand in the order in which they were made. left_text: JSON, the hashes of a text that a person
  -- wants left unwritten; NULL: none.
  CREATE TABLE links (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    position INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('opened', 'adopted', 'imported')),
    title_hash TEXT,
    block_hash TEXT,
    left_text TEXT,
    PRIMARY KEY (project, post, repository, number)
  ) TABLE END;
  CREATE INDEX links_by_issue ON links (repository, number);
  CREATE INDEX links_by_project ON links (project, repository, number);

  -- Pairs that a person has ended: the issue's mark says nothing of the post any more.
  CREATE TABLE ended_links (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (post, repository, number)
  ) TABLE END;

  -- line: ours in the internal note of the post, as it was written or found last; NULL where there is none. is_due: what the
  -- post is linked to has changed since. Whoever changes links, the triggers say so.
  CREATE TABLE backlinks (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    line TEXT,
    is_due INTEGER NOT NULL
  ) TABLE;
  CREATE INDEX backlinks_due ON backlinks (project) WHERE is_due = 1;

  -- Values are JSON; SQL's NULL is "none" or "unseen". written_sent NULL: nothing written. pending_since NULL: nothing pending.
  -- ruled_from: the target before other rules made it what it is. ruled_since NULL: no rules did, or a person has been asked.
  -- is_echo: an issue was changed by us while it could not be said what the rules make of that.
  CREATE TABLE bases (
    post INTEGER NOT NULL REFERENCES posts (number),
    field TEXT NOT NULL,
    target TEXT,
    post_value TEXT,
    foreign_value TEXT,
    written_sent TEXT,
    written_shown TEXT,
    pending_target TEXT,
    pending_since INTEGER,
    ruled_from TEXT,
    ruled_since INTEGER,
    is_echo INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (post, field)
  ) TABLE END;

  -- As bases, of the fields that board rules set on an issue: what is written is the issue's, what is shown its value.
  CREATE TABLE issue_bases (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    field TEXT NOT NULL,
    target TEXT,
    shown_value TEXT,
    foreign_value TEXT,
    written_sent TEXT,
    written_shown TEXT,
    pending_target TEXT,
    pending_since INTEGER,
    PRIMARY KEY (post, repository, number, field)
  ) TABLE END;
  CREATE INDEX issue_bases_by_issue ON issue_bases (repository, number);

  -- Why something of a post is not done. cause: one of those in src/model/causes.ts. code: of what is parked, as reports call
  -- it. signature: of what is parked, of what was refused. planned: JSON, what the action of the note would write; NULL: of no
  -- action, or not recorded. notifies: how many voters would be notified. follows_at: when it follows by itself at the earliest;
  -- NULL: not known.
  CREATE TABLE notes (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER NOT NULL REFERENCES posts (number),
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    cause TEXT NOT NULL,
    code TEXT,
    message TEXT NOT NULL,
    since INTEGER NOT NULL,
    action TEXT,
    signature TEXT,
    planned TEXT,
    notifies INTEGER,
    follows_at INTEGER,
    PRIMARY KEY (post, position)
  ) TABLE END;
  CREATE INDEX notes_kind ON notes (project, kind);

  -- reason, body_hash, title_hash, block_hash, updated_at_before, message: of one that is open.
  -- taken_at: when a change of an issue was recorded because of what that showed, although no answer to it came: it may arrive
  -- once more, until it ends. answer: JSON, what the board's answer to a PATCH showed of the fields that were written, and of the
  -- time of the last change. signature: what a saved plan knows the action by that was done with this request; NULL: more of
  -- it was to follow.
  CREATE TABLE intents (
    id ID FOREVER,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER NOT NULL REFERENCES posts (number),
    kind TEXT NOT NULL,
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    repository INTEGER,
    number INTEGER,
    title_hash TEXT,
    block_hash TEXT,
    writes TEXT,
    updated_at_before TEXT,
    state TEXT NOT NULL DEFAULT 'PREPARED' CHECK (state IN ('PREPARED', 'SENT', 'UNKNOWN', 'DONE', 'REJECTED')),
    attempts INTEGER NOT NULL DEFAULT 0,
    sent_at INTEGER,
    unknown_at INTEGER,
    taken_at INTEGER,
    ended_at INTEGER,
    message TEXT,
    answer TEXT,
    signature TEXT,
    voters INTEGER,
    CHECK ((state IN ('DONE', 'REJECTED')) = (ended_at IS NOT NULL))
  ) TABLE;
  CREATE UNIQUE INDEX intents_open ON intents (project, post, kind) WHERE ended_at IS NULL;
  CREATE INDEX intents_ended ON intents (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX intents_of_issue ON intents (repository, number) WHERE ended_at IS NULL AND number IS NOT NULL;
  CREATE INDEX intents_accepted ON intents (post, ended_at) WHERE kind = 'patch-post' AND state = 'DONE';

  -- Calls of the board's own tools. subject: the tag of a release, or an issue as repository#number: one draft a tag, one post an issue.
  -- hash: of the arguments. result, url: what the board calls what was made.
  CREATE TABLE tool_calls (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    purpose TEXT NOT NULL,
    subject TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('PREPARED', 'SENT', 'UNKNOWN', 'DONE', 'REJECTED')),
    run INTEGER NOT NULL,
    hash TEXT NOT NULL,
    reason TEXT NOT NULL,
    prepared_at INTEGER NOT NULL,
    sent_at INTEGER,
    unknown_at INTEGER,
    ended_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    result TEXT,
    url TEXT,
    message TEXT,
    is_unsure INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project, purpose, subject)
  ) TABLE END;

  -- Issues that may become posts. post: the row that such an issue has until then; no list shows it (its hash is NULL). reason: why it
  -- becomes none; NULL: it does. updated_at: of the issue as it was judged.
  CREATE TABLE imports (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    reason TEXT
  ) TABLE;
  CREATE INDEX imports_of_project ON imports (project, repository, number);

  -- labels: by what they were read (settings, and the full look); once these were labels alone. etag: makes the next look
  -- conditional; NULL: something of that list waits.
  CREATE TABLE import_lists (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    repository INTEGER NOT NULL,
    labels TEXT NOT NULL,
    etag TEXT,
    PRIMARY KEY (project, repository)
  ) TABLE END;

  -- is_status: a write to the board that voters are notified of, and that was or may have been applied. intent: the line of the journal
  -- that was written before it left; NULL where it needed none. voters: how many would be notified, as the board showed them right before
  -- the write; NULL: nobody would, or the board shows no votes. subject: of a call of a tool, as its line there.
  CREATE TABLE audit (
    number ID FOREVER,
    at INTEGER NOT NULL,
    run INTEGER NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('board', 'tracker')),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER REFERENCES posts (number),
    intent INTEGER,
    repository TEXT,
    issue INTEGER,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    message TEXT,
    is_approved INTEGER NOT NULL,
    is_status INTEGER NOT NULL,
    voters INTEGER,
    subject TEXT
  ) TABLE;
  CREATE INDEX audit_of_project ON audit (project, at);
  CREATE INDEX audit_of_post ON audit (post, at);
  CREATE INDEX audit_of_run ON audit (run);

  -- What people asked for and no run has finished yet. request: JSON, without project and time.
  CREATE TABLE requests (
    id ID FOREVER,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    at INTEGER NOT NULL,
    request TEXT NOT NULL
  ) TABLE;

  -- What commands have given to the daemon. until: nobody takes it later. request, progress, outcome: JSON; request: '' when it
  -- is over.
  CREATE TABLE orders (
    number ID,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    who TEXT NOT NULL,
    request TEXT NOT NULL,
    taken_by TEXT,
    progress TEXT,
    outcome TEXT
  ) TABLE;

  -- Writes that the pace counts. budget: whose pace, as the tracker names it; '' where there is only one.
  CREATE TABLE pace (
    number ID,
    at INTEGER NOT NULL,
    is_create INTEGER NOT NULL,
    budget TEXT NOT NULL,
    project INTEGER REFERENCES board_projects (number)
  ) TABLE;
  CREATE INDEX pace_of_budget ON pace (budget, at, is_create);

  -- What a project has left to write to the tracker, as its last run left it; without anything left there is no line. at: of
  -- that run. since, created: when there began to be something left, and how many issues were opened from then on.
  CREATE TABLE backlogs (
    budget TEXT NOT NULL,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    creates INTEGER NOT NULL,
    others INTEGER NOT NULL,
    created INTEGER NOT NULL,
    since INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (budget, project)
  ) TABLE END;

  CREATE TABLE runs (
    number ID FOREVER,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    result TEXT CHECK (result IN ('ok', 'partial', 'held', 'failed'))
  ) TABLE;
  CREATE INDEX runs_started ON runs (started_at);

  -- report: JSON, as sync --json prints it. said: the hash of all of it but the requests. writes: to both sides.
  CREATE TABLE run_projects (
    project TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    report TEXT NOT NULL,
    said TEXT NOT NULL,
    writes INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    PRIMARY KEY (project, run)
  ) TABLE END;
  CREATE INDEX run_projects_by_run ON run_projects (run, position);

  -- Runs that wrote nothing and said what the one before them had said, by the hour (of the epoch) in which they began.
  CREATE TABLE quiet_runs (
    hour INTEGER PRIMARY KEY,
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    longest_ms INTEGER NOT NULL
  ) TABLE;

  -- said_at: when people were told of a cause last; state: what they were told.
  CREATE TABLE notices_said (
    cause TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    said_at INTEGER NOT NULL
  ) TABLE END;

  -- Forms of the page that were sent. until: when they would have ended.
  CREATE TABLE used_forms (
    print TEXT PRIMARY KEY,
    until INTEGER NOT NULL
  ) TABLE END;

  -- since: when a person began to want nothing written for a project, or for any (project 0), either way.
  CREATE TABLE pauses (
    project INTEGER PRIMARY KEY,
    since INTEGER NOT NULL
  ) TABLE;

  TRIGGERS OF links;
`;

/** One step a version of the schema, counted from 1. Append only: a step that was released is never changed. */
export const migrations: readonly string[] = [first];

export interface Table {
  readonly name: string;
  /** In the order of their definition. */
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  /** The column whose numbers the engine gives, where there is one. */
  readonly counted: string | undefined;
  /** Whether a number is given once, also where its row was deleted. */
  readonly isForever: boolean;
}

/** Every table of the last schema, in an order in which each refers only to those before it. */
export const tables: readonly Table[] = migrations.flatMap((step) =>
  [...step.matchAll(/CREATE TABLE (\w+) \(\n([^;]*?)\n {2}\) TABLE/g)].map(([, name = "", body = ""]) => {
    const found = [...body.matchAll(/^ {4}([a-z_]+) (ID|INTEGER|TEXT)\b/gm)];
    return {
      name,
      columns: found.map(([, column = "", type]) => ({ name: column, isNumber: type !== "TEXT" })),
      counted: found.find(([, , type]) => type === "ID")?.[1],
      isForever: / ID FOREVER,/.test(body),
    };
  }),
);
