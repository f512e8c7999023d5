import type { Webhook as Entry } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Card, Tag } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { Confirm, useChange } from "../shell/change.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SecretDialog } from "./secret.tsx";
import { Section } from "./section.tsx";
import { useAdminTexts } from "./texts.ts";
import { WebhookState } from "./webhooks.tsx";

/** The id that stands for a webhook: the messages that uploads request with `callbackUrl`. */
const callbacks = "callbacks";

/** One webhook and its deliveries. */
export function Webhook({ id }: { readonly id: string }): ReactElement {
  const { webhooks } = useAdminTexts();
  const isCallbacks = id === callbacks;
  return (
    <Section
      title={isCallbacks ? webhooks.callbacks : webhooks.deliveries}
      about={isCallbacks ? webhooks.callbacksAbout : ""}
      action={<Link href="/admin/webhooks">{webhooks.back}</Link>}
    >
      {!isCallbacks && <WebhookDetails id={id} />}
      <Deliveries webhookId={id} />
    </Section>
  );
}

function WebhookDetails({ id }: { readonly id: string }): ReactElement {
  const drs = useDrs();
  const { data, error, refetch } = useQuery({
    queryKey: ["webhooks", id],
    queryFn: async ({ signal }) => drs.webhooks.get(id, { signal }),
  });
  if (data !== undefined) return <Facts webhook={data} />;
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading lines={1} />;
}

function Facts({ webhook }: { readonly webhook: Entry }): ReactElement {
  const { webhooks } = useAdminTexts();
  const drs = useDrs();
  const { id, url, description, events, disabledAt } = webhook;
  const [secret, setSecret] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const test = useChange({
    run: async () => drs.webhooks.test(id),
    stale: ["deliveries", "webhooks"],
    done: () => showToast(webhooks.tested),
  });
  const enable = useChange({
    run: async (enabled: boolean) => drs.webhooks.update(id, { enabled }),
    stale: ["webhooks", "audit"],
  });
  const rotate = useChange({
    run: async () => drs.webhooks.rotateSecret(id),
    stale: ["audit"],
    done: (made) => setSecret(made.secret),
  });
  return (
    <Card>
      <h3 className="breaks">{url}</h3>
      {description !== "" && <p>{description}</p>}
      <div className="row tags">
        <WebhookState webhook={webhook} />
        {events.map((event) => (
          <Tag key={event}>{event}</Tag>
        ))}
      </div>
      <div className="row">
        <Button kind="primary" disabled={test.isPending || disabledAt !== null} onClick={() => test.mutate(undefined)}>
          {webhooks.test}
        </Button>
        <Button disabled={enable.isPending} onClick={() => enable.mutate(disabledAt !== null)}>
          {disabledAt === null ? webhooks.disable : webhooks.enable}
        </Button>
        <Button disabled={rotate.isPending} onClick={() => rotate.mutate(undefined)}>
          {webhooks.rotate}
        </Button>
        <Button kind="danger" onClick={() => setDeleting(true)}>
          {webhooks.remove}
        </Button>
      </div>
      {secret !== undefined && (
        <SecretDialog
          title={webhooks.rotated}
          label={webhooks.secret}
          value={secret}
          onClose={() => setSecret(undefined)}
        >
          <p>{webhooks.rotatedNext}</p>
        </SecretDialog>
      )}
      {isDeleting && <DeleteWebhook id={id} onClose={() => setDeleting(false)} />}
    </Card>
  );
}

interface DeleteWebhookProps {
  readonly id: string;
  readonly onClose: () => void;
}

function DeleteWebhook({ id, onClose }: DeleteWebhookProps): ReactElement {
  const { webhooks } = useAdminTexts();
  const drs = useDrs();
  const [, navigate] = useLocation();
  return (
    <Confirm
      title={webhooks.removeTitle}
      submit={webhooks.remove}
      run={async () => drs.webhooks.delete(id)}
      stale={["audit"]}
      done={webhooks.removed}
      onDone={() => navigate("/admin/webhooks")}
      onClose={onClose}
    >
      {webhooks.removeAbout}
    </Confirm>
  );
}
