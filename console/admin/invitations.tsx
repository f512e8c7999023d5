import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "../design/button.tsx";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useChange } from "../shell/change.ts";
import { useFormats } from "../shell/formats.ts";
import { Listing } from "./listing.tsx";
import { useAdminTexts } from "./texts.ts";

/** The invitations that nobody has accepted yet. Renders nothing if there are none. */
export function Invitations(): ReactElement | null {
  const { members, common } = useAdminTexts();
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
            <td>{common.roles[role]}</td>
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
