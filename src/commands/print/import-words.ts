/** How far something is that the pace draws out; `doneAt` is epoch ms. */
interface Extent {
  readonly done: number;
  readonly total: number;
  readonly doneAt: number | undefined;
}

/** As `1,240 of 5,000, done about 14:30`; with the day where that is not today, by the clock of this machine. */
export function describeExtent({ done, total, doneAt }: Extent, now: number): string {
  const amount = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return doneAt === undefined ? amount : `${amount}, done about ${nameTime(doneAt, now)}`;
}

function nameTime(at: number, now: number): string {
  const [day, today] = [at, now].map((time) => new Date(time).toLocaleDateString("sv"));
  const time = new Date(at).toLocaleTimeString("sv", { hour: "2-digit", minute: "2-digit" });
  return day === today ? time : `${day} ${time}`;
}
