import type { Webhook } from "@drs/client";
import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Link } from "wouter";
import { Button } from "../design/button.tsx";
import { Tag } from "../design/surfaces.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { Listing } from "./listing.tsx";
import { NewWebhookDialog } from "./new-webhook.tsx";
import { Section } from "./section.tsx";
import { useAdminTexts } from "./texts.ts";

export function useWebhooks(): UseQueryOptions<readonly Webhook[]> {
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
