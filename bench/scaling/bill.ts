/** Prices in one currency. None is a vendor's: replace them with your own. */
export interface Prices {
  readonly objectGbMonth: number;
  readonly databaseGbMonth: number;
  readonly coreHour: number;
  readonly thousandWrites: number;
  readonly thousandReads: number;
}

export interface Amounts {
  readonly objectBytes: number;
  readonly databaseBytes: number;
  readonly coreHours: number;
  /** Writes and lists. */
  readonly writes: number;
  readonly reads: number;
}

export interface BillLine {
  readonly what: keyof Prices;
  readonly amount: number;
  readonly cost: number;
}

/** Returns the cost of amounts; stored ones for a month. */
export function billOf(amounts: Amounts, prices: Prices): readonly BillLine[] {
  const quantities: Readonly<Record<keyof Prices, number>> = {
    objectGbMonth: amounts.objectBytes / 1e9,
    databaseGbMonth: amounts.databaseBytes / 1e9,
    coreHour: amounts.coreHours,
    thousandWrites: amounts.writes / 1e3,
    thousandReads: amounts.reads / 1e3,
  };
  const line = (what: keyof Prices): BillLine => ({
    what,
    amount: quantities[what],
    cost: quantities[what] * prices[what],
  });
  return [
    line("objectGbMonth"),
    line("databaseGbMonth"),
    line("coreHour"),
    line("thousandWrites"),
    line("thousandReads"),
  ];
}

export const totalOf = (lines: readonly BillLine[]): number => lines.reduce((sum, { cost }) => sum + cost, 0);
