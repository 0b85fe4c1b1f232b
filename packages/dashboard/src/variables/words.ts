/** Kinds, declared types and changes as people see them. */
import type { DeclaredType, Digested } from '@rollkey/contract'
import type { Change } from './change.ts'

export const kindNames: Readonly<Record<Digested['kind'], string>> = { secret: 'Secret', ab_roll: 'A/B roll' }

export const typeNames: Readonly<Record<DeclaredType, string>> = {
  string: 'text',
  boolean: 'boolean',
  int64: 'whole number',
  float: 'number',
  date: 'date',
  json: 'JSON',
}

/** What was done to a variable. */
export const changeWords: Readonly<Record<Change['change'], string>> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted',
  restored: 'Restored',
}
