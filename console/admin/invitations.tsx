import type { InvitationRequest } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Field, Select } from "../design/field.tsx";
import { FormDialog, numberOf, textOf } from "../design/dialog.tsx";
import { Secret } from "../design/secret.tsx";
import { joinPath } from "../join/invitation.ts";
import { useChange } from "../shell/change.tsx";
import { server, useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { Listing } from "./section.tsx";
import { grantableRoles } from "./permissions.ts";
import { SecretDialog } from "./secret.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useAdminTexts } from "./texts.ts";

/** The invitations that nobody has accepted yet. Renders nothing if there are none. */
export function Invitations(): ReactElement | null {
  const { members, common } = useAdminTexts();
  const { account } = useTexts();
  const drs = useDrs();
  const formats = useFormats();
  const query = useQuery({
    queryKey: ["invitations"],
    queryFn: async ({ signal }) => drs.members.invitations({ signal }),
  });
  const revoke = useChange({
    run: async (id: string) => drs.members.revokeInvitation(id),
    stale: ["invitations", "audit"],
    done: () => showToast(members.revoked),
  });
  if (query.data?.length === 0) return null;
  return (
    <>
      <h3>{members.invitations}</h3>
      <Listing
        query={query}
        label={members.invitations}
        head={[common.name, common.role, common.created, common.expires, common.actions]}
      >
        {({ id, name, role, createdAt, expiresAt }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>{account.roles[role]}</td>
            <td className="numbers">{formats.time(createdAt)}</td>
            <td className="numbers">{formats.time(expiresAt)}</td>
            <td>
              <Button onClick={() => revoke.mutate(id)}>{members.revoke}</Button>
            </td>
          </tr>
        )}
      </Listing>
    </>
  );
}

const defaultHours = 72;
/** The service's maximum. */
const maxHours = 720;

/** Asks whom to invite, then shows the invitation once. */
export function Invite({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { members, common } = useAdminTexts();
  const { account, join } = useTexts();
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
            {account.roles[role]}: {join.roleMeans[role]}
          </option>
        ))}
      </Select>
      <Field label={members.hours} name="hours" type="number" min={1} max={maxHours} defaultValue={defaultHours} />
    </FormDialog>
  );
}
