import type { RunHistory, RunSpan } from "../../ledger/rows.ts";
import { dayMs, describeLength, hourMs } from "../../model/time.ts";
import { sum } from "../../select.ts";
import { toRoot } from "./addresses.ts";
import { html, type Markup, own, table } from "./html.ts";
import type { Looking, PageTimes } from "./view.ts";

/** How far a chart looks back, by what the address calls it. */
const ranges = {
  day: { text: "24 hours", spans: 24, spanMs: hourMs },
  week: { text: "7 days", spans: 28, spanMs: 6 * hourMs },
  month: { text: "30 days", spans: 30, spanMs: dayMs },
} as const;
type RangeName = keyof typeof ranges;
type Range = (typeof ranges)[RangeName];

/** One of the three drawings of the same time. */
interface Strip {
  readonly title: string;
  readonly look: "writes" | "failures" | "duration";
  value(span: RunSpan): number;
  /** What stands over it. */
  total(spans: readonly RunSpan[]): string;
  show(value: number): string;
}

function stripOf(title: string, look: "writes" | "failures"): Strip {
  const value = (span: RunSpan): number => span[look];
  return { title, look, value, total: (spans) => String(sum(spans.map(value))), show: String };
}

const strips: readonly Strip[] = [
  stripOf("Writes", "writes"),
  stripOf("Failures", "failures"),
  {
    title: "Longest run",
    look: "duration",
    value: ({ longestMs }) => longestMs,
    total: (spans) => describeLength(Math.max(0, ...spans.map(({ longestMs }) => longestMs))),
    show: describeLength,
  },
];

/**
 * What the runs of the last days have written, what failed, and how long they took: three drawings of the same time, and the same
 * as a table for who can't see them. Without a choice a day is shown, and a week once there is more than a day to see.
 */
export async function renderChart({ ledger, times }: Looking, chosen: string | undefined): Promise<Markup> {
  const { name, history } = await look(ledger, times.now, chosen);
  const range = ranges[name];
  const since = beginOf(range, times.now);
  const links = (Object.keys(ranges) as RangeName[]).map((one) =>
    one === name
      ? html` <b aria-current="true">${ranges[one].text}</b>`
      : html` <a href="${toRoot}?range=${own(one)}#runs">${ranges[one].text}</a>`,
  );
  return html`<section aria-labelledby="runs">
    <h2 id="runs">Runs</h2>
    <p class="quiet">The last${links}</p>
    ${history.spans.length === 0 ? html`<p class="lead">No run has finished in this time.</p>` : draw(history, range, since, times)}
  </section>`;
}

/** A range, and what there is to see in it. */
interface ChartRange {
  readonly name: RangeName;
  readonly history: RunHistory;
}

async function look(ledger: Looking["ledger"], now: number, chosen: string | undefined): Promise<ChartRange> {
  const read = async (name: RangeName): Promise<ChartRange> => {
    const { spanMs } = ranges[name];
    return { name, history: await ledger.browse.runs(beginOf(ranges[name], now), spanMs) };
  };
  if (chosen === "day" || chosen === "week" || chosen === "month") return read(chosen);
  const week = await read("week");
  const { countedFrom } = week.history;
  return countedFrom === undefined || countedFrom >= beginOf(ranges.day, now) ? await read("day") : week;
}

/** Spans begin at whole hours, so that a drawing stays the same while nothing happens. */
function beginOf({ spans, spanMs }: Range, now: number): number {
  return (Math.floor(now / spanMs) + 1 - spans) * spanMs;
}

function draw(
  { spans, countedFrom, isCut }: RunHistory,
  range: Range,
  since: number,
  times: PageTimes,
): Markup {
  const nameSpan = ({ span }: RunSpan): string => {
    const begin = since + span * range.spanMs;
    return `${times.name(begin)} to ${times.name(begin + range.spanMs)}`;
  };
  return html`<div class="charts">${strips.map((strip) => drawStrip(strip, spans, range, since, times))}</div>
    ${isCut && countedFrom !== undefined && html`<p class="quiet">There were so many runs that only those since ${times.name(countedFrom)} are counted.</p>`}
    <details><summary>The same as a table</summary>${table(
      `Runs of the last ${range.text}`,
      [
        { title: "When", show: nameSpan },
        { title: "Runs", show: ({ runs }) => runs, isNumber: true },
        ...strips.map((strip) => ({
          title: strip.title,
          show: (span: RunSpan) => strip.show(strip.value(span)),
          isNumber: true as const,
        })),
      ],
      spans.toReversed(),
    )}</details>`;
}

/** The height of a drawing, in its own units; a bar for next to nothing is still seen. */
const height = 56;
const leastHeight = 2;
const barWidth = 10;
const gap = 2;

function drawStrip(
  strip: Strip,
  spans: readonly RunSpan[],
  range: Range,
  since: number,
  times: PageTimes,
): Markup {
  const most = Math.max(0, ...spans.map(strip.value));
  const bars = spans
    .filter((span) => strip.value(span) > 0)
    .map((span) => {
      const tall = Math.max(leastHeight, (strip.value(span) / most) * height).toFixed(1);
      return html`<rect x="${span.span * barWidth}" y="${height - Number(tall)}" width="${barWidth - gap}" height="${tall}"><title>${times.name(since + span.span * range.spanMs)}: ${strip.show(strip.value(span))}</title></rect>`;
    });
  const text = `${strip.title} of the last ${range.text}: ${strip.total(spans)}; at most ${strip.show(most)} in ${describeLength(range.spanMs)}.`;
  return html`<figure>
    <figcaption>${strip.title}<br><b>${strip.total(spans)}</b></figcaption>
    <svg class="${own(strip.look)}" role="img" aria-label="${text}" viewBox="0 0 ${range.spans * barWidth} ${height}" preserveAspectRatio="none">${bars}</svg>
    <div class="axis" aria-hidden="true"><span>${times.name(since)}</span><span>now</span></div>
  </figure>`;
}
