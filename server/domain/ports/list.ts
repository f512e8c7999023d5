export interface ListResult<Row> {
  /** How many rows match in all. */
  readonly total: number;
  readonly data: readonly Row[];
}

export interface SortKey<Property extends string> {
  readonly property: Property;
  readonly descending: boolean;
}
