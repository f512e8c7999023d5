import type { ReactElement } from "react";
import { Field, Select } from "../design/field.tsx";
import { useTexts } from "../texts/texts.tsx";
import { filterOfText } from "./metadata-text.ts";
import { type Question, sorts, states } from "./use-documents.ts";

const formats = ["pdf", "docx", "pptx", "xlsx"] as const;

interface FiltersProps {
  readonly question: Question;
  readonly onChange: (change: Partial<Question>) => void;
}

/** The filters and the order of the list. */
export function Filters({ question, onChange }: FiltersProps): ReactElement {
  const { documents } = useTexts();
  return (
    <search className="filters" aria-label={documents.filters}>
      <Field
        label={documents.name}
        type="search"
        value={question.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <Select
        label={documents.format}
        value={question.format}
        onChange={({ target }) => onChange({ format: target.value })}
      >
        <option value="">{documents.anyFormat}</option>
        {formats.map((format) => (
          <option key={format} value={format}>
            {format.toUpperCase()}
          </option>
        ))}
      </Select>
      <Select
        label={documents.state}
        value={question.state}
        onChange={({ target }) => onChange({ state: states.find((state) => state === target.value) ?? "" })}
      >
        <option value="">{documents.anyState}</option>
        {states.map((state) => (
          <option key={state} value={state}>
            {documents.states[state]}
          </option>
        ))}
      </Select>
      <Select
        label={documents.sort}
        value={question.sort}
        onChange={({ target }) => {
          const sort = sorts.find((candidate) => candidate === target.value);
          if (sort !== undefined) onChange({ sort });
        }}
      >
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {documents.sorts[sort]}
          </option>
        ))}
      </Select>
      <Field
        label={documents.where}
        type="search"
        placeholder={documents.whereHint}
        value={question.where}
        error={isFilter(question.where) ? undefined : documents.whereWrong}
        spellCheck={false}
        autoCapitalize="off"
        onChange={({ target }) => onChange({ where: target.value })}
      />
    </search>
  );
}

function isFilter(text: string): boolean {
  try {
    filterOfText(text);
    return true;
  } catch {
    return false;
  }
}
