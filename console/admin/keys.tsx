import type { ApiKey } from "@drs/client";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Checkbox } from "../design/field.tsx";
import { FormDialog } from "../design/dialog.tsx";
import { Tag } from "../design/surfaces.tsx";
import { textOfFilter } from "../documents/metadata-text.ts";
import { Confirm, useChange } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useTexts } from "../texts/texts.tsx";
import { Listing, Section } from "./section.tsx";
import { useKeys, useWorkspaceName } from "./names.ts";
import { NewKeyDialog } from "./new-key.tsx";
import { SecretDialog } from "./secret.tsx";
import { useAdminTexts } from "./texts.ts";

/** The dialog that is open, and its key. */
type OpenDialog = { readonly kind: "create" } | { readonly kind: "revoke" | "rotate"; readonly key: ApiKey };

export function Keys(): ReactElement {
  const { keys, common } = useAdminTexts();
  const [dialog, setDialog] = useState<OpenDialog>();
  const [isAll, setAll] = useState(false);
  const query = useShownKeys(isAll);
  const close = (): void => setDialog(undefined);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setDialog({ kind: "create" })}>
      {keys.create}
    </Button>
  );
  return (
    <Section title={keys.title} about={keys.about} action={create}>
      <Checkbox label={keys.showRevoked} checked={isAll} onChange={({ target }) => setAll(target.checked)} />
      <Listing
        query={query}
        label={keys.title}
        head={[common.name, common.workspace, keys.scopes, common.state, common.used, common.expires, common.actions]}
        empty={{ title: keys.empty, next: keys.emptyNext }}
      >
        {(key) => <KeyRow key={key.id} entry={key} onAct={(kind) => setDialog({ kind, key })} />}
      </Listing>
      {dialog?.kind === "create" && <NewKeyDialog onClose={close} />}
      {dialog?.kind === "revoke" && <RevokeKey entry={dialog.key} onClose={close} />}
      {dialog?.kind === "rotate" && <RotateKey entry={dialog.key} onClose={close} />}
    </Section>
  );
}

function useShownKeys(isAll: boolean): UseQueryResult<readonly ApiKey[]> {
  const options = useKeys();
  return useQuery({
    ...options,
    select: (keys) => (isAll ? keys : keys.filter((key) => stateOf(key) === "works")),
  });
}

function stateOf({ revokedAt, expiresAt }: ApiKey): "works" | "revoked" | "expired" {
  const now = Date.now();
  if (revokedAt !== null && revokedAt <= now) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "works";
}

interface KeyRowProps {
  readonly entry: ApiKey;
  readonly onAct: (kind: "revoke" | "rotate") => void;
}

function KeyRow({ entry, onAct }: KeyRowProps): ReactElement {
  const { keys } = useAdminTexts();
  const { common: all } = useTexts();
  const formats = useFormats();
  const workspaceName = useWorkspaceName();
  const { id, name, workspaceId, scopes, lastUsedAt, expiresAt, filter } = entry;
  const state = stateOf(entry);
  return (
    <tr>
      <td>
        {name === "" ? <span className="quiet">{keys.unnamed}</span> : name}
        <br />
        <code className="quiet small">{id}</code>
      </td>
      <td>{workspaceName(workspaceId)}</td>
      <td>
        <span className="row tags">
          {scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </span>
        {filter !== null && (
          <code className="small key-filter" title={keys.bound}>
            {textOfFilter(filter)}
          </code>
        )}
      </td>
      <td>
        <Tag tone={state === "works" ? "accent" : "signal"}>{keys[state]}</Tag>
      </td>
      <td className="numbers">{lastUsedAt === null ? all.never : formats.time(lastUsedAt)}</td>
      <td className="numbers">{expiresAt === null ? all.never : formats.time(expiresAt)}</td>
      <td>
        {state === "works" && (
          <span className="cell-actions">
            <Button onClick={() => onAct("rotate")}>{keys.rotate}</Button>
            <Button kind="danger" onClick={() => onAct("revoke")}>
              {keys.revoke}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

interface KeyChangeProps {
  readonly entry: ApiKey;
  readonly onClose: () => void;
}

function RevokeKey({ entry: { id, name }, onClose }: KeyChangeProps): ReactElement {
  const { keys } = useAdminTexts();
  const drs = useDrs();
  return (
    <Confirm
      title={keys.revokeTitle(name || id)}
      submit={keys.revoke}
      run={async () => drs.keys.revoke(id)}
      stale={["keys", "audit"]}
      done={keys.revokeDone}
      onClose={onClose}
    >
      {keys.revokeAbout}
    </Confirm>
  );
}

function RotateKey({ entry: { id, name }, onClose }: KeyChangeProps): ReactElement {
  const { keys } = useAdminTexts();
  const drs = useDrs();
  const [made, setMade] = useState<string>();
  const rotate = useChange({
    run: async () => drs.keys.rotate(id),
    stale: ["keys", "audit"],
    isShown: true,
    done: ({ key }) => setMade(key),
  });
  if (made !== undefined) return <SecretDialog title={keys.made} label={keys.key} value={made} onClose={onClose} />;
  return (
    <FormDialog
      title={keys.rotateTitle(name || id)}
      submit={keys.rotate}
      isPending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate(undefined)}
      onClose={onClose}
    >
      <p>{keys.rotateAbout}</p>
    </FormDialog>
  );
}
