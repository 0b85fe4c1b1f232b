/** The stages that an address compares, by their slugs. Absent: the first two of the project. */
export interface CompareSearch {
  readonly from?: string
  readonly to?: string
}

export function compareSearch({ from, to }: Readonly<Record<string, unknown>>): CompareSearch {
  return { ...(typeof from === 'string' && { from }), ...(typeof to === 'string' && { to }) }
}
