import type { ReactElement } from "react";
import { Empty, Table } from "../../design/surfaces.tsx";
import { Progress } from "../../design/waiting.tsx";
import { useFormats } from "../../shell/formats.ts";
import { type AdminTexts, useAdminTexts } from "../texts.ts";
import { type Metric, named, type QueuedJob, type State, sum } from "./state.ts";

/** Unfinished jobs by type, stage and state. */
export function Queue({ state }: { readonly state: State }): ReactElement {
  const { service, common } = useAdminTexts();
  const formats = useFormats();
  const rows = named(state, "drs_queue_jobs").filter(({ value }) => value > 0);
  return (
    <>
      <h3>{service.queue}</h3>
      {rows.length === 0 ? (
        <Empty title={service.queueEmpty}>{service.queueEmptyNext}</Empty>
      ) : (
        <Table label={service.queue} head={[service.type, service.stage, common.state, service.count, service.age]}>
          {rows.map(({ labels, value }) => (
            <tr key={JSON.stringify(labels)}>
              <td>{labels["type"]}</td>
              <td>{labels["stage"]}</td>
              <td>{stateName(service, labels["state"])}</td>
              <td className="numbers">{formats.count(value)}</td>
              <td className="numbers">
                {formats.duration(sum(state, "drs_queue_oldest_age_seconds", labels) * 1_000)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

/** The first unfinished jobs. Renders nothing if there are none. */
export function Jobs({ jobs }: { readonly jobs: readonly QueuedJob[] }): ReactElement | null {
  const { service, common } = useAdminTexts();
  const formats = useFormats();
  if (jobs.length === 0) return null;
  const head = [service.job, service.stage, common.state, service.progress, service.age, service.tries, service.worker];
  return (
    <>
      <h3>{service.jobs}</h3>
      <Table label={service.jobs} head={head}>
        {jobs.map(({ id, stage, state, pagesDone, pagesTotal, unchangedMs, tries, worker }) => (
          <tr key={id}>
            <td>
              <code>{id}</code>
            </td>
            <td>{stage}</td>
            <td>{stateName(service, state)}</td>
            <td className="numbers">
              {pagesTotal > 0 && (
                <>
                  {`${formats.count(pagesDone)} / ${formats.count(pagesTotal)}`}
                  <Progress label={id} done={pagesDone} total={pagesTotal} />
                </>
              )}
            </td>
            <td className="numbers">{formats.duration(unchangedMs)}</td>
            <td className="numbers">{formats.count(tries)}</td>
            <td>{worker}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Failures of jobs and pages, by reason. Renders nothing if there are none. */
export function Failures({ state }: { readonly state: State }): ReactElement | null {
  const { service } = useAdminTexts();
  const formats = useFormats();
  const of = (name: string, what: string) =>
    named(state, name, { result: "failed" }).map((metric) => ({ what, metric }));
  const rows = [...of("drs_jobs_total", service.whatJob), ...of("drs_pages_total", service.whatPage)].filter(
    ({ metric }) => metric.value > 0,
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{service.failures}</h3>
      <Table label={service.failures} head={[service.what, service.stage, service.reason, service.count]}>
        {rows.map(({ what, metric: { labels, value } }) => (
          <tr key={`${what} ${keyOf(labels)}`}>
            <td>{what}</td>
            <td>{labels["stage"] ?? labels["type"]}</td>
            <td>{labels["reason"]}</td>
            <td className="numbers">{formats.count(value)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

const keyOf = (labels: Metric["labels"]): string => JSON.stringify(labels);

const stateName = ({ states }: AdminTexts["service"], state = ""): string =>
  Object.entries(states).find(([name]) => name === state)?.[1] ?? state;
