/** Marks a SQLite file as a state of boardsync ("bsyn"). */
export const applicationId = 0x6273796e;

/**
 * The schema, one step a version: `PRAGMA user_version` counts the steps that a file has. Append only: a step that was
 * released is never changed.
 *
 * Posts and projects have numbers of our own, so that every other table is narrow. What an idle run touches (`posts`) is
 * kept apart from what is wide (`post_facts`).
 */
export const migrations: readonly string[] = [
  `
  -- version: the program that made this schema; copied_at: this file is a copy; heartbeat and holder: signs of life.
  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE accounts (
    side TEXT PRIMARY KEY CHECK (side = 'tracker'),
    login TEXT NOT NULL,
    checked_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- until: the side wants no request before; kept when it has passed.
  CREATE TABLE limits (
    side TEXT PRIMARY KEY CHECK (side IN ('board', 'tracker')),
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE board_projects (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE projects (
    key TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    name TEXT NOT NULL,
    checked_at INTEGER NOT NULL,
    settings_print TEXT,
    rules_print TEXT,
    seen TEXT NOT NULL,
    full_at INTEGER,
    last_success_at INTEGER,
    recovered_from INTEGER
  ) STRICT, WITHOUT ROWID;

  -- name: as the config writes it; NULL once another repository goes by that name.
  CREATE TABLE repositories (
    id INTEGER PRIMARY KEY,
    name TEXT UNIQUE COLLATE NOCASE,
    current_name TEXT NOT NULL,
    has_issues INTEGER NOT NULL,
    is_archived INTEGER NOT NULL,
    is_private INTEGER NOT NULL,
    can_push INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    labels TEXT NOT NULL,
    milestones TEXT NOT NULL,
    etag TEXT,
    cursor TEXT,
    scanned_at INTEGER,
    recovered_at INTEGER,
    full_at INTEGER
  ) STRICT;

  CREATE TABLE pulls (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    run INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER,
    kind TEXT CHECK (kind IN ('complete', 'usable', 'incomplete')),
    posts INTEGER
  ) STRICT;
  CREATE INDEX pulls_of_project ON pulls (project, number);

  -- hash: of the facts, NULL for a post that was named (by a link or a marker) and never listed.
  -- seen_at: when the facts were stored, NULL when a write of ours has outdated them. due_at: 0 is at once, a time is from then on, NULL is not due.
  CREATE TABLE posts (
    number INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    id TEXT NOT NULL,
    hash TEXT,
    seen_at INTEGER,
    missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1, 2)),
    missing_run INTEGER,
    due_at INTEGER,
    standing TEXT CHECK (standing IN ('skipped', 'linked', 'wanted')),
    reason TEXT,
    is_quarantined INTEGER NOT NULL DEFAULT 0,
    released_at INTEGER,
    UNIQUE (project, id)
  ) STRICT;
  CREATE INDEX posts_due ON posts (project, id, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX posts_present ON posts (project, missing) WHERE hash IS NOT NULL;
  CREATE INDEX posts_skipped ON posts (project) WHERE standing = 'skipped' AND missing = 0;
  CREATE INDEX posts_quarantined ON posts (project) WHERE is_quarantined = 1;

  CREATE TABLE post_facts (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    facts TEXT NOT NULL
  ) STRICT;

  -- facts: NULL for an issue that is linked and was not read yet.
  CREATE TABLE issues (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    facts TEXT,
    is_gone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (repository, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE markers (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    is_own INTEGER NOT NULL,
    PRIMARY KEY (post, repository, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX markers_by_issue ON markers (repository, number);

  CREATE TABLE links (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    position INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('opened', 'adopted')),
    title_hash TEXT,
    block_hash TEXT,
    PRIMARY KEY (project, post, repository, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_by_issue ON links (repository, number);
  CREATE INDEX links_by_project ON links (project, repository, number);

  -- Values are JSON; SQL's NULL is "none" or "unseen". written_sent NULL: nothing written. pending_since NULL: nothing pending.
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
    PRIMARY KEY (post, field)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE notes (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER NOT NULL REFERENCES posts (number),
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    since INTEGER NOT NULL,
    action TEXT,
    signature TEXT,
    PRIMARY KEY (post, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notes_since ON notes (project, since);
  CREATE INDEX notes_kind ON notes (project, kind);

  CREATE TABLE parked (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER NOT NULL REFERENCES posts (number),
    kind TEXT NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    since INTEGER NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (post, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX parked_since ON parked (project, since);

  CREATE TABLE intents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
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
    ended_at INTEGER,
    message TEXT,
    CHECK ((state IN ('DONE', 'REJECTED')) = (ended_at IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX intents_open ON intents (project, post, kind) WHERE ended_at IS NULL;
  CREATE INDEX intents_ended ON intents (ended_at) WHERE ended_at IS NOT NULL;

  -- is_status: a write to the board that voters hear of, and that was or may have been applied.
  CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    run INTEGER NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('board', 'tracker')),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    post INTEGER REFERENCES posts (number),
    repository TEXT,
    issue INTEGER,
    kind TEXT NOT NULL,
    fields TEXT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    message TEXT,
    is_approved INTEGER NOT NULL,
    is_status INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX audit_at ON audit (at);
  CREATE INDEX audit_of_project ON audit (project, at);
  CREATE INDEX audit_of_post ON audit (post, at);
  CREATE INDEX audit_status ON audit (project, at) WHERE is_status = 1;
  CREATE INDEX audit_status_of_post ON audit (post, at) WHERE is_status = 1;

  -- What people asked for and no run has finished yet. request: JSON, without project and time.
  CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    at INTEGER NOT NULL,
    request TEXT NOT NULL,
    has_begun INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX requests_of_project ON requests (project, id);

  CREATE TABLE pace (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    is_create INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX pace_at ON pace (at, is_create);

  CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    result TEXT CHECK (result IN ('ok', 'partial', 'held', 'failed'))
  ) STRICT;
  CREATE INDEX runs_started ON runs (started_at);
  CREATE INDEX runs_finished ON runs (number) WHERE finished_at IS NOT NULL;

  CREATE TABLE run_projects (
    project TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (project, run)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_projects_by_run ON run_projects (run, position);
  `,
  `
  -- rules: the text of the rules by which the bases were made; only its hash was kept before.
  ALTER TABLE projects RENAME COLUMN rules_print TO rules;
  -- ruled_from: the target before other rules made it what it is. ruled_since NULL: no rules did, or a person has been asked.
  ALTER TABLE bases ADD COLUMN ruled_from TEXT;
  ALTER TABLE bases ADD COLUMN ruled_since INTEGER;
  `,
  `
  -- What became of issues that are not where they were. since: epoch ms, 0 where that was not kept. to_*: where one was moved.
  CREATE TABLE absences (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('missing', 'lost', 'deleted', 'moved')),
    since INTEGER NOT NULL,
    to_repository INTEGER,
    to_number INTEGER,
    to_name TEXT,
    PRIMARY KEY (repository, number)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO absences (repository, number, kind, since) SELECT repository, number, 'deleted', 0 FROM issues WHERE is_gone = 1;
  -- public_since: it turned public, and nobody has accepted that. paused_at: most of its issues could not be found.
  ALTER TABLE repositories ADD COLUMN public_since INTEGER;
  ALTER TABLE repositories ADD COLUMN paused_at INTEGER;
  `,
  `
  -- scanned_for: JSON array of the logins whose issues have been scanned for markers.
  ALTER TABLE repositories ADD COLUMN scanned_for TEXT NOT NULL DEFAULT '[]';
  `,
  `
  -- What was read of issues beside their records. signals: JSON. canonical_*: the issue that this one is a duplicate of, for
  -- the posts that follow it.
  CREATE TABLE signals (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    signals TEXT NOT NULL,
    canonical_repository INTEGER,
    canonical_number INTEGER,
    PRIMARY KEY (repository, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signals_canonical ON signals (canonical_repository, canonical_number) WHERE canonical_repository IS NOT NULL;

  -- field: JSON, with the options and their ids as they were found.
  CREATE TABLE project_fields (
    key TEXT PRIMARY KEY,
    field TEXT NOT NULL,
    checked_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What makes the requests for labels and milestones conditional.
  ALTER TABLE repositories ADD COLUMN labels_etag TEXT;
  ALTER TABLE repositories ADD COLUMN milestones_etag TEXT;
  `,
  `
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
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX issue_bases_by_issue ON issue_bases (repository, number);
  -- is_echo: an issue was changed by us while it could not be said what the rules make of that.
  ALTER TABLE bases ADD COLUMN is_echo INTEGER NOT NULL DEFAULT 0;
  -- Writes to an issue whose outcome is open, whichever post they are for.
  CREATE INDEX intents_of_issue ON intents (repository, number) WHERE ended_at IS NULL AND number IS NOT NULL;
  `,
  `
  -- unlinked_at: a person has ended its last link; until a person says otherwise it gets no issue. NULL: nobody has.
  ALTER TABLE posts ADD COLUMN unlinked_at INTEGER;
  -- Pairs that a person has ended: the issue's mark says nothing of the post any more.
  CREATE TABLE ended_links (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (post, repository, number)
  ) STRICT, WITHOUT ROWID;
  -- position: of the post in the marker; the issue has the text of the first, which is 0.
  ALTER TABLE markers ADD COLUMN position INTEGER NOT NULL DEFAULT 0;

  -- line: ours in the internal note of the post, as it was written or found last; NULL where there is none. is_due: what the
  -- post is linked to has changed since. Whoever changes links, the triggers say so.
  CREATE TABLE backlinks (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    line TEXT,
    is_due INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX backlinks_due ON backlinks (project, post) WHERE is_due = 1;
  CREATE TRIGGER backlink_of_new_link AFTER INSERT ON links BEGIN
    INSERT INTO backlinks (post, project, is_due) VALUES (NEW.post, NEW.project, 1)
    ON CONFLICT (post) DO UPDATE SET is_due = 1;
  END;
  CREATE TRIGGER backlink_of_moved_link AFTER UPDATE OF repository, number ON links BEGIN
    UPDATE backlinks SET is_due = 1 WHERE post = NEW.post;
  END;
  CREATE TRIGGER backlink_of_ended_link AFTER DELETE ON links BEGIN
    UPDATE backlinks SET is_due = 1 WHERE post = OLD.post;
  END;
  INSERT INTO backlinks (post, project, is_due) SELECT DISTINCT post, project, 1 FROM links;
  `,
  `
  -- budget: whose pace and limits, as the tracker names it; '' where there is only one.
  ALTER TABLE pace ADD COLUMN budget TEXT NOT NULL DEFAULT '';
  CREATE INDEX pace_of_budget ON pace (budget, at, is_create);
  ALTER TABLE limits RENAME TO limits_of_sides;
  CREATE TABLE limits (
    side TEXT NOT NULL CHECK (side IN ('board', 'tracker')),
    budget TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (side, budget)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO limits (side, budget, until) SELECT side, '', until FROM limits_of_sides;
  DROP TABLE limits_of_sides;
  `,
  `
  -- intent: the line of the journal that was written before it left; NULL where it needed none, and in older lines.
  ALTER TABLE audit ADD COLUMN intent INTEGER;
  CREATE INDEX audit_of_run ON audit (run);
  -- What tells this state from every other one.
  INSERT INTO meta (key, value) VALUES ('identity', lower(hex(randomblob(16))));
  `,
  `
  -- said_at: when people were told of a cause last; state: what they were told.
  CREATE TABLE notices_said (
    cause TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    said_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- project: whose write it was; NULL in older lines.
  ALTER TABLE pace ADD COLUMN project INTEGER REFERENCES board_projects (number);
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
  ) STRICT, WITHOUT ROWID;
  -- Runs that wrote nothing and said what the one before them had said, by the hour (of the epoch) in which they began.
  CREATE TABLE quiet_runs (
    hour INTEGER PRIMARY KEY,
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    longest_ms INTEGER NOT NULL
  ) STRICT;
  `,
  `
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
    shown TEXT NOT NULL,
    UNIQUE (project, request)
  ) STRICT;
  -- page: the one that told what is stored of the post.
  ALTER TABLE posts ADD COLUMN page INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- settled_at: when both sides of its due pairs were last taken as they were, the state having been lost or old; NULL: never.
  ALTER TABLE projects ADD COLUMN settled_at INTEGER;
  `,
  `
  -- taken_at: when a change of an issue was recorded because of what that showed, although no answer to it came: it may arrive
  -- once more, until it ends.
  ALTER TABLE intents ADD COLUMN taken_at INTEGER;
  `,
  `
  -- What asking a board for more of its list has shown, where its first page has no sign of paging. posts: stands for those of
  -- that page. way: JSON, how the list goes on; NULL: no request brought another post.
  CREATE TABLE asked_paging (
    project INTEGER PRIMARY KEY REFERENCES board_projects (number),
    asked_at INTEGER NOT NULL,
    posts TEXT NOT NULL,
    way TEXT
  ) STRICT;
  `,
  `
  -- planned: JSON, what the action of the note would write; NULL: of no action, or not recorded. follows_at: when it follows by
  -- itself at the earliest; NULL: not known.
  ALTER TABLE notes ADD COLUMN planned TEXT;
  ALTER TABLE notes ADD COLUMN follows_at INTEGER;
  `,
  `
  -- Addresses of the web that issues of people name, as hashes: one of them may be the page of a post.
  CREATE TABLE naming (
    address TEXT NOT NULL,
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (address, repository, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX naming_of_issue ON naming (repository, number);
  -- named_at: when all issues of the repository were looked through for such addresses; NULL: never.
  ALTER TABLE repositories ADD COLUMN named_at INTEGER;
  `,
  `
  -- A list that a run could not read to its end: the page that the next run begins with, as the board's adapter names it.
  CREATE TABLE open_lists (
    project INTEGER PRIMARY KEY REFERENCES board_projects (number),
    place TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What commands have given to the daemon. until: nobody takes it later. request, progress, outcome: JSON; request: '' when it
  -- is over.
  CREATE TABLE orders (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    who TEXT NOT NULL,
    request TEXT NOT NULL,
    taken_by TEXT,
    progress TEXT,
    outcome TEXT
  ) STRICT;
  `,
  `
  -- paused_at: since when a person wants nothing written for the post, either way; NULL: nobody does.
  ALTER TABLE posts ADD COLUMN paused_at INTEGER;
  CREATE INDEX posts_paused ON posts (project) WHERE paused_at IS NOT NULL;
  -- left_text: JSON, the hashes of a text that a person wants left unwritten; NULL: none.
  ALTER TABLE links ADD COLUMN left_text TEXT;
  `,
  `
  -- missing_since: when the first complete list lacked the post; NULL: none has, or an earlier version has noted that.
  ALTER TABLE posts ADD COLUMN missing_since INTEGER;
  `,
  `
  -- How much of something (name, in the tracker's words) the tracker answers for at once. until: after it more is tried again.
  CREATE TABLE read_sizes (
    name TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- refused: the tracker does not show the issue now, and does not say that it is gone.
  CREATE TABLE absences_new (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('missing', 'refused', 'lost', 'deleted', 'moved')),
    since INTEGER NOT NULL,
    to_repository INTEGER,
    to_number INTEGER,
    to_name TEXT,
    PRIMARY KEY (repository, number)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO absences_new SELECT * FROM absences;
  DROP TABLE absences;
  ALTER TABLE absences_new RENAME TO absences;
  `,
  `
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
  ) STRICT, WITHOUT ROWID;
  -- Labels, from now on with their ids: {id, name}; the next look lists them anew.
  UPDATE repositories SET labels_etag = NULL,
    labels = (SELECT json_group_array(json_object('name', value)) FROM json_each(labels));
  -- types: JSON array like labels.
  ALTER TABLE repositories ADD COLUMN types TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE repositories ADD COLUMN types_etag TEXT;
  -- refused: JSON array, what new issues were refused with: {field, value, print}.
  ALTER TABLE repositories ADD COLUMN refused TEXT NOT NULL DEFAULT '[]';
  `,
  `
  -- page_key: by this every process on the state knows what another one has handed out on the status page. A copy gets another.
  INSERT INTO meta (key, value) VALUES ('page_key', lower(hex(randomblob(32))));
  -- Forms of the page that were sent. until: when they would have ended.
  CREATE TABLE used_forms (
    print TEXT PRIMARY KEY,
    until INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX used_forms_until ON used_forms (until);
  `,
  `
  -- at: when the limit was learnt; 0: by an earlier version.
  ALTER TABLE limits ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- answer: JSON, what the board's answer to a PATCH showed of the fields that were written, and of the time of the last change.
  ALTER TABLE intents ADD COLUMN answer TEXT;
  CREATE INDEX intents_accepted ON intents (post, ended_at) WHERE kind = 'patch-post' AND state = 'DONE';
  `,
  `
  -- listed_since: when a list first showed the post, or showed it again; NULL: before that was noted.
  ALTER TABLE posts ADD COLUMN listed_since INTEGER;
  `,
  `
  -- Marks of another board address on issues of ours. post: its id. board: the hash in the mark. address: as far as it could be
  -- told. accepted_at: when a person said that it is another board; NULL: nobody has.
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
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX other_marks_of_issue ON other_marks (repository, number);
  `,
  `
  -- signature: what a saved plan knows the action by that was done with this request; NULL: more of it was to follow.
  ALTER TABLE intents ADD COLUMN signature TEXT;
  `,
];
