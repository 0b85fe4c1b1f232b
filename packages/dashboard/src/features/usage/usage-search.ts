/** How many days the pages about usage look back, today included. */
export const spans = [7, 30, 90, 400] as const
export type Span = (typeof spans)[number]

export const usualSpan: Span = 30

/** The search parameters of the pages about usage. */
export interface UsageSearch {
  /** Absent: 30 days. */
  readonly days?: Span | undefined
  /** The stage whose days are shown, such as `shop/prod`. Absent: all together. */
  readonly stage?: string | undefined
}

/** Returns the known parameters of an address. */
export function usageSearch({ days, stage }: Readonly<Record<string, unknown>>): UsageSearch {
  const span = spans.find((each) => each === Number(days))
  return {
    ...(span !== undefined && span !== usualSpan && { days: span }),
    ...(typeof stage === 'string' && stage !== '' && { stage }),
  }
}
