import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Table } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { useChange } from "../shell/change.ts";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { useMe } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";

/** The personal tokens of a member, of terminals above all, each with what ends it. */
export function Tokens(): ReactElement | null {
  const { account } = useTexts();
  const { memberId } = useMe();
  const drs = useDrs();
  const formats = useFormats();
  const { data, error, refetch } = useQuery({
    queryKey: ["tokens"],
    queryFn: async ({ signal }) => drs.tokens.list({ signal }),
    enabled: memberId !== null,
  });
  const end = useChange({
    run: async (id: string) => drs.tokens.end(id),
    stale: ["tokens"],
    done: () => showToast(account.tokenEnded),
  });
  if (memberId === null) return null;
  return (
    <section className="stack">
      <h2>{account.tokens}</h2>
      <p className="quiet">{account.tokensAbout}</p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        !error && <Loading lines={2} />
      ) : (
        <Table label={account.tokens} head={[account.madeFor, account.made, account.actions]}>
          {data.map(({ id, deviceName, createdAt }) => (
            <tr key={id}>
              <td>{deviceName ?? account.ofJoining}</td>
              <td className="numbers">{formats.time(createdAt)}</td>
              <td>
                <Button kind="danger" disabled={end.isPending} onClick={() => end.mutate(id)}>
                  {account.end}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
