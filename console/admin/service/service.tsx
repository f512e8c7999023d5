import { DrsError, type DrsErrorCode } from "@drs/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Failure } from "../../design/failure.tsx";
import { Card, Table, Tag } from "../../design/surfaces.tsx";
import { Loading, Progress } from "../../design/waiting.tsx";
import { server } from "../../shell/drs.tsx";
import { useFormats } from "../../shell/formats.ts";
import { pageSession } from "../../shell/page-session.ts";
import { Chart } from "../charts/chart.tsx";
import { Section } from "../section.tsx";
import { useAdminTexts } from "../texts.ts";
import { Figure } from "../usage.tsx";
import { Failures, Jobs, Queue } from "./queue.tsx";
import { isRecord, named, parseState, type Readiness, addState, type History, type State, sum } from "./state.ts";

const everyMs = 2_000;
const queryKey = ["operator-state"];

/** The current state of the server, for operators. */
export function Service(): ReactElement {
  const { service } = useAdminTexts();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      addState(await readState(service.unreadable, signal), queries.getQueryData<History>(queryKey)),
    refetchInterval: everyMs,
    retry: false,
  });
  return (
    <Section title={service.title} about={service.about}>
      {error && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {error && data !== undefined && <p className="notice">{service.away}</p>}
      {data === undefined ? !error && <Loading lines={5} /> : <Shown seen={data} />}
    </Section>
  );
}

function Shown({ seen: { state, samples } }: { readonly seen: History }): ReactElement {
  const { service } = useAdminTexts();
  const formats = useFormats();
  const isUp = sum(state, "drs_worker_up") > 0;
  const newest = samples.at(-1);
  const points = (name: "pagesPerSecond" | "jobs") =>
    samples.map((sample) => ({ label: formats.clock(sample.at), value: sample[name] }));
  return (
    <>
      <dl className="figures">
        <Figure name={service.waiting}>{formats.count(sum(state, "drs_queue_jobs"))}</Figure>
        <Figure name={service.pagesPerSecond}>{formats.count(newest?.pagesPerSecond ?? 0)}</Figure>
        <Figure name={service.workers}>{formats.count(sum(state, "drs_queue_workers"))}</Figure>
        <Figure name={service.workerUp}>
          <Tag tone={isUp ? "accent" : "signal"}>{isUp ? service.up : service.down}</Tag>{" "}
          <span className="small quiet">
            {formats.bytes(sum(state, "drs_worker_memory_bytes"))} ·{" "}
            {service.restarts(formats.count(sum(state, "drs_worker_restarts_total")))}
          </span>
        </Figure>
        <Figure name={service.memory}>{formats.bytes(sum(state, "process_resident_memory_bytes"))}</Figure>
      </dl>
      <div className="columns">
        <Card>
          <Chart
            kind="line"
            title={service.pagesPerSecond}
            head={[service.time, service.pagesPerSecond]}
            points={points("pagesPerSecond")}
            format={formats.count}
          />
        </Card>
        <Card>
          <Chart
            kind="line"
            title={service.waiting}
            head={[service.time, service.waiting]}
            points={points("jobs")}
            format={formats.count}
          />
        </Card>
        <Card>
          <DiskSpace state={state} />
        </Card>
        <Card>
          <Ready readiness={state.readiness} />
        </Card>
      </div>
      <Queue state={state} />
      <Jobs jobs={state.jobs} />
      <Failures state={state} />
    </>
  );
}

/** Used space on the disk of the data folder and in the cache. */
function DiskSpace({ state }: { readonly state: State }): ReactElement {
  const { service, usage } = useAdminTexts();
  const { bytes } = useFormats();
  const [size, free] = [sum(state, "drs_disk_size_bytes"), sum(state, "drs_disk_free_bytes")];
  const [used, max] = [sum(state, "drs_rendition_cache_bytes"), sum(state, "drs_rendition_cache_limit_bytes")];
  return (
    <>
      {named(state, "drs_disk_size_bytes").length > 0 && (
        <>
          <h3>{service.disk}</h3>
          <p>{service.diskFree(bytes(free), bytes(size))}</p>
          <Progress label={service.disk} done={size - free} total={size} />
        </>
      )}
      <h3>{service.cache}</h3>
      <p>{usage.storedOf(bytes(used), bytes(max))}</p>
      <Progress label={service.cache} done={used} total={max} />
    </>
  );
}

function Ready({ readiness: { ready, checks } }: { readonly readiness: Readiness }): ReactElement {
  const { service, common } = useAdminTexts();
  return (
    <>
      <h3>
        {service.readiness} <Tag tone={ready ? "accent" : "signal"}>{ready ? service.ready : service.notReady}</Tag>
      </h3>
      <Table label={service.readiness} head={[service.check, common.state]}>
        {Object.entries(checks).map(([name, said]) => (
          <tr key={name}>
            <td>{name}</td>
            <td>{String(said)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Reads the server's state. Throws `DrsError`, or an error with the text `unreadable` if the server has another version. */
async function readState(unreadable: string, signal: AbortSignal): Promise<State> {
  // The client, too, sends this header with the session; pages of other sites cannot send it.
  const headers = { "x-drs-console": pageSession.read() };
  const response = await fetch(`${server}/operator/state`, { headers, signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new DrsError({ code: "unavailable", message: `cannot reach ${server}`, cause });
  });
  const { ok, status, statusText } = response;
  const answer: unknown = await response.json().catch(() => undefined);
  if (!ok) {
    const message = isRecord(answer) && typeof answer["error"] === "string" ? answer["error"] : statusText;
    throw new DrsError({ code: codes.get(status) ?? "unavailable", message, status });
  }
  const state = parseState(answer);
  if (state === undefined) throw new Error(unreadable);
  return state;
}

const codes: ReadonlyMap<number, DrsErrorCode> = new Map([
  [401, "unauthenticated"],
  [403, "permission_denied"],
]);
