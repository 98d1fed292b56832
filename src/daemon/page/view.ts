import type { Ledger } from "../../ledger/ledger.ts";
import type { RepositoryName } from "../../model/issue.ts";
import { dayMs } from "../../model/time.ts";
import type { Policy, SyncProject } from "../../sync/ground/world.ts";
import type { Moment } from "../../sync/tell/project-state.ts";
import { describeDistance } from "../../sync/tell/times.ts";
import { html, type Markup } from "./html.ts";
import type { OrderForms } from "./orders/order.ts";

/** What the page shows beside the state; asked for anew with every request, because a config may be read again. */
export interface PageView {
  readonly projects: readonly PageProject[];
  readonly policy: Policy;
  /** Of the config's schedules, and of every time on the page. */
  readonly timezone: string;
  /** Of the tracker's API: where its own pages are follows from it. */
  readonly trackerUrl: string;
  /** Whose budget writes to a repository count against, as `Tracker.budgetOf` says. */
  budgetOf(repository: RepositoryName, use?: "signals"): string;
}

/** One project of the config, and what a daemon that runs it knows of it beside the state. */
export interface PageProject extends Omit<Moment, "now"> {
  readonly project: SyncProject;
}

/** What the parts of one answer share. */
export interface Looking {
  readonly view: PageView;
  readonly ledger: Ledger;
  readonly times: PageTimes;
  /** Makes the forms of orders; undefined for whoever may give none. */
  readonly forms: OrderForms | undefined;
}

/** How the page tells times. */
export type PageTimes = ReturnType<typeof createPageTimes>;

/** Times in the zone of the config's schedules. @param now - epoch ms. */
export function createPageTimes(now: number, timeZone: string) {
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short" });
  const whole = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  });
  const name = (at: number): string => `${day.format(at)}, ${clock.format(at)}`;
  const isToday = (at: number): boolean => day.format(at) === day.format(now) && Math.abs(now - at) < dayMs;
  return {
    /** Epoch ms; every "ago" counts from here. */
    now,
    /** "22 Nov 2026, 02:10 UTC", for the head of the page. */
    today: whole.format(now),
    /** A time by itself: "22 Nov, 02:10". */
    name,
    /** A time, and how far away it is: "02:10 (3 minutes ago)". */
    show(at: number): Markup {
      const shown = isToday(at) ? clock.format(at) : name(at);
      return html`<time datetime="${new Date(at).toISOString()}">${shown}</time>
      <span class="quiet">(${describeDistance(at - now)})</span>`;
    },
  };
}
