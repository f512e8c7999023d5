import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../design/button.tsx";
import { useFailureText } from "../design/failure.tsx";
import { Field } from "../design/field.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import { lastWishes } from "./wishes.ts";

/** Has the service fetch a document from an address. The document's page shows the progress. */
export function ByAddress(): ReactElement {
  const { upload } = useTexts();
  const drs = useDrs();
  const queries = useQueryClient();
  const failureText = useFailureText();
  const [, navigate] = useLocation();
  const [address, setAddress] = useState("");
  const [isWrong, setWrong] = useState(false);
  const fetching = useMutation({
    mutationFn: async (url: URL) => drs.datasets.upload(url, lastWishes()),
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
