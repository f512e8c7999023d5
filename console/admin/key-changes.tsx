import type { ApiKey } from "@drs/client";
import { type ReactElement, useState } from "react";
import { useDrs } from "../shell/drs.tsx";
import { useChange } from "../shell/change.ts";
import { Confirm } from "../shell/confirm.tsx";
import { FormDialog } from "../design/form-dialog.tsx";
import { SecretDialog } from "./secret.tsx";
import { useAdminTexts } from "./texts.ts";

interface KeyChangeProps {
  readonly entry: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKey({ entry: { id, name }, onClose }: KeyChangeProps): ReactElement {
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

export function RotateKey({ entry: { id, name }, onClose }: KeyChangeProps): ReactElement {
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
