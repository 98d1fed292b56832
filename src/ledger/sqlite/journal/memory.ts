import { z } from "zod";
import type { Named, Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { ProjectId } from "../../../model/post.ts";
import type { ProjectMemory, Remembering, RepositoryMemory, SizeMemory } from "../../memory.ts";
import { stored } from "../../stored.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import {
  milestoneShape,
  namedShape,
  projectFieldShape,
  refusedShape,
  seenShape,
  wayShape,
} from "../columns/shapes.ts";
import type { Store } from "../file/store.ts";

interface ProjectColumns {
  key: string;
  project: number;
  name: string;
  checked_at: number;
  settings_print: string | null;
  rules: string | null;
  seen: string;
  full_at: number | null;
  last_success_at: number | null;
  recovered_from: number | null;
  settled_at: number | null;
}

interface PagingColumns {
  project: ProjectId;
  asked_at: number;
  posts: string;
  way: string | null;
}

interface RepositoryColumns {
  id: RepositoryId;
  name: RepositoryName | null;
  current_name: RepositoryName;
  has_issues: number;
  is_archived: number;
  is_private: number;
  can_push: number;
  checked_at: number;
  labels: string;
  milestones: string;
  labels_etag: string | null;
  milestones_etag: string | null;
  types: string;
  types_etag: string | null;
  refused: string;
  etag: string | null;
  cursor: string | null;
  scanned_at: number | null;
  named_at: number | null;
  scanned_for: string;
  recovered_at: number | null;
  full_at: number | null;
  public_since: number | null;
  paused_at: number | null;
}

/** All of the memory, as the tables have it. */
export interface Remembered {
  read(): Remembering;
  /** Those that `read` reads. */
  tables(): ReadonlySet<string>;
}

/** Accounts, projects and repositories: what is asked for once; and when to ask again. */
export function createMemory(
  store: Store,
  numbers: Numbers,
): Remembered &
  Carrying<
    | "remember-account"
    | "remember-project"
    | "remember-paging"
    | "remember-open-list"
    | "remember-repository"
    | "remember-project-field"
    | "remember-sizes"
  > {
  const selectAccount = store.prepare<[], { login: string; checked_at: number }>(
    "SELECT login, checked_at FROM accounts WHERE side = 'tracker'",
  );
  const writeAccount = store.prepare<[{ login: string; checkedAt: number }]>(
    "INSERT OR REPLACE INTO accounts (side, login, checked_at) VALUES ('tracker', @login, @checkedAt)",
  );
  const selectProjects = store.prepare<[], Omit<ProjectColumns, "project"> & { id: ProjectId }>(`
    SELECT key, id, name, checked_at, settings_print, rules, seen, full_at, last_success_at,
      recovered_from, settled_at
    FROM projects JOIN board_projects ON board_projects.number = projects.project`);
  const writeProject = store.prepare<[ProjectColumns]>(`
    INSERT INTO projects
      (key, project, name, checked_at, settings_print, rules, seen, full_at, last_success_at, recovered_from,
        settled_at)
    VALUES
      (@key, @project, @name, @checked_at, @settings_print, @rules, @seen, @full_at, @last_success_at,
        @recovered_from, @settled_at)
    ON CONFLICT (key) DO UPDATE SET project = excluded.project, name = excluded.name,
      checked_at = excluded.checked_at, settings_print = excluded.settings_print, rules = excluded.rules,
      seen = excluded.seen, full_at = excluded.full_at, last_success_at = excluded.last_success_at,
      recovered_from = excluded.recovered_from, settled_at = excluded.settled_at`);
  const selectPagings = store.prepare<[], PagingColumns>(`
    SELECT id AS project, asked_at, posts, way FROM asked_paging
    JOIN board_projects ON board_projects.number = asked_paging.project`);
  const writePaging = store.prepare<[Omit<PagingColumns, "project"> & { readonly project: number }]>(`
    INSERT OR REPLACE INTO asked_paging (project, asked_at, posts, way) VALUES (@project, @asked_at, @posts, @way)`);
  const selectOpenLists = store.prepare<[], { project: ProjectId; place: string }>(
    "SELECT id AS project, place FROM open_lists JOIN board_projects ON board_projects.number = open_lists.project",
  );
  const writeOpenList = store.prepare<[number, string]>(
    "INSERT OR REPLACE INTO open_lists (project, place) VALUES (?, ?)",
  );
  const deleteOpenList = store.prepare<[number]>("DELETE FROM open_lists WHERE project = ?");
  const repositoryColumns = `id, name, current_name, has_issues, is_archived, is_private, can_push, checked_at, labels,
    milestones, labels_etag, milestones_etag, types, types_etag, refused, etag, cursor, scanned_at, named_at, scanned_for, recovered_at, full_at,
    public_since, paused_at`;
  const selectRepositories = store.prepare<[], RepositoryColumns>(
    `SELECT ${repositoryColumns} FROM repositories`,
  );
  const takeName = store.prepare<[string, number]>(
    "UPDATE repositories SET name = NULL WHERE name = ? AND id <> ?",
  );
  const writeRepository = store.prepare<[RepositoryColumns]>(`
    INSERT OR REPLACE INTO repositories (${repositoryColumns})
    VALUES (@id, @name, @current_name, @has_issues, @is_archived, @is_private, @can_push, @checked_at, @labels,
      @milestones, @labels_etag, @milestones_etag, @types, @types_etag, @refused, @etag, @cursor, @scanned_at, @named_at, @scanned_for, @recovered_at, @full_at,
      @public_since, @paused_at)`);
  const selectFields = store.prepare<[], { field: string; checked_at: number }>(
    "SELECT field, checked_at FROM project_fields",
  );
  const writeField = store.prepare<[{ key: string; field: string; checkedAt: number }]>(
    "INSERT OR REPLACE INTO project_fields (key, field, checked_at) VALUES (@key, @field, @checkedAt)",
  );
  const selectSizes = store.prepare<[], SizeMemory>("SELECT name, size, until FROM read_sizes ORDER BY name");
  const deleteSizes = store.prepare<[]>("DELETE FROM read_sizes");
  const writeSize = store.prepare<[SizeMemory]>(
    "INSERT INTO read_sizes (name, size, until) VALUES (@name, @size, @until)",
  );
  const reads = [
    selectAccount,
    selectProjects,
    selectPagings,
    selectOpenLists,
    selectRepositories,
    selectFields,
    selectSizes,
  ];
  return {
    tables: () => new Set(reads.flatMap((one) => one.tables())),
    read: () =>
      store.read(() => {
        const account = selectAccount.get();
        const repositories = selectRepositories.all();
        return {
          account: account && { login: account.login, checkedAt: account.checked_at },
          projects: selectProjects.all().map(toProject),
          pagings: selectPagings.all().map(({ project, way: text, posts, asked_at: askedAt }) => {
            const way = text === null ? undefined : readWay(text);
            return { project, paging: { way, posts, askedAt } };
          }),
          openLists: selectOpenLists.all(),
          repositories: repositories.map(toRepository),
          names: repositories.flatMap(({ name, id }) => (name === null ? [] : [[name, id] as const])),
          projectFields: selectFields.all().map(({ field, checked_at: checkedAt }) => ({
            ...decodeField(field),
            checkedAt,
          })),
          sizes: selectSizes.all(),
        };
      }),
    changes: {
      "remember-account": ({ account: { login, checkedAt } }) => {
        writeAccount.run({ login, checkedAt });
      },
      "remember-project": ({ memory }) => {
        writeProject.run(fromProject(memory, numbers.project(memory.id)));
      },
      "remember-paging": ({ project, paging: { way, posts, askedAt } }) => {
        const text = way === undefined ? null : JSON.stringify(way);
        writePaging.run({ project: numbers.project(project), asked_at: askedAt, posts, way: text });
      },
      "remember-open-list": ({ project, place }) => {
        const number = numbers.project(project);
        if (place === undefined) deleteOpenList.run(number);
        else writeOpenList.run(number, place);
      },
      "remember-repository": ({ memory }) => {
        takeName.run(memory.name, memory.repository.id);
        writeRepository.run(fromRepository(memory));
      },
      "remember-project-field": ({ field: { checkedAt, ...field } }) => {
        writeField.run({ key: field.key, field: JSON.stringify(field), checkedAt });
      },
      "remember-sizes": ({ sizes }) => {
        deleteSizes.run();
        for (const { name, size, until } of sizes) writeSize.run({ name, size, until });
      },
    },
  };
}

const decodeField = stored("project_fields.field", projectFieldShape);
const readWay = stored("asked_paging.way", wayShape);
const readRules = stored("projects.rules", () =>
  z.looseObject({ rules: z.array(z.looseObject({})), several: z.string(), whenNoRule: z.string() }),
);

/** The plan reads them, as the version that has written them did; before there was a text there was a hash. */
function checkRules(rules: string): string {
  if (rules.startsWith("{")) readRules(rules);
  return rules;
}

const readSeen = stored("projects.seen", seenShape);
const readLabels = stored("repositories.labels", () => z.array(namedShape()));
const readMilestones = stored("repositories.milestones", () => z.array(milestoneShape()));
const readTypes = stored("repositories.types", () => z.array(namedShape()));
const readRefused = stored("repositories.refused", refusedShape);
const readLogins = stored("repositories.scanned_for", () => z.array(z.string()));

function toProject(found: Omit<ProjectColumns, "project"> & { id: ProjectId }): ProjectMemory {
  return {
    key: found.key,
    id: found.id,
    name: found.name,
    checkedAt: found.checked_at,
    settingsPrint: found.settings_print ?? undefined,
    rules: found.rules === null ? undefined : checkRules(found.rules),
    seen: readSeen(found.seen),
    fullAt: found.full_at ?? undefined,
    lastSuccessAt: found.last_success_at ?? undefined,
    recoveredFrom: found.recovered_from ?? undefined,
    settledAt: found.settled_at ?? undefined,
  };
}

function fromProject(memory: ProjectMemory, project: number): ProjectColumns {
  return {
    key: memory.key,
    project,
    name: memory.name,
    checked_at: memory.checkedAt,
    settings_print: memory.settingsPrint ?? null,
    rules: memory.rules ?? null,
    seen: JSON.stringify(memory.seen),
    full_at: memory.fullAt ?? null,
    last_success_at: memory.lastSuccessAt ?? null,
    recovered_from: memory.recoveredFrom ?? null,
    settled_at: memory.settledAt ?? null,
  };
}

function toRepository(found: RepositoryColumns): RepositoryMemory {
  const repository: Repository = {
    id: found.id,
    name: found.current_name,
    hasIssues: found.has_issues === 1,
    isArchived: found.is_archived === 1,
    isPrivate: found.is_private === 1,
    canPush: found.can_push === 1,
  };
  return {
    // A repository whose name in the config means another one by now is known by the tracker's name.
    name: found.name ?? found.current_name,
    repository,
    checkedAt: found.checked_at,
    labels: readLabels(found.labels),
    milestones: readMilestones(found.milestones),
    labelsEtag: found.labels_etag ?? undefined,
    milestonesEtag: found.milestones_etag ?? undefined,
    types: readTypes(found.types),
    typesEtag: found.types_etag ?? undefined,
    refused: readRefused(found.refused),
    etag: found.etag ?? undefined,
    cursor: found.cursor ?? undefined,
    scannedAt: found.scanned_at ?? undefined,
    namedAt: found.named_at ?? undefined,
    scannedFor: readLogins(found.scanned_for),
    recoveredAt: found.recovered_at ?? undefined,
    fullAt: found.full_at ?? undefined,
    publicSince: found.public_since ?? undefined,
    pausedAt: found.paused_at ?? undefined,
  };
}

/** Always in the same order, so that a row that says the same is the same. */
function toNamed({ id, name }: Named): Named {
  return { ...(id !== undefined && { id }), name };
}

function fromRepository(memory: RepositoryMemory): RepositoryColumns {
  const { repository } = memory;
  return {
    id: repository.id,
    name: memory.name,
    current_name: repository.name,
    has_issues: Number(repository.hasIssues),
    is_archived: Number(repository.isArchived),
    is_private: Number(repository.isPrivate),
    can_push: Number(repository.canPush),
    checked_at: memory.checkedAt,
    labels: JSON.stringify(memory.labels.map(toNamed)),
    milestones: JSON.stringify(
      memory.milestones.map(({ number, title, state }) => ({ number, title, state })),
    ),
    labels_etag: memory.labelsEtag ?? null,
    milestones_etag: memory.milestonesEtag ?? null,
    types: JSON.stringify(memory.types.map(toNamed)),
    types_etag: memory.typesEtag ?? null,
    refused: JSON.stringify(memory.refused.map(({ field, value, print }) => ({ field, value, print }))),
    etag: memory.etag ?? null,
    cursor: memory.cursor ?? null,
    scanned_at: memory.scannedAt ?? null,
    named_at: memory.namedAt ?? null,
    scanned_for: JSON.stringify(memory.scannedFor),
    recovered_at: memory.recoveredAt ?? null,
    full_at: memory.fullAt ?? null,
    public_since: memory.publicSince ?? null,
    paused_at: memory.pausedAt ?? null,
  };
}
