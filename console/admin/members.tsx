import type { Member, MemberRole } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Tag } from "../design/surfaces.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useMe } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Confirm, useChange } from "../shell/change.tsx";
import { useFormats } from "../shell/formats.ts";
import { Invitations, Invite } from "./invitations.tsx";
import { Listing, Section } from "./section.tsx";
import { useMembers } from "./names.ts";
import { grantableRoles } from "./permissions.ts";
import { useAdminTexts } from "./texts.ts";

export function Members(): ReactElement {
  const { members, common } = useAdminTexts();
  const query = useQuery(useMembers());
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member>();
  const invite = (
    <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
      {members.invite}
    </Button>
  );
  return (
    <Section title={members.title} about={members.about} action={invite}>
      <Listing
        query={query}
        label={members.title}
        head={[common.name, common.role, members.joined, common.used, common.actions]}
        empty={{ title: members.empty, next: members.emptyNext }}
      >
        {(member) => <MemberRow key={member.id} member={member} onRemove={() => setLeaving(member)} />}
      </Listing>
      <Invitations />
      {isInviting && <Invite onClose={() => setInviting(false)} />}
      {leaving && <RemoveMember member={leaving} onClose={() => setLeaving(undefined)} />}
    </Section>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly onRemove: () => void;
}

function MemberRow({ member, onRemove }: MemberRowProps): ReactElement {
  const { members } = useAdminTexts();
  const { account, common } = useTexts();
  const me = useMe();
  const formats = useFormats();
  const { id, name, role, createdAt, lastUsedAt } = member;
  const isSelf = id === me.memberId;
  const isInReach = !isSelf && grantableRoles(me).includes(role);
  return (
    <tr>
      <td>
        {name} {isSelf && <Tag tone="accent">{members.you}</Tag>}
      </td>
      <td>{isInReach ? <RoleSelect member={member} /> : account.roles[role]}</td>
      <td className="numbers">{formats.time(createdAt)}</td>
      <td className="numbers">{lastUsedAt === null ? common.never : formats.time(lastUsedAt)}</td>
      <td>
        {isInReach && (
          <Button kind="danger" onClick={onRemove}>
            {members.remove}
          </Button>
        )}
      </td>
    </tr>
  );
}

function RoleSelect({ member: { id, name, role } }: { readonly member: Member }): ReactElement {
  const { members } = useAdminTexts();
  const { account } = useTexts();
  const drs = useDrs();
  const roles = grantableRoles(useMe());
  const change = useChange({
    run: async (next: MemberRole) => drs.members.setRole(id, next),
    stale: ["members", "audit"],
    done: () => showToast(members.roleChanged(name)),
  });
  return (
    <select
      className="input"
      aria-label={members.roleOf(name)}
      value={change.isPending ? change.variables : role}
      onChange={({ target }) => {
        const chosen = roles.find((candidate) => candidate === target.value);
        if (chosen !== undefined) change.mutate(chosen);
      }}
    >
      {roles.map((candidate) => (
        <option key={candidate} value={candidate}>
          {account.roles[candidate]}
        </option>
      ))}
    </select>
  );
}

interface RemoveMemberProps {
  readonly member: Member;
  readonly onClose: () => void;
}

function RemoveMember({ member: { id, name }, onClose }: RemoveMemberProps): ReactElement {
  const { members } = useAdminTexts();
  const drs = useDrs();
  return (
    <Confirm
      title={members.removeTitle(name)}
      submit={members.remove}
      run={async () => drs.members.remove(id)}
      stale={["members", "audit"]}
      done={members.removed(name)}
      onClose={onClose}
    >
      {members.removeAbout}
    </Confirm>
  );
}
