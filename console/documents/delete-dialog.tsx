import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Failure } from "../design/failure.tsx";
import { Skeleton } from "../design/waiting.tsx";
import { useFormats } from "../shell/formats.ts";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { DocumentDialogProps } from "./use-update.ts";

/** Asks before a document is deleted, and says how much space that frees. */
export function DeleteDialog({ dataset, onClose }: DocumentDialogProps): ReactElement {
  const { documents, common } = useTexts();
  const formats = useFormats();
  const drs = useDrs();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { id, fileName, itemCount } = dataset;
  const { data: trial, error } = useQuery({
    queryKey: ["deletion", id],
    queryFn: async ({ signal }) => drs.datasets.deleteMany({ ids: [id] }, { dryRun: true, signal }),
    gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: async () => drs.datasets.delete(id),
    meta: { isShown: true },
    async onSuccess({ freedBytes }) {
      navigate("/documents");
      showToast(documents.deleted(fileName, formats.bytes(freedBytes)));
      queries.removeQueries({ queryKey: ["datasets", "one", id] });
      await queries.invalidateQueries({ queryKey: ["datasets"] });
      await queries.invalidateQueries({ queryKey: ["jobs"] });
    },
  });
  const pages = documents.pageCount(formats.count(itemCount), itemCount === 1);
  return (
    <Dialog title={documents.deleteTitle(fileName)} onClose={onClose}>
      <div className="stack">
        {trial === undefined ? (
          <Skeleton height="3em" />
        ) : (
          <p>{documents.deleteFrees(pages, formats.bytes(trial.freedBytes))}</p>
        )}
        {(remove.error ?? error) !== null && <Failure error={remove.error ?? error} />}
        <div className="row-end">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="danger" icon="delete" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {documents.delete}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
