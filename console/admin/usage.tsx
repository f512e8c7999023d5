import type { DailyUsage, PlanLimits, Usage } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { Failure } from "../design/failure.tsx";
import { Card, Table } from "../design/surfaces.tsx";
import { Loading, Progress } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { type Formats, useFormats } from "../shell/formats.ts";
import { Chart } from "./charts/chart.tsx";
import { daysUpTo } from "./days.ts";
import { Section } from "./section.tsx";
import { useAdminTexts } from "./texts.ts";

export function UsageAndPlan(): ReactElement {
  const { usage } = useAdminTexts();
  const drs = useDrs();
  const { data, error, refetch } = useQuery({
    queryKey: ["usage"],
    queryFn: async ({ signal }) => drs.usage({ signal, historyDays }),
  });
  return (
    <Section title={usage.title} about={usage.about}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? !error && <Loading /> : <Shown data={data} />}
    </Section>
  );
}

function Shown({ data }: { readonly data: Usage }): ReactElement {
  const { usage } = useAdminTexts();
  const formats = useFormats();
  const { stored, documents, pages, requestsThisMonth, requestsByMonth, organisationStoredBytes, limits } = data;
  const first = requestsByMonth.findIndex(({ requests }) => requests > 0);
  const months = requestsByMonth
    .slice(first)
    .map(({ month, requests }) => ({ label: formats.month(month), value: requests }));
  return (
    <>
      <dl className="figures">
        <Figure name={usage.documents}>{formats.count(documents)}</Figure>
        <Figure name={usage.pages}>{formats.count(pages)}</Figure>
        <Figure name={usage.stored}>{formats.bytes(stored.total)}</Figure>
        <Figure name={usage.requests}>{formats.count(requestsThisMonth)}</Figure>
      </dl>
      {/* Before its first request a workspace has only empty months; a single month is already among the figures above. */}
      {months.length > 1 && (
        <Card>
          <Chart
            kind="bars"
            title={usage.overTime}
            head={[usage.month, usage.requestCount]}
            points={months}
            format={formats.count}
          />
        </Card>
      )}
      <UsageHistory history={data.history} />
      <div className="columns">
        <Card>
          <h3>{usage.organisationStored}</h3>
          <p>
            {limits.maxStorageBytes === null
              ? formats.bytes(organisationStoredBytes)
              : usage.storedOf(formats.bytes(organisationStoredBytes), formats.bytes(limits.maxStorageBytes))}
          </p>
          {limits.maxStorageBytes !== null && (
            <Progress label={usage.organisationStored} done={organisationStoredBytes} total={limits.maxStorageBytes} />
          )}
          <h3>{usage.byKind}</h3>
          <Table label={usage.byKind} head={[usage.kind, usage.size]}>
            {(["originals", "converted", "parts"] as const).map((kind) => (
              <tr key={kind}>
                <td>{usage[kind]}</td>
                <td className="numbers">{formats.bytes(stored[kind])}</td>
              </tr>
            ))}
          </Table>
        </Card>
        <Plan name={data.plan} limits={limits} />
      </div>
    </>
  );
}

export function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className="figure">
      <dt>{name}</dt>
      <dd className="numbers">{children}</dd>
    </div>
  );
}

function Plan({ name, limits }: { readonly name: string; readonly limits: PlanLimits }): ReactElement {
  const { usage } = useAdminTexts();
  const formats = useFormats();
  return (
    <Card>
      <h3>
        {usage.plan}: {name}
      </h3>
      <Table label={usage.plan} head={[usage.limit, usage.allowed]}>
        {limitNames.map((limit) => (
          <tr key={limit}>
            <td>{usage.limits[limit]}</td>
            <td className="numbers">
              <Limit name={limit} value={limits[limit]} formats={formats} />
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

const limitNames = [
  "maxUploadBytes",
  "maxStorageBytes",
  "maxRetentionDays",
  "requestsPerMinute",
  "concurrentJobs",
  "maxPages",
] as const satisfies readonly (keyof PlanLimits)[];

interface LimitProps {
  readonly name: keyof PlanLimits;
  readonly value: number | null;
  readonly formats: Formats;
}

function Limit({ name, value, formats }: LimitProps): ReactNode {
  const { common } = useAdminTexts();
  if (value === null) return <span className="quiet">{common.unlimited}</span>;
  return name.endsWith("Bytes") ? formats.bytes(value) : formats.count(value);
}

/** Days in the charts: a quarter, long enough to show growth. */
const historyDays = 90;

const figures = [
  ["storedBytes", "bytes"],
  ["documents", "count"],
  ["pages", "count"],
] as const satisfies readonly (readonly [keyof DailyUsage, keyof Formats])[];

/** The stored data of the last days. `history` starts with the oldest day, ends with today, and may lack days. */
function UsageHistory({ history }: { readonly history: readonly DailyUsage[] }): ReactElement | null {
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
