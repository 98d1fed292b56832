import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { noon } from "./samples.ts";

/** What people were told of. */
export function describeNotices(ledger: () => Ledger): void {
  describe("notices", () => {
    const held = { cause: "one/held", state: "2", at: noon };
    const failed = { cause: "one/failed", state: "p1", at: noon + 1 };

    it("are remembered with what they said last, until they are forgotten", async () => {
      const { notices } = ledger();
      expect(await notices.said()).toEqual([]);
      await ledger().commit([
        { kind: "say", notices: [held, failed], forgetBefore: 0 },
        { kind: "say", notices: [{ ...held, state: "3", at: noon + 2 }], forgetBefore: noon },
      ]);
      expect(await notices.said()).toEqual([failed, { ...held, state: "3", at: noon + 2 }]);
      await ledger().commit([{ kind: "say", notices: [], forgetBefore: noon + 2 }]);
      expect(await notices.said()).toEqual([{ ...held, state: "3", at: noon + 2 }]);
    });

    it("that were not taken were never said", async () => {
      const { notices } = ledger();
      await ledger().commit([
        { kind: "say", notices: [held, failed], forgetBefore: 0 },
        { kind: "unsay", causes: [held.cause, "nothing"] },
      ]);
      expect(await notices.said()).toEqual([failed]);
    });

    it("are said again by one process alone", async () => {
      const { notices } = ledger();
      await ledger().commit([{ kind: "say", notices: [held], forgetBefore: 0 }]);
      expect(await notices.sayAgain(held, noon + 5)).toBe(true);
      expect(await notices.sayAgain(held, noon + 6)).toBe(false);
      expect(await notices.said()).toEqual([{ ...held, at: noon + 5 }]);
    });
  });
}
