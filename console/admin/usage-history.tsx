import type { DailyUsage } from "@drs/client";
import type { ReactElement } from "react";
import { Card } from "../design/surfaces.tsx";
import { type Formats, useFormats } from "../shell/formats.ts";
import { Chart } from "./charts/chart.tsx";
import { daysUpTo } from "./days.ts";
import { useAdminTexts } from "./texts.ts";

/** Days in the charts: a quarter, long enough to show growth. */
export const historyDays = 90;

const figures = [
  ["storedBytes", "bytes"],
  ["documents", "count"],
  ["pages", "count"],
] as const satisfies readonly (readonly [keyof DailyUsage, keyof Formats])[];

/** The stored data of the last days. `history` starts with the oldest day, ends with today, and may lack days. */
export function UsageHistory({ history }: { readonly history: readonly DailyUsage[] }): ReactElement | null {
  const { usage } = useAdminTexts();
  const formats = useFormats();
  const [first, today] = [history[0], history.at(-1)];
  if (first === undefined || today === undefined) return null;
  const days = daysUpTo(today.day, historyDays);
  const known = new Map(history.map((day) => [day.day, day]));
  return (
    <>
      <h3>{usage.history(formats.count(historyDays))}</h3>
      {first.day !== days[0] && <p className="quiet">{usage.knownFrom(formats.date(first.day))}</p>}
      <div className="columns">
        {figures.map(([name, format]) => (
          <Card key={name}>
            <Chart
              kind="line"
              title={usage.plots[name]}
              head={[usage.day, usage.plots[name]]}
              points={days.map((day) => ({ label: formats.date(day), value: known.get(day)?.[name] }))}
              format={formats[format]}
            />
          </Card>
        ))}
      </div>
    </>
  );
}
