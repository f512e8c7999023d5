import { type ReactElement, useState } from "react";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { useTexts } from "../texts/texts.tsx";
import { EditForm } from "./edit-form.tsx";
import { type DocumentDialogProps, useUpdate } from "./use-update.ts";

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
