/** Entries of a write. */
export function secret(name: string, value: string, declaredType?: string): object {
  return { name, kind: 'secret', value, ...(declaredType && { declaredType }) }
}

export function roll(name: string, chance: number, valueA = 'A', valueB = 'B'): object {
  return { name, kind: 'ab_roll', valueA, valueB, chance }
}
