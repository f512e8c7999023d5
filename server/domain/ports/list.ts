export interface ListResult<Row> {
  /** Number of all matching rows. */
  readonly total: number;
  readonly data: readonly Row[];
}

export interface SortKey<Property extends string> {
  readonly property: Property;
  readonly descending: boolean;
}
