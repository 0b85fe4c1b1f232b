/** Texts that name a person. */
export const labels = {
  you: (name: string) => `${name} (you)`,
} as const
