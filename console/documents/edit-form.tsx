import type { ReactElement, ReactNode } from "react";
import { Button } from "../design/button.tsx";
import { Failure } from "../design/failure.tsx";
import { useTexts } from "../texts/texts.tsx";

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
