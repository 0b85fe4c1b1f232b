/** What a plan allows. RULINGS, "Metering". */
export interface Plan {
  readonly name: 'unlimited' | 'free'
  /** Billing events of a UTC calendar month. */
  readonly evaluationsPerMonth: number
  /** Bytes of the current sealed payloads. */
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
