/** Texts that name who made a change. */
export const labels = {
  planOf: (name: string) => `${name}’s plan`,
} as const
