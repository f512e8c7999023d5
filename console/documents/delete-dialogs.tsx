import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { Dialog, FormDialog } from "../design/dialog.tsx";
import { Failure } from "../design/failure.tsx";
import { Skeleton } from "../design/waiting.tsx";
import { useChange } from "../shell/change.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useFormats } from "../shell/formats.ts";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";
import type { DocumentDialogProps } from "./edit-dialogs.tsx";

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

interface DeleteSelectedDialogProps {
  /** At most as many as one request may name. */
  readonly ids: readonly string[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks before several documents are deleted, and says how much space that frees. */
export function DeleteSelectedDialog({ ids, onDone, onClose }: DeleteSelectedDialogProps): ReactElement {
  const { documents } = useTexts();
  const formats = useFormats();
  const drs = useDrs();
  const counted = (count: number): string => documents.count(formats.count(count), count === 1);
  const { data: trial, error } = useQuery({
    queryKey: ["deletion", ids],
    queryFn: async ({ signal }) => drs.datasets.deleteMany({ ids }, { dryRun: true, signal }),
    gcTime: 0,
  });
  const remove = useChange({
    run: async () => drs.datasets.deleteMany({ ids }),
    stale: ["datasets", "jobs"],
    isShown: true,
    done(deletion) {
      showToast(documents.deletedMany(counted(deletion.ids.length), formats.bytes(deletion.freedBytes)));
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title={documents.deleteTitle(counted(ids.length))}
      submit={documents.delete}
      isDangerous
      isPending={remove.isPending || trial === undefined}
      error={remove.error ?? error}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      {trial === undefined ? (
        <Skeleton height="3em" />
      ) : (
        <p>{documents.deleteFrees(counted(trial.matching), formats.bytes(trial.freedBytes))}</p>
      )}
    </FormDialog>
  );
}
