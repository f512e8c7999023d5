import { type ReactElement, useState } from "react";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { useTexts } from "../texts/texts.tsx";
import { EditForm } from "./edit-form.tsx";
import { type DocumentDialogProps, useUpdate } from "./use-update.ts";

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
