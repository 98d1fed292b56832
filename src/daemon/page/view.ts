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
export interface PageTimes {
  /** Epoch ms; every "ago" counts from here. */
  readonly now: number;
  /** "22 Nov 2026, 02:10 UTC", for the head of the page. */
  readonly today: string;
  /** A time, and how far away it is: "02:10 (3 minutes ago)". */
  show(at: number): Markup;
  /** A time by itself: "22 Nov, 02:10". */
  name(at: number): string;
}

/**
 * Times in the zone of the config's schedules.
 *
 * @param now - epoch ms.
 */
export function createPageTimes(now: number, timeZone: string): PageTimes {
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
    now,
    today: whole.format(now),
    name,
    show: (
      at,
    ) => html`<time datetime="${new Date(at).toISOString()}">${isToday(at) ? clock.format(at) : name(at)}</time>
      <span class="quiet">(${describeDistance(at - now)})</span>`,
  };
}
