import { hash } from "node:crypto";
import type { RepositoryId } from "../../../model/issue.ts";
import type { Pulls } from "../../pulls.ts";
import type { Store } from "../file/store.ts";

/** Which issues of people's name which addresses. */
export function createNaming(store: Store): Pick<Pulls, "storeNaming" | "naming"> {
  const select = store.prepare<[string], { repositoryId: RepositoryId; number: number }>(
    "SELECT repository AS repositoryId, number FROM naming WHERE address = ? ORDER BY repository, number",
  );
  const known = store.prepare<[number, number], { address: string }>(
    "SELECT address FROM naming WHERE repository = ? AND number = ? ORDER BY address",
  );
  const forget = store.prepare<[number, number]>("DELETE FROM naming WHERE repository = ? AND number = ?");
  const insert = store.prepare<[string, number, number]>(
    "INSERT INTO naming (address, repository, number) VALUES (?, ?, ?)",
  );
  return {
    storeNaming: (named) =>
      store.transaction(() => {
        for (const { issue, addresses } of named) {
          const { repositoryId, number } = issue;
          const wanted = [...new Set(addresses.map(hashOf))].sort();
          const before = known.all(repositoryId, number).map(({ address }) => address);
          if (wanted.join() === before.join()) continue;
          forget.run(repositoryId, number);
          for (const address of wanted) insert.run(address, repositoryId, number);
        }
      }),
    naming: (address) => select.all(hashOf(address)),
  };
}

function hashOf(address: string): string {
  return hash("sha256", address, "base64");
}
