import type { WebhookEvent, WebhookRequest } from "@drs/client";
import { type ReactElement, useState } from "react";
import { Checkbox, Field } from "../design/field.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useChange } from "../shell/change.ts";
import { FormDialog, textOf } from "../design/form-dialog.tsx";
import { SecretDialog } from "./secret.tsx";
import { useAdminTexts } from "./texts.ts";

const events: readonly WebhookEvent[] = ["job.finished", "job.failed", "dataset.deleted", "dataset.expiring"];

/** Asks for an address and events, then shows the secret. */
export function NewWebhookDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
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
        // The service takes an empty list as all events.
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
