/** Where a state is: a file's name, or the address of a PostgreSQL server, which may hold a password and is never shown. */

/** Whether a state is a PostgreSQL server, and no file. */
export function isPostgresUrl(state: string): boolean {
  return /^postgres(ql)?:/i.test(state);
}

/** Whether a state is meant to be no file. */
export function isAddress(state: string): boolean {
  return /^[a-z]+:\/\//i.test(state);
}

/** Said of a state's name in which no shell has filled in `~` or `$NAME`: it would mean another file in every working directory. */
export const shellsPart = "begins with `~` or `$`, which only a shell puts in: write the whole name";

/** Whether a name begins with what a shell was to fill in. */
export function isForShell(state: string): boolean {
  return /^(?:~(?:\/|$)|\$\{?\w)/.test(state);
}

/** Whether an address tells a password, also one that breaks the address; a file may be called anything. */
export function holdsPassword(state: string): boolean {
  if (!isAddress(state)) return false;
  return /^[^@]*:\/\/[^@]*:[^@]*@/.test(state) || /[?&]password=./i.test(state);
}

/**
 * Why an address of PostgreSQL can't be used, as the end of a sentence that holds nothing of it; undefined where it can. A
 * password that is written as it is cuts the address in the wrong place: part of it would be taken for a database, and shown.
 */
export function findAddressFault(address: string): string | undefined {
  if (!/^postgres(ql)?:\/\//i.test(address)) return noAddress;
  const inner = address.slice(address.indexOf("//") + 2);
  const [cutting] = inner.slice(0, Math.max(0, inner.lastIndexOf("@"))).match(/[/?#@]/) ?? [];
  if (cutting !== undefined)
    return `the user name or password holds ${cutting}: write ${cutting} as ${encodeURIComponent(cutting)}`;
  if (!isDecodable(address)) return "it holds a % that stands for itself: write % as %25";
  return URL.canParse(address) ? undefined : noAddress;
}

const noAddress = "that is no URL of PostgreSQL, as postgres://user:password@host:5432/database";

/** The passwords in an address that can be used, in every spelling in which they may turn up. */
export function passwordsIn(address: string): readonly string[] {
  const { password, searchParams } = new URL(address);
  const found = [password, decodeURIComponent(password), searchParams.get("password") ?? ""];
  return found.filter((secret) => secret !== "");
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
