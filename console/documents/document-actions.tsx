import type { Dataset } from "@drs/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { Menu, MenuItem } from "../design/menu.tsx";
import { ownLink, useDrs } from "../shell/drs.tsx";
import { useMay } from "../shell/session.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import { DeleteDialog } from "./delete-dialogs.tsx";
import { ExpiryDialog, RenameDialog } from "./edit-dialogs.tsx";
import { MetadataDialog } from "./metadata-dialog.tsx";

const dialogs = { rename: RenameDialog, editMetadata: MetadataDialog, expiry: ExpiryDialog } as const;
type Dialog = keyof typeof dialogs;

interface DocumentActionsProps {
  readonly dataset: Dataset;
  /** Whether it has pages that can be made searchable, and no job has started or failed to do so. */
  readonly mayVectorize: boolean;
}

/** The actions on a document. */
export function DocumentActions({ dataset, mayVectorize }: DocumentActionsProps): ReactElement {
  const { documents } = useTexts();
  const mayWrite = useMay("write");
  const drs = useDrs();
  const queries = useQueryClient();
  const isSearchable = useSearchable(dataset.id);
  const [open, setOpen] = useState<Dialog | "delete">();
  const vectorize = useMutation({
    mutationFn: async () => drs.datasets.vectorize(dataset.id),
    async onSuccess() {
      showToast(documents.vectorizing);
      await queries.invalidateQueries({ queryKey: ["jobs"] });
    },
  });
  const close = (): void => setOpen(undefined);
  const Opened = open === undefined || open === "delete" ? undefined : dialogs[open];
  return (
    <div className="row">
      {mayWrite && isSearchable === false && mayVectorize && (
        <Button kind="primary" icon="search" disabled={vectorize.isPending} onClick={() => vectorize.mutate()}>
          {documents.vectorize}
        </Button>
      )}
      <a className="button" href={ownLink(dataset.share)} download={dataset.fileName}>
        <Icon name="download" />
        {documents.download}
      </a>
      {mayWrite && (
        <Menu icon="more" label={documents.more}>
          <MenuItem onClick={() => setOpen("rename")}>{documents.rename}</MenuItem>
          <MenuItem onClick={() => setOpen("editMetadata")}>{documents.editMetadata}</MenuItem>
          <MenuItem onClick={() => setOpen("expiry")}>{documents.expiry}</MenuItem>
          <MenuItem onClick={() => setOpen("delete")}>{documents.delete}</MenuItem>
        </Menu>
      )}
      {Opened && <Opened dataset={dataset} onClose={close} />}
      {open === "delete" && <DeleteDialog dataset={dataset} onClose={close} />}
    </div>
  );
}

/** Whether pages of a document are searchable; undefined until it is known. */
export function useSearchable(datasetId: string): boolean | undefined {
  const drs = useDrs();
  const { data } = useQuery({
    queryKey: ["items", datasetId, "searchable"],
    queryFn: async ({ signal }) =>
      (await drs.items.page(datasetId, { row: "embedding_image", limit: 1 }, { signal })).total > 0,
    staleTime: 30_000,
  });
  return data;
}
