/** Kinds and declared types as people see them. */
import type { DeclaredType, Digested } from '@rollkey/contract'

export const kindNames: Readonly<Record<Digested['kind'], string>> = { secret: 'Secret', ab_roll: 'A/B roll' }

export const typeNames: Readonly<Record<DeclaredType, string>> = {
  string: 'text',
  boolean: 'boolean',
  int64: 'whole number',
  float: 'number',
  date: 'date',
  json: 'JSON',
}
