/** A variable as a form holds it. */
import type { Digested, WriteEntry } from '@rollkey/contract'
import {
  attributeNames,
  attributesOf,
  isOfDeclaredType,
  kinds,
  limits,
  valueFields,
  valueFieldsOf,
  valuesOf,
  type AttributeChanges,
  type AttributeName,
  type AttributeTypes,
  type DeclaredType,
  type Kind,
  type ValueField,
} from '@rollkey/contract/rules'
import { attributeWords } from '../labels.ts'

type Attributes = { readonly [Name in AttributeName]: AttributeTypes[Name] }

/** With the values and attributes of every kind. A boolean has no value until one is chosen. */
export type Draft = {
  readonly name: string
  readonly kind: Kind
  /** Empty: none is declared. */
  readonly declaredType: DeclaredType | ''
} & { readonly [Field in ValueField]: string } & Attributes

const emptyValues = Object.fromEntries(valueFields.map((field) => [field, ''])) as Record<ValueField, string>
const initialAttributes = Object.fromEntries(
  attributeNames.map((name) => [name, attributeWords[name].initial]),
) as unknown as Attributes

/** Without values, which are not known; `like`: the same variable elsewhere, if there is one. */
export function newDraft(name: string, like?: Pick<Digested, 'kind' | 'declaredType'> & AttributeChanges): Draft {
  return {
    name,
    kind: like?.kind ?? 'secret',
    declaredType: like?.declaredType ?? '',
    ...emptyValues,
    ...initialAttributes,
    ...(like && (attributesOf(like) as Partial<Attributes>)),
  }
}

export function draftOf(entry: WriteEntry): Draft {
  return { ...newDraft(entry.name, entry), ...valueFieldsOf(entry.kind, valuesOf(entry)) }
}

export function entryOf(draft: Draft): WriteEntry {
  const { name, kind, declaredType } = draft
  const values = valueFieldsOf(kind, valuesOf(draft))
  const attributes = Object.fromEntries(kinds[kind].attributes.map((attribute) => [attribute, draft[attribute]]))
  return { name, kind, ...values, ...attributes, ...(declaredType !== '' && { declaredType }) } as WriteEntry
}

function isChosen(value: string): boolean {
  return value === 'true' || value === 'false'
}

/** Whether every boolean of the draft has a value. A value is never assumed: false may turn something off. */
export function isWhole(draft: Draft): boolean {
  return draft.declaredType !== 'boolean' || valuesOf(draft).every(isChosen)
}

/** Whether a value of the draft that is not chosen can still be the stored, hidden one of `initial`. */
export function keepsType(draft: Draft, initial: Draft): boolean {
  return draft.kind === initial.kind && draft.declaredType === initial.declaredType
}

const advice: Readonly<Record<DeclaredType, string>> = {
  string: 'Enter a text.',
  boolean: 'Choose true or false.',
  int64: 'Enter a whole number, such as -12, of at most 64 bits.',
  float: 'Enter a number, such as 0.5 or 1e3.',
  date: 'Enter a date that exists, such as 2026-12-31, or with time and zone 2026-12-31T23:59:59Z.',
  json: 'This is not JSON. Check its quotes, commas and brackets.',
}

/** What is wrong with a value, or null. `mayBeEmpty`: where an empty one cannot be an oversight. */
export function valueProblem(type: Draft['declaredType'], value: string, mayBeEmpty: boolean): string | null {
  if (type !== '' && !isOfDeclaredType(type, value)) return advice[type]
  if (value === '' && !mayBeEmpty) return 'Enter a value.'
  const { valueBytes } = limits
  return new TextEncoder().encode(value).length > valueBytes ? `A value has at most ${valueBytes} bytes.` : null
}
