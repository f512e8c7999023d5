import { readCondition } from "@drs/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { useLocation } from "wouter";
import { Button, IconButton } from "../design/button.tsx";
import { Dialog, textOf } from "../design/dialog.tsx";
import { messageOf } from "../design/failure.tsx";
import { Field, Select } from "../design/field.tsx";
import { useDrs } from "../shell/drs.tsx";
import { useTexts } from "../texts/texts.tsx";
import { addressOf, knownFormats, type Question } from "./question.ts";

interface FiltersProps {
  readonly question: Question;
}

/** The filters of the search, with buttons to remove each and to add another. */
export function Filters({ question }: FiltersProps): ReactElement {
  const { search } = useTexts();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const { where, datasetIds, formats } = question;
  return (
    <div className="row">
      {datasetIds.map((id) => (
        <DatasetFilter
          key={id}
          id={id}
          onRemove={() => navigate(addressOf({ ...question, datasetIds: datasetIds.filter((other) => other !== id) }))}
        />
      ))}
      {formats.map((format) => (
        <FilterChip
          key={format}
          text={format.toUpperCase()}
          onRemove={() => navigate(addressOf({ ...question, formats: formats.filter((other) => other !== format) }))}
        />
      ))}
      {where.map((condition) => (
        <FilterChip
          key={condition}
          text={condition}
          onRemove={() => navigate(addressOf({ ...question, where: where.filter((other) => other !== condition) }))}
        />
      ))}
      <Button icon="filter" kind="plain" onClick={() => setOpen(true)}>
        {search.filter}
      </Button>
      {isOpen && <FilterDialog question={question} onClose={() => setOpen(false)} />}
    </div>
  );
}

function FilterChip({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }): ReactElement {
  const { search } = useTexts();
  return (
    <span className="filter">
      <span className="one-line">{text}</span>
      <IconButton icon="close" label={search.removeFilter(text)} onClick={onRemove} />
    </span>
  );
}

function DatasetFilter({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }): ReactElement {
  const drs = useDrs();
  const { data } = useQuery({
    queryKey: ["datasets", id],
    queryFn: async ({ signal }) => drs.datasets.get(id, { signal }),
  });
  return <FilterChip text={data?.fileName ?? id} onRemove={onRemove} />;
}

/** The service's maximum page size. */
const offered = 100;

function FilterDialog({ question, onClose }: FiltersProps & { readonly onClose: () => void }): ReactElement {
  const { search, common } = useTexts();
  const [, navigate] = useLocation();
  const drs = useDrs();
  const [error, setError] = useState<string>();
  const { data } = useQuery({
    queryKey: ["datasets", "offered"],
    queryFn: async ({ signal }) => (await drs.datasets.page({ limit: offered }, { signal })).data,
  });
  const apply = (condition: string, dataset: string, format: string): void => {
    try {
      if (condition !== "") readCondition(condition);
    } catch (cause) {
      setError(messageOf(cause));
      return;
    }
    const where = condition === "" ? question.where : [...new Set([...question.where, condition])];
    const datasetIds = dataset === "" ? question.datasetIds : [...new Set([...question.datasetIds, dataset])];
    const formats = format === "" ? question.formats : [...new Set([...question.formats, format])];
    onClose();
    navigate(addressOf({ ...question, where, datasetIds, formats }));
  };
  return (
    <Dialog title={search.filterTitle} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          apply(textOf(form, "condition"), textOf(form, "dataset"), textOf(form, "format"));
        }}
      >
        <Field label={search.condition} hint={search.conditionHint} error={error} name="condition" autoComplete="off" />
        <Select label={search.document} name="dataset" defaultValue="">
          <option value="">{search.allDocuments}</option>
          {data?.map(({ id, fileName }) => (
            <option key={id} value={id}>
              {fileName}
            </option>
          ))}
        </Select>
        <Select label={search.format} name="format" defaultValue="">
          <option value="">{search.allFormats}</option>
          {knownFormats.map((format) => (
            <option key={format} value={format}>
              {format.toUpperCase()}
            </option>
          ))}
        </Select>
        <div className="row-end">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit">
            {search.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
