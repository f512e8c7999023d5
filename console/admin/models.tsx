import type { Model, ModelProgress } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { Card, Table, Tag } from "../design/surfaces.tsx";
import { Loading, Progress } from "../design/waiting.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useMe } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useChange } from "../shell/change.tsx";
import { FormDialog } from "../design/dialog.tsx";
import { useFormats } from "../shell/formats.ts";
import { isOperator } from "./permissions.ts";
import { Section } from "./section.tsx";
import { type AdminTexts, useAdminTexts } from "./texts.ts";

/** Milliseconds between requests while a change is running, and otherwise. */
const [changingMs, quietMs] = [1_000, 15_000];

export function Models(): ReactElement {
  const { models, common } = useAdminTexts();
  const drs = useDrs();
  const [wanted, setWanted] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: ["models"],
    queryFn: async ({ signal }) => drs.models.list({ signal }),
    refetchInterval: ({ state }) => (state.data && isChanging(state.data.progress) ? changingMs : quietMs),
  });
  const head = [models.pack, models.licence, models.languages, models.size, models.documents, common.actions];
  return (
    <Section title={models.title} about={models.about}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data !== undefined && (
        <>
          {isChanging(data.progress) && <ChangeProgress progress={data.progress} />}
          <Table label={models.title} head={head}>
            {data.packs.map((pack) => (
              <PackRow key={pack.id} pack={pack} onUse={() => setWanted(pack.id)} />
            ))}
          </Table>
          <Failures failures={data.progress.failures} />
          <Hint />
        </>
      )}
      {wanted !== undefined && <UsePack id={wanted} onClose={() => setWanted(undefined)} />}
    </Section>
  );
}

const isChanging = ({ datasetsDone, datasetsFailed, datasetsTotal }: ModelProgress): boolean =>
  datasetsDone + datasetsFailed < datasetsTotal;

function Hint(): ReactElement {
  const { models } = useAdminTexts();
  return <p className="quiet">{isOperator(useMe()) ? models.install : models.onlyOperators}</p>;
}

interface PackRowProps {
  readonly pack: Model;
  readonly onUse: () => void;
}

function PackRow({ pack, onUse }: PackRowProps): ReactElement {
  const { models } = useAdminTexts();
  const formats = useFormats();
  const mayUse = isOperator(useMe());
  const { id, place, inUse, licence, languages, description, bytes, datasets } = pack;
  return (
    <tr>
      <td>
        <strong>{id}</strong> {inUse && <Tag tone="accent">{models.inUse}</Tag>}
        <p className="quiet small pack-about">{description}</p>
        <p className="quiet small">{placeName(models, place)}</p>
      </td>
      <td>{licence}</td>
      <td>{languages.join(", ")}</td>
      <td className="numbers">{formats.bytes(bytes)}</td>
      <td className="numbers">{formats.count(datasets)}</td>
      <td>{mayUse && !inUse && place !== "gone" && <Button onClick={onUse}>{models.use}</Button>}</td>
    </tr>
  );
}

const placeName = ({ places }: AdminTexts["models"], place: string): string =>
  Object.entries(places).find(([name]) => name === place)?.[1] ?? place;

function ChangeProgress({ progress }: { readonly progress: ModelProgress }): ReactElement {
  const { models } = useAdminTexts();
  const formats = useFormats();
  const { datasetsDone, datasetsTotal, pagesDone, pagesTotal } = progress;
  return (
    <Card>
      <h3>{models.changing}</h3>
      <Progress label={models.changing} done={pagesDone} total={pagesTotal} />
      <p className="numbers">
        {models.pages(formats.count(pagesDone), formats.count(pagesTotal))} ·{" "}
        {models.documentsDone(formats.count(datasetsDone), formats.count(datasetsTotal))}
      </p>
    </Card>
  );
}

function Failures({ failures }: { readonly failures: ModelProgress["failures"] }): ReactElement | null {
  const { models } = useAdminTexts();
  if (failures.length === 0) return null;
  return (
    <>
      <h3>{models.failures}</h3>
      <Table label={models.failures} head={[models.document, models.reason]}>
        {failures.map(({ datasetId, reason }) => (
          <tr key={datasetId}>
            <td>
              <code>{datasetId}</code>
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

interface UsePackProps {
  readonly id: string;
  readonly onClose: () => void;
}

function UsePack({ id, onClose }: UsePackProps): ReactElement {
  const { models } = useAdminTexts();
  const drs = useDrs();
  const use = useChange({
    run: async () => drs.models.use(id),
    stale: ["models", "audit"],
    isShown: true,
    done() {
      showToast(models.begun);
      onClose();
    },
  });
  return (
    <FormDialog
      title={models.confirm(id)}
      submit={models.use}
      isPending={use.isPending}
      error={use.error}
      onSubmit={() => use.mutate(undefined)}
      onClose={onClose}
    >
      <p>{models.confirmAbout}</p>
    </FormDialog>
  );
}
