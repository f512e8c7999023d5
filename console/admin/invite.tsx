import type { InvitationRequest } from "@drs/client";
import { type ReactElement, useState } from "react";
import { Secret } from "../design/secret.tsx";
import { Field, Select } from "../design/field.tsx";
import { joinPath } from "../join/invitation.ts";
import { server, useDrs } from "../shell/drs.tsx";
import { useMe } from "../shell/session.tsx";
import { useChange } from "../shell/change.ts";
import { FormDialog, numberOf, textOf } from "../design/form-dialog.tsx";
import { grantableRoles } from "./powers.ts";
import { SecretDialog } from "./secret.tsx";
import { useAdminTexts } from "./texts.ts";

const defaultHours = 72;
/** The service's maximum. */
const maxHours = 720;

/** Asks whom to invite, then shows the invitation once. */
export function Invite({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { members, common } = useAdminTexts();
  const drs = useDrs();
  const roles = grantableRoles(useMe());
  const [token, setToken] = useState<string>();
  const invite = useChange({
    run: async (invitation: InvitationRequest) => drs.members.invite(invitation),
    stale: ["invitations", "audit"],
    isShown: true,
    done: (made) => setToken(made.token),
  });
  if (token !== undefined) {
    return (
      <SecretDialog
        title={members.invited}
        label={members.link}
        value={`${server}${joinPath}#${token}`}
        onClose={onClose}
      >
        <p>{members.linkNext}</p>
        <Secret label={members.token} value={token} />
        <p>{members.tokenNext(server)}</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={members.inviteTitle}
      submit={members.invite}
      isPending={invite.isPending}
      error={invite.error}
      onSubmit={(form) => {
        const role = roles.find((candidate) => candidate === textOf(form, "role")) ?? "viewer";
        invite.mutate({ name: textOf(form, "name"), role, expiresInHours: numberOf(form, "hours") });
      }}
      onClose={onClose}
    >
      <Field label={members.whom} name="name" required hint={members.whomHint} autoComplete="off" />
      <Select label={common.role} name="role" defaultValue="member">
        {roles.map((role) => (
          <option key={role} value={role}>
            {common.roles[role]}: {common.roleMeans[role]}
          </option>
        ))}
      </Select>
      <Field label={members.hours} name="hours" type="number" min={1} max={maxHours} defaultValue={defaultHours} />
    </FormDialog>
  );
}
