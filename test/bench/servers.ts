/**
 * The process of the two servers: a board full of posts and a GitHub, driven by messages from the bench. Nothing that
 * they compute counts for a program that is measured.
 */
import { createServer } from "node:http";
import { listen } from "../../src/demo/loopback.ts";
import { createResponder, type SandboxRequest } from "../support/sandbox/board/http.ts";
import { type BoardState, createBoardState } from "../support/sandbox/board/state.ts";
import { completeStyle, type SandboxPost } from "../support/sandbox/board/style.ts";
import { type SandboxGitHub, startSandboxGitHub } from "../support/sandbox/github/github.ts";
import {
  type Addresses,
  category,
  type Filling,
  type Order,
  programNames,
  type WorkOrder,
  workLabel,
} from "./stage.ts";
import { countTraffic, type Traffic } from "./traffic.ts";

const boardKey = "bench-board-key-0123456789";
const minuteMs = 60_000;

await serve(JSON.parse(process.argv[2] ?? ""));

async function serve(filling: Filling): Promise<void> {
  // GitHub's time began a week ago: what people do then takes as long as it would, and never lies in the future.
  let passedMs = -7 * 24 * 60 * minuteMs;
  const board = await startBoard(filling);
  const github = await startSandboxGitHub({
    clock: { now: () => Date.now() + passedMs },
    limits: { requestsPerHour: 1_000_000 },
    quirks: { paging: "cursor" },
  });
  const sides = new Map(
    [board.url, github.url].map((url, index) => [portOf(url), index ? "tracker" : "board"]),
  );
  const traffic = countTraffic(sides);
  const obey = (order: Order): Traffic | undefined => {
    switch (order.kind) {
      case "open-repository":
        github.addRepository({ name: order.repo });
        return undefined;
      case "work":
        passedMs += 10 * minuteMs;
        work(github, order, () => {
          passedMs += 1000;
        });
        passedMs += 10 * minuteMs;
        return undefined;
      case "count":
        github.clearRequests();
        board.requests.length = 0;
        return traffic.take();
    }
  };
  process.on("message", (order: Order) => process.send?.(obey(order) ?? null));
  const addresses: Addresses = {
    board: board.url,
    boardKey,
    github: github.url,
    githubToken: github.token,
    githubLogin: github.login,
    projects: board.projects,
    selected: board.selected,
  };
  process.send?.(addresses);
}

interface FullBoard extends Pick<Addresses, "projects" | "selected"> {
  readonly url: string;
  readonly requests: SandboxRequest[];
}

/** The sandbox's board, put together so that a page of a long list costs no more than one of a short list. */
async function startBoard(filling: Filling): Promise<FullBoard> {
  const style = completeStyle({
    pageSize: 100,
    validators: filling.hasValidators ? "etag" : "none",
  });
  const [boardsync, floor] = programNames.map((program) => nameProjects(program, filling.projects));
  const projects = { boardsync: boardsync ?? [], floor: floor ?? [] };
  const state = createBoardState({
    projects: Object.values(projects).flatMap((names) => names.map((id) => ({ id }))),
    now: Date.now,
    style: () => style,
  });
  const selected = fill(state, Object.values(projects), filling);
  const requests: SandboxRequest[] = [];
  const respond = createResponder({
    key: boardKey,
    now: Date.now,
    state: rememberPosts(state),
    style: () => style,
    requests,
    takeFault: () => undefined,
  });
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  return { url: `${await listen(server)}/api/v1`, requests, projects, selected };
}

function nameProjects(program: string, count: number): readonly string[] {
  return count === 1 ? [program] : Array.from({ length: count }, (_, index) => `${program}-${index + 1}`);
}

/** Gives each program the same posts, one project after the other. Returns how many of them are selected. */
function fill(
  state: BoardState,
  programs: readonly (readonly string[])[],
  { posts, share, projects }: Filling,
): number {
  let selected = 0;
  for (let index = 0; index < posts; index += 1) {
    const isSelected = Math.floor((index + 1) * share) > Math.floor(index * share);
    if (isSelected) selected += 1;
    const place = Math.floor((index * projects) / posts);
    for (const names of programs) state.addPost(names[place] ?? "", makePost(index, isSelected));
  }
  return selected;
}

/** The state copies all posts for each page that is asked; here they are copied once after a change. */
function rememberPosts(state: BoardState): BoardState {
  const remembered = new Map<string, readonly SandboxPost[]>();
  return {
    ...state,
    posts(project) {
      const posts = remembered.get(project) ?? state.posts(project);
      remembered.set(project, posts);
      return posts;
    },
    patchPost(project, post, fields) {
      remembered.delete(project);
      state.patchPost(project, post, fields);
    },
  };
}

/** A post of common length, about 700 bytes as a record. */
function makePost(index: number, isSelected: boolean): Partial<SandboxPost> {
  const wish = `As a customer of plan ${index % 7} I need this about ${1 + (index % 30)} times a month.`;
  return {
    title: `Wish ${index + 1}: let me do this from the ${["menu", "phone", "API", "mail"][index % 4]}`,
    description: `${wish}\n\n- today I copy it by hand, which *nobody* likes\n- a colleague wrote a script for it\n\n${wish.repeat(2)}`,
    votes: index % 97,
    ...(isSelected && {
      categoryId: category,
      status: "planned",
      roadmapColumn: "PLANNED",
      onRoadmap: true,
    }),
  };
}

/** People at work: every other issue is taken up, the others are finished; what was touched before is taken back. */
function work(github: SandboxGitHub, { repo, from, issues }: WorkOrder, pass: () => void): void {
  const count = github.issues(repo).length;
  for (let step = 0; step < issues; step += 1) {
    pass();
    const { number, state, labels } = github.issue(repo, 1 + ((from + step) % count));
    if (state === "closed") github.reopen(repo, number);
    else if (labels.includes(workLabel)) github.unlabel(repo, number, workLabel);
    else if (number % 2 === 0) github.label(repo, number, workLabel);
    else github.close(repo, number, "completed");
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
