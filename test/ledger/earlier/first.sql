  CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) TABLE END;

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

  CREATE TABLE projects (
    key TEXT PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    name TEXT NOT NULL,
    last_success_at INTEGER,
    memory TEXT NOT NULL
  ) TABLE END;

  CREATE TABLE repositories (
    id INTEGER PRIMARY KEY,
    name TEXT UNIQUE,
    current_name TEXT NOT NULL,
    paused_at INTEGER,
    memory TEXT NOT NULL
  ) TABLE;

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

  CREATE TABLE post_facts (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    status TEXT,
    category TEXT,
    title TEXT,
    url TEXT,
    votes INTEGER,
    facts TEXT NOT NULL
  ) TABLE;

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

  CREATE TABLE signals (
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    signals TEXT NOT NULL,
    canonical_repository INTEGER,
    canonical_number INTEGER,
    PRIMARY KEY (repository, number)
  ) TABLE END;
  CREATE INDEX signals_canonical ON signals (canonical_repository, canonical_number) WHERE canonical_repository IS NOT NULL;

  CREATE TABLE markers (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    is_own INTEGER NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (post, repository, number)
  ) TABLE END;
  CREATE INDEX markers_by_issue ON markers (repository, number);

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

  CREATE TABLE naming (
    address TEXT NOT NULL,
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (address, repository, number)
  ) TABLE END;
  CREATE INDEX naming_of_issue ON naming (repository, number);

  CREATE TABLE pins (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    repository INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    now TEXT,
    PRIMARY KEY (project, repository, kind, name)
  ) TABLE END;

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

  CREATE TABLE ended_links (
    post INTEGER NOT NULL REFERENCES posts (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (post, repository, number)
  ) TABLE END;

  CREATE TABLE backlinks (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    line TEXT,
    is_due INTEGER NOT NULL
  ) TABLE;
  CREATE INDEX backlinks_due ON backlinks (project, post) WHERE is_due = 1;

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
  CREATE INDEX notes_since ON notes (project, since);
  CREATE INDEX notes_kind ON notes (project, kind);

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

  CREATE TABLE imports (
    post INTEGER PRIMARY KEY REFERENCES posts (number),
    project INTEGER NOT NULL REFERENCES board_projects (number),
    repository INTEGER NOT NULL,
    number INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    reason TEXT
  ) TABLE;
  CREATE INDEX imports_of_project ON imports (project, repository, number);

  CREATE TABLE import_lists (
    project INTEGER NOT NULL REFERENCES board_projects (number),
    repository INTEGER NOT NULL,
    labels TEXT NOT NULL,
    etag TEXT,
    PRIMARY KEY (project, repository)
  ) TABLE END;

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
  CREATE INDEX audit_at ON audit (at);
  CREATE INDEX audit_of_project ON audit (project, at);
  CREATE INDEX audit_of_post ON audit (post, at);
  CREATE INDEX audit_of_run ON audit (run);
  CREATE INDEX audit_status ON audit (project, at) WHERE is_status = 1;
  CREATE INDEX audit_status_of_post ON audit (post, at) WHERE is_status = 1;

  CREATE TABLE requests (
    id ID FOREVER,
    project INTEGER NOT NULL REFERENCES board_projects (number),
    at INTEGER NOT NULL,
    request TEXT NOT NULL
  ) TABLE;
  CREATE INDEX requests_of_project ON requests (project, id);

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

  CREATE TABLE pace (
    number ID,
    at INTEGER NOT NULL,
    is_create INTEGER NOT NULL,
    budget TEXT NOT NULL,
    project INTEGER REFERENCES board_projects (number)
  ) TABLE;
  CREATE INDEX pace_at ON pace (at, is_create);
  CREATE INDEX pace_of_budget ON pace (budget, at, is_create);

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
  CREATE INDEX runs_finished ON runs (number) WHERE finished_at IS NOT NULL;

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

  CREATE TABLE quiet_runs (
    hour INTEGER PRIMARY KEY,
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    longest_ms INTEGER NOT NULL
  ) TABLE;

  CREATE TABLE notices_said (
    cause TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    said_at INTEGER NOT NULL
  ) TABLE END;

  CREATE TABLE used_forms (
    print TEXT PRIMARY KEY,
    until INTEGER NOT NULL
  ) TABLE END;
  CREATE INDEX used_forms_until ON used_forms (until);

  CREATE TABLE pauses (
    project INTEGER PRIMARY KEY,
    since INTEGER NOT NULL
  ) TABLE;

  TRIGGERS OF links;
