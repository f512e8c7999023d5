import type { ReactElement } from "react";
import { Checkbox, Field, TextArea } from "../design/field.tsx";
import { useTexts } from "../texts/texts.tsx";
import { useWrittenWishes, wishesOf } from "./wishes.ts";

/** The options of the next uploads. */
export function UploadOptions(): ReactElement {
  const { upload } = useTexts();
  const [written, change] = useWrittenWishes();
  return (
    <fieldset className="card upload-options">
      <legend className="unseen">{upload.options}</legend>
      <h2 className="upload-options-title">{upload.options}</h2>
      <Checkbox
        label={upload.vectorize}
        checked={written.vectorize}
        onChange={({ target }) => change({ vectorize: target.checked })}
      />
      <Field
        label={upload.expiresInDays}
        hint={upload.expiresHint}
        type="number"
        min={1}
        max={36_500}
        value={written.expiresInDays}
        onChange={({ target }) => change({ expiresInDays: target.value })}
      />
      <TextArea
        label={upload.metadata}
        hint={upload.metadataHint}
        error={isWritten(written.metadata) ? undefined : upload.metadataWrong}
        rows={3}
        spellCheck={false}
        value={written.metadata}
        onChange={({ target }) => change({ metadata: target.value })}
      />
    </fieldset>
  );
}

function isWritten(metadata: string): boolean {
  try {
    wishesOf({ vectorize: true, metadata, expiresInDays: "" });
    return true;
  } catch {
    return false;
  }
}
