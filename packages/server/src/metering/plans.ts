/** The limits of a plan. */
export interface Plan {
  readonly name: 'unlimited' | 'free'
  /** Maximum billing events per UTC calendar month. */
  readonly evaluationsPerMonth: number
  /** Maximum bytes of the current sealed payloads. */
  readonly storageBytes: number
}

export const unlimited: Plan = {
  name: 'unlimited',
  evaluationsPerMonth: Number.MAX_SAFE_INTEGER,
  storageBytes: Number.MAX_SAFE_INTEGER,
}

export function freePlan(evaluationsPerMonth: number, storageBytes: number): Plan {
  return { name: 'free', evaluationsPerMonth, storageBytes }
}
