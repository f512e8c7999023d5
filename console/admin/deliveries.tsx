import type { Delivery, DeliveryStatus } from "@drs/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Select } from "../design/field.tsx";
import { Empty, Table, Tag } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { useChange } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { showToast } from "../shell/toasts.tsx";
import { useAdminTexts } from "./texts.ts";

const limit = 25;
const everyMs = 3_000;
const statuses: readonly DeliveryStatus[] = ["pending", "delivered", "failed"];
const tones = { pending: "plain", delivered: "accent", failed: "signal" } as const;

/** The deliveries of a webhook, refreshed while they are shown. */
export function Deliveries({ webhookId }: { readonly webhookId: string }): ReactElement {
  const { webhooks, common } = useAdminTexts();
  const drs = useDrs();
  const [status, setStatus] = useState<DeliveryStatus>();
  const [offset, setOffset] = useState(0);
  const { data, error, refetch } = useQuery({
    queryKey: ["deliveries", webhookId, status, offset],
    queryFn: async ({ signal }) =>
      drs.webhooks.deliveriesPage(
        webhookId,
        { ...(status !== undefined && { status: [status] }), offset, limit },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
  const head = [webhooks.message, common.state, webhooks.tries, webhooks.answer, common.created, common.actions];
  return (
    <>
      <div className="filters">
        <Select
          label={webhooks.filter}
          value={status ?? ""}
          onChange={({ target }) => {
            setOffset(0);
            setStatus(statuses.find((candidate) => candidate === target.value));
          }}
        >
          <option value="">{webhooks.all}</option>
          {statuses.map((name) => (
            <option key={name} value={name}>
              {webhooks.statuses[name]}
            </option>
          ))}
        </Select>
      </div>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.data.length === 0 && <Empty title={webhooks.noDeliveries}>{webhooks.noDeliveriesNext}</Empty>}
      {data !== undefined && data.data.length > 0 && (
        <Table label={webhooks.deliveries} head={head}>
          {data.data.map((delivery) => (
            <DeliveryRow key={delivery.messageId} webhookId={webhookId} delivery={delivery} />
          ))}
        </Table>
      )}
      {data !== undefined && <Pager {...{ offset, limit, total: data.total }} onMove={setOffset} />}
    </>
  );
}

interface DeliveryRowProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
}

function DeliveryRow({ webhookId, delivery }: DeliveryRowProps): ReactElement {
  const { webhooks } = useAdminTexts();
  const formats = useFormats();
  const drs = useDrs();
  const { messageId, type, payload, status, tries, createdAt, nextTryAt } = delivery;
  const redeliver = useChange({
    run: async () => drs.webhooks.redeliver(webhookId, messageId),
    stale: ["deliveries"],
    done: () => showToast(webhooks.redelivered),
  });
  return (
    <tr>
      <td>
        <strong>{type}</strong>
        <details>
          <summary className="small">{webhooks.payload}</summary>
          <code className="small quiet">{messageId}</code>
          <pre className="payload">{payload}</pre>
        </details>
      </td>
      <td>
        <Tag tone={tones[status]}>{webhooks.statuses[status]}</Tag>
        {nextTryAt !== null && tries > 0 && <p className="quiet small">{webhooks.next(formats.clock(nextTryAt))}</p>}
      </td>
      <td className="numbers">{formats.count(tries)}</td>
      <td>
        <LastAnswer delivery={delivery} />
      </td>
      <td className="numbers">{formats.time(createdAt)}</td>
      <td>
        {status !== "pending" && (
          <Button disabled={redeliver.isPending} onClick={() => redeliver.mutate(undefined)}>
            {webhooks.redeliver}
          </Button>
        )}
      </td>
    </tr>
  );
}

function LastAnswer({ delivery: { lastTryAt, lastStatus, lastError } }: { readonly delivery: Delivery }): ReactElement {
  const { webhooks } = useAdminTexts();
  if (lastTryAt === null) return <span className="quiet">{webhooks.notTried}</span>;
  return (
    <>
      <span className="numbers">{lastStatus ?? webhooks.noAnswer}</span>
      {lastError !== null && <p className="quiet small">{lastError}</p>}
    </>
  );
}

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
}

/** Moves through a list that starts with the newest entries. Renders nothing if the list fits on one page. */
function Pager({ offset, limit, total, onMove }: PagerProps): ReactElement | null {
  const { common } = useAdminTexts();
  if (total <= limit && offset === 0) return null;
  return (
    <div className="row-end">
      <span className="quiet numbers">
        {common.range(Math.min(offset + 1, total), Math.min(offset + limit, total), total)}
      </span>
      <Button icon="left" disabled={offset === 0} onClick={() => onMove(Math.max(offset - limit, 0))}>
        {common.newer}
      </Button>
      <Button disabled={offset + limit >= total} onClick={() => onMove(offset + limit)}>
        {common.older}
      </Button>
    </div>
  );
}
