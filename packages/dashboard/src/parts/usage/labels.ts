/** Texts about the limits of the plan. */
export const labels = {
  ofLimit: (share: string, limit: string) => `${share} of ${limit}`,
} as const
