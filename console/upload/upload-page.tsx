import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { useFailureText } from "../design/failure.tsx";
import { Checkbox, Field, TextArea } from "../design/field.tsx";
import { Icon } from "../design/icon.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import { FileButtons } from "./file-buttons.tsx";
import { UploadList } from "./upload-row.tsx";
import { lastOptions, optionsOf, useTypedOptions, useUploadEntries } from "./use-uploads.ts";

/** Uploads files, folders or an address, with options. */
export default function UploadPage(): ReactElement {
  const { upload } = useTexts();
  return (
    <div className="stack">
      <title>{`${upload.title} · drs`}</title>
      <h1>{upload.title}</h1>
      <div className="upload-grid">
        <div className="stack">
          <div className="drop-target">
            <Icon name="upload" />
            <p className="drop-words">{upload.drop}</p>
            <p className="quiet small">{upload.about}</p>
            <FileButtons />
          </div>
          <ByAddress />
        </div>
        <OptionsForm />
      </div>
      <UploadList entries={useUploadEntries()} />
    </div>
  );
}

/** Has the service fetch a document from an address. The document's page shows the progress. */
function ByAddress(): ReactElement {
  const { upload } = useTexts();
  const drs = useDrs();
  const queries = useQueryClient();
  const failureText = useFailureText();
  const [, navigate] = useLocation();
  const [address, setAddress] = useState("");
  const [isWrong, setWrong] = useState(false);
  const fetching = useMutation({
    mutationFn: async (url: URL) => drs.datasets.upload(url, lastOptions()),
    meta: { isShown: true },
    async onSuccess({ datasetId }) {
      navigate(`/documents/${datasetId}`);
      await queries.invalidateQueries({ queryKey: ["jobs"] });
    },
  });
  const failure = fetching.error === null ? undefined : failureText(fetching.error);
  return (
    <form
      className="card by-address"
      onSubmit={(event) => {
        event.preventDefault();
        const url = URL.parse(address.trim());
        const isAddress = url !== null && /^https?:$/.test(url.protocol);
        setWrong(!isAddress);
        if (isAddress) fetching.mutate(url);
      }}
    >
      <Field
        label={upload.address}
        hint={upload.addressHint}
        error={isWrong ? upload.addressWrong : failure}
        inputMode="url"
        autoComplete="off"
        placeholder="https://"
        value={address}
        onChange={({ target }) => setAddress(target.value)}
      />
      <Button type="submit" disabled={fetching.isPending}>
        {upload.fetch}
      </Button>
    </form>
  );
}

/** The options of the next uploads. */
function OptionsForm(): ReactElement {
  const { upload } = useTexts();
  const [written, change] = useTypedOptions();
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
    optionsOf({ vectorize: true, metadata, expiresInDays: "" });
    return true;
  } catch {
    return false;
  }
}
