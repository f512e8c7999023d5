import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Table } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { Confirm } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { useRefusal, useSignInWays } from "../sign-in/ways.tsx";
import { useTexts } from "../texts/texts.tsx";

/** The provider accounts that a member signs in with. Renders nothing if there is no provider. */
export function Identities(): ReactElement | null {
  const { account } = useTexts();
  const { memberId } = useMe();
  const oidc = useSignInWays()?.oidc ?? null;
  const drs = useDrs();
  const formats = useFormats();
  const refusal = useRefusal();
  const { data, error, refetch } = useQuery({
    queryKey: ["identities"],
    queryFn: async ({ signal }) => drs.sessions.identities({ signal }),
    enabled: memberId !== null && oidc !== null,
  });
  const link = useMutation({
    mutationFn: async () => drs.sessions.link(),
    onSuccess: (address) => location.assign(address),
  });
  const [isUnlinking, setUnlinking] = useState(false);
  if (memberId === null || oidc === null) return null;
  return (
    <section className="stack">
      <h2>{account.provider}</h2>
      <p className="quiet">{account.providerAbout(oidc.name)}</p>
      {refusal !== undefined && (
        <p className="failure" role="alert">
          {refusal}
        </p>
      )}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading lines={2} />}
      {data !== undefined && data.length > 0 && (
        <Table label={account.provider} head={[account.provider, account.linked]}>
          {data.map(({ issuer, createdAt }) => (
            <tr key={`${issuer} ${createdAt}`}>
              <td>{issuer}</td>
              <td className="numbers">{formats.time(createdAt)}</td>
            </tr>
          ))}
        </Table>
      )}
      {data !== undefined && (
        <div className="row">
          <Button disabled={link.isPending} onClick={() => link.mutate()}>
            {account.link(oidc.name)}
          </Button>
          {data.length > 0 && (
            <Button kind="danger" onClick={() => setUnlinking(true)}>
              {account.unlink}
            </Button>
          )}
        </div>
      )}
      {isUnlinking && (
        <Confirm
          title={account.unlinkTitle(oidc.name)}
          submit={account.unlink}
          run={async () => drs.sessions.unlink()}
          stale={["identities"]}
          done={account.unlinked}
          onClose={() => setUnlinking(false)}
        >
          {account.unlinkAbout}
        </Confirm>
      )}
    </section>
  );
}
