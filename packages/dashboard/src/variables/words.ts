/** Kinds, declared types and changes as people see them. */
import {
  attributeNames,
  kinds,
  type AttributeName,
  type Attributes,
  type DeclaredType,
  type Kind,
} from '@rollkey/contract/rules'
import { percentText } from '../base/chance.ts'
import type { Change } from './change.ts'

export function kindName(kind: Kind): string {
  return kinds[kind].label
}

/** An attribute as people see it, such as "10 %". */
export const attributeTexts: Readonly<Record<AttributeName, (value: number) => string>> = { chance: percentText }

/** An attribute in a cell of the table, such as "A 10 %". */
export const attributeHints: typeof attributeTexts = { chance: (chance) => `A ${percentText(chance)}` }

/** The attributes that a variable has. */
export function attributeEntries(variable: Attributes): readonly (readonly [AttributeName, number])[] {
  return attributeNames.flatMap((name) => {
    const value = variable[name]
    return value === undefined ? [] : [[name, value] as const]
  })
}

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

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
