import type { Dataset, DatasetChanges } from "@drs/client";
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useState } from "react";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Failure } from "../design/failure.tsx";
import { Field } from "../design/field.tsx";
import { useDrs } from "../shell/drs.tsx";
import { showToast } from "../shell/toasts.tsx";
import { useTexts } from "../texts/texts.tsx";

export function RenameDialog(props: DocumentDialogProps): ReactElement {
  const { documents } = useTexts();
  const [fileName, setFileName] = useState(props.dataset.fileName);
  const { mutate, error, isPending } = useUpdate(props);
  return (
    <Dialog title={documents.rename} onClose={props.onClose}>
      <EditForm {...{ error, isPending, onClose: props.onClose }} onSave={() => mutate({ fileName: fileName.trim() })}>
        <Field
          label={documents.fileName}
          value={fileName}
          maxLength={1024}
          required
          autoComplete="off"
          onChange={({ target }) => setFileName(target.value)}
        />
      </EditForm>
    </Dialog>
  );
}

const dayMs = 86_400_000;
/** The service's maximum. */
const maxDays = 36_500;

export function ExpiryDialog(props: DocumentDialogProps): ReactElement {
  const { documents } = useTexts();
  const { expiresAt } = props.dataset;
  const [isKept, setKept] = useState(expiresAt === null);
  const [days, setDays] = useState(() =>
    String(expiresAt === null ? 30 : Math.max(1, Math.round((expiresAt - Date.now()) / dayMs))),
  );
  const { mutate, error, isPending } = useUpdate(props);
  const choices = [
    [true, documents.keep],
    [false, documents.keepFor],
  ] as const;
  return (
    <Dialog title={documents.expiry} onClose={props.onClose}>
      <EditForm
        {...{ error, isPending, onClose: props.onClose }}
        onSave={() => mutate({ expiresInDays: isKept ? -1 : Number(days) })}
      >
        <fieldset className="choices">
          <legend className="unseen">{documents.expiry}</legend>
          {choices.map(([kept, label]) => (
            <label key={label} className="checkbox">
              <input type="radio" name="expiry" checked={isKept === kept} onChange={() => setKept(kept)} />
              {label}
            </label>
          ))}
        </fieldset>
        {!isKept && (
          <Field
            label={documents.inDays}
            type="number"
            min={1}
            max={maxDays}
            step={1}
            required
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        )}
      </EditForm>
    </Dialog>
  );
}

interface EditFormProps {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The content of a dialog that edits something: the fields, the failure and the buttons. */
export function EditForm({ error, isPending, onSave, onClose, children }: EditFormProps): ReactElement {
  const { documents, common } = useTexts();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      {children}
      {error !== null && <Failure error={error} />}
      <div className="row-end">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button kind="primary" type="submit" disabled={isPending}>
          {documents.save}
        </Button>
      </div>
    </form>
  );
}

/** Properties of each dialog of a document. */
export interface DocumentDialogProps {
  readonly dataset: Dataset;
  readonly onClose: () => void;
}

/** Changes a document, then closes its dialog. The dialog shows a failure. */
export function useUpdate({
  dataset: { id },
  onClose,
}: DocumentDialogProps): UseMutationResult<Dataset, Error, DatasetChanges> {
  const { documents } = useTexts();
  const drs = useDrs();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (changes: DatasetChanges) => drs.datasets.update(id, changes),
    meta: { isShown: true },
    async onSuccess() {
      onClose();
      showToast(documents.saved);
      await queries.invalidateQueries({ queryKey: ["datasets"] });
    },
  });
}
