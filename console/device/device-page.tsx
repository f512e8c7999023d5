import type { Device } from "@drs/client";
import { DrsError } from "@drs/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useSearchParams } from "wouter";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Field } from "../design/field.tsx";
import { Card, Empty } from "../design/surfaces.tsx";
import { Loading } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useMe } from "../shell/session.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Approves a terminal that shows a code (`drs login --browser`). A code in the address is shown, so that people compare it. */
export default function DevicePage(): ReactElement {
  const { device } = useTexts();
  const { memberId } = useMe();
  const [parameters, setParameters] = useSearchParams();
  const code = parameters.get("code") ?? "";
  if (memberId === null) {
    return (
      <Empty title={device.needsMember} isAll>
        {device.needsMemberNext}
      </Empty>
    );
  }
  return (
    <div className="stack-wide">
      <title>{`${device.title} · drs`}</title>
      <h1>{device.title}</h1>
      <p className="quiet">{device.about}</p>
      <form
        className="row"
        action={(form) => {
          const typed = form.get("code");
          if (typeof typed === "string" && typed.trim() !== "") setParameters({ code: typed.trim() });
        }}
      >
        <Field label={device.code} name="code" defaultValue={code} autoComplete="off" spellCheck={false} required />
        <Button type="submit">{device.look}</Button>
      </form>
      {code !== "" && <Found key={code} code={code} />}
    </div>
  );
}

function Found({ code }: { readonly code: string }): ReactElement {
  const { device } = useTexts();
  const drs = useDrs();
  const { data, error, refetch } = useQuery({
    queryKey: ["device", code],
    queryFn: async ({ signal }) => drs.devices.get(code, { signal }),
  });
  if (error instanceof DrsError && (error.code === "not_found" || error.code === "invalid_argument")) {
    return (
      <p className="failure" role="alert">
        {device.unknown}
      </p>
    );
  }
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : <Waiting {...data} />;
}

function Waiting({ userCode, name }: Device): ReactElement {
  const { device } = useTexts();
  const drs = useDrs();
  const answer = useMutation({
    mutationFn: async (isIn: boolean) => {
      await (isIn ? drs.devices.approve(userCode) : drs.devices.deny(userCode));
      return isIn;
    },
  });
  if (answer.data !== undefined) return <output>{answer.data ? device.approved : device.denied}</output>;
  return (
    <Card>
      <h2>{device.asks(name)}</h2>
      <p>{device.compare}</p>
      <p className="device-code numbers">{userCode}</p>
      <div className="row">
        <Button kind="primary" disabled={answer.isPending} onClick={() => answer.mutate(true)}>
          {device.approve}
        </Button>
        <Button disabled={answer.isPending} onClick={() => answer.mutate(false)}>
          {device.deny}
        </Button>
      </div>
    </Card>
  );
}
