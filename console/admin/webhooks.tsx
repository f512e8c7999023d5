import type { Webhook, WebhookEvent, WebhookRequest } from "@drs/client";
import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import { Button } from "../design/button.tsx";
import { Checkbox, Field } from "../design/field.tsx";
import { FormDialog, textOf } from "../design/dialog.tsx";
import { Tag } from "../design/surfaces.tsx";
import { useChange } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { Listing, Section } from "./section.tsx";
import { SecretDialog } from "./secret.tsx";
import { useAdminTexts } from "./texts.ts";

function useWebhooks(): UseQueryOptions<readonly Webhook[]> {
  const drs = useDrs();
  return { queryKey: ["webhooks"], queryFn: async ({ signal }) => drs.webhooks.list({ signal }) };
}

export function Webhooks(): ReactElement {
  const { webhooks, common } = useAdminTexts();
  const query = useQuery(useWebhooks());
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      {webhooks.add}
    </Button>
  );
  return (
    <Section title={webhooks.title} about={webhooks.about} action={add}>
      <Listing
        query={query}
        label={webhooks.title}
        head={[webhooks.url, webhooks.events, common.state]}
        empty={{ title: webhooks.empty, next: webhooks.emptyNext }}
      >
        {(webhook) => (
          <tr key={webhook.id}>
            <td>
              <Link href={`/admin/webhooks/${webhook.id}`} className="breaks">
                {webhook.url}
              </Link>
              {webhook.description !== "" && <p className="quiet small">{webhook.description}</p>}
            </td>
            <td>
              <span className="row tags">
                {webhook.events.map((event) => (
                  <Tag key={event}>{event}</Tag>
                ))}
              </span>
            </td>
            <td>
              <WebhookState webhook={webhook} />
            </td>
          </tr>
        )}
      </Listing>
      <p>
        <Link href="/admin/webhooks/callbacks">{webhooks.callbacks}</Link>{" "}
        <span className="quiet">{webhooks.callbacksAbout}</span>
      </p>
      {isAdding && <NewWebhookDialog onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** Whether the webhook is enabled, and since when its deliveries fail. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const { webhooks } = useAdminTexts();
  const formats = useFormats();
  const { disabledAt, disabledReason, failingSince } = webhook;
  if (disabledAt !== null) {
    return (
      <>
        <Tag tone="signal">{webhooks.disabled}</Tag> <span className="quiet small">{disabledReason}</span>
      </>
    );
  }
  if (failingSince !== null) return <Tag tone="signal">{webhooks.failing(formats.time(failingSince))}</Tag>;
  return <Tag tone="accent">{webhooks.enabled}</Tag>;
}

const events: readonly WebhookEvent[] = ["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"];

/** Asks for an address and events, then shows the secret. */
function NewWebhookDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { webhooks } = useAdminTexts();
  const drs = useDrs();
  const [secret, setSecret] = useState<string>();
  const [isWithoutEvent, setWithoutEvent] = useState(false);
  const add = useChange({
    run: async (webhook: WebhookRequest) => drs.webhooks.create(webhook),
    stale: ["webhooks", "audit"],
    isShown: true,
    done: (made) => setSecret(made.secret),
  });
  if (secret !== undefined) {
    return (
      <SecretDialog title={webhooks.added} label={webhooks.secret} value={secret} onClose={onClose}>
        <p>{webhooks.secretNext}</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={webhooks.add}
      submit={webhooks.addSubmit}
      isPending={add.isPending}
      error={add.error}
      onSubmit={(form) => {
        const chosen = events.filter((event) => form.has(event));
        // To the service, an empty list means all events.
        setWithoutEvent(chosen.length === 0);
        if (chosen.length === 0) return;
        add.mutate({ url: textOf(form, "url"), events: chosen, description: textOf(form, "description") });
      }}
      onClose={onClose}
    >
      <Field label={webhooks.url} name="url" type="url" required hint={webhooks.urlHint} autoComplete="off" />
      <fieldset className="choices">
        <legend className="field-label">{webhooks.events}</legend>
        {events.map((event) => (
          <Checkbox key={event} label={event} name={event} defaultChecked />
        ))}
        {isWithoutEvent && (
          <p className="field-error" role="alert">
            {webhooks.noEvent}
          </p>
        )}
      </fieldset>
      <Field label={webhooks.description} name="description" autoComplete="off" />
    </FormDialog>
  );
}
