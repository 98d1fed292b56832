import { tmpdir } from "node:os";
import { join } from "node:path";

/** Part of a process's environment: where it finds what Node.js has compiled of the program, so that only the first one compiles it. */
export const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), "boardsync-compiled") };
