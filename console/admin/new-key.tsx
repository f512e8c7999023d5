import type { Filter, KeyScope, NewKey } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Checkbox, Field, Select, TextArea } from "../design/field.tsx";
import { filterOfText } from "../documents/metadata-text.ts";
import { useDrs } from "../shell/drs.tsx";
import { useMe } from "../shell/session.tsx";
import { useChange } from "../shell/change.tsx";
import { FormDialog, numberOf, textOf } from "../design/dialog.tsx";
import { useWorkspaces } from "./names.ts";
import { SecretDialog } from "./secret.tsx";
import { useAdminTexts } from "./texts.ts";

const scopes: readonly KeyScope[] = ["read", "write", "search", "admin"];
/** The service's maxima. */
const [maxDays, maxRequests] = [3650, 1_000_000];

/** Asks what a key may do, then shows it once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { keys, common } = useAdminTexts();
  const drs = useDrs();
  const { workspaceId } = useMe();
  const { data: workspaces = [] } = useQuery(useWorkspaces());
  const [made, setMade] = useState<string>();
  const [wrong, setWrong] = useState<"filter" | "scope">();
  const create = useChange({
    run: async (key: NewKey) => drs.keys.create(key),
    stale: ["keys", "audit"],
    isShown: true,
    done: ({ key }) => setMade(key),
  });
  if (made !== undefined) return <SecretDialog title={keys.made} label={keys.key} value={made} onClose={onClose} />;

  const submit = (form: FormData): void => {
    const filter = readFilter(textOf(form, "filter"));
    const chosen = scopes.filter((scope) => form.has(scope));
    setWrong(filter === "wrong" ? "filter" : chosen.length === 0 ? "scope" : undefined);
    if (filter === "wrong" || chosen.length === 0) return;
    create.mutate({
      name: textOf(form, "name"),
      workspace: textOf(form, "workspace"),
      scopes: chosen,
      expiresInDays: numberOf(form, "days"),
      requestsPerMinute: numberOf(form, "requests"),
      filter,
    });
  };
  return (
    <FormDialog
      title={keys.createTitle}
      submit={keys.createSubmit}
      isPending={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={common.name} name="name" hint={keys.nameHint} maxLength={100} autoComplete="off" />
      <Select key={workspaces.length} label={common.workspace} name="workspace" defaultValue={workspaceId}>
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <fieldset className="choices">
        <legend className="field-label">{keys.scopes}</legend>
        {scopes.map((scope) => (
          <Checkbox
            key={scope}
            label={`${scope}: ${keys.scopeMeans[scope]}`}
            name={scope}
            defaultChecked={scope !== "admin"}
          />
        ))}
        {wrong === "scope" && (
          <p className="field-error" role="alert">
            {keys.noScope}
          </p>
        )}
      </fieldset>
      <div className="fields">
        <Field label={keys.expiry} name="days" type="number" min={1} max={maxDays} hint={keys.expiryHint} />
        <Field label={keys.rate} name="requests" type="number" min={1} max={maxRequests} hint={keys.rateHint} />
      </div>
      <TextArea
        label={keys.filter}
        name="filter"
        rows={2}
        hint={keys.filterHint}
        error={wrong === "filter" ? keys.filterWrong : undefined}
        spellCheck={false}
      />
    </FormDialog>
  );
}

/** Returns "wrong" if the text is not a filter. */
function readFilter(text: string): Filter | "wrong" | undefined {
  try {
    return filterOfText(text);
  } catch {
    return "wrong";
  }
}
