/** A document that quickstart creates. */
export interface Sample {
  readonly fileName: string;
  readonly title: string;
  readonly pages: readonly SamplePage[];
}

export interface SamplePage {
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly chart?: Chart;
}

/** A bar chart. */
export interface Chart {
  readonly caption: string;
  readonly unit: string;
  readonly bars: readonly (readonly [label: string, value: number])[];
}

/** A question with the one page that answers it. */
export interface SampleQuestion {
  readonly question: string;
  readonly fileName: string;
  /** Page number, from 1. */
  readonly page: number;
}
