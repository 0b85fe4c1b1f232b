/** Checks the parts of a request that a client of this package can get wrong. */
import {
  attributeNames,
  attributes,
  declarationsOfDocument,
  exposures,
  kinds,
  limits,
  problemOfConstraint,
  problemOfPins,
  problemOfRequired,
  problemOfRules,
  statedAttributes,
  statesNothing,
  type AttributeChanges,
  type AttributeName,
  type AttributeTypes,
  type Declaration,
  type DeclarationsDocument,
  type DeclaredType,
  type KindEntry,
  type Pins,
  type Problem,
} from '@rollkey/contract/rules'
import { RollkeyError } from '../errors.ts'
import type { StageRef, Roll, Write } from '../types.ts'
import type { VariableUpdate, WriteEntry } from '../wire.ts'

export interface CheckedRequest extends Roll {
  readonly name: string
  readonly declaredType?: DeclaredType | undefined
  readonly explain?: boolean | undefined
}

const slug = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

function assert(condition: boolean, message: string): void {
  if (!condition) throw new RollkeyError('INVALID_REQUEST', message)
}

/** Checks a text, whose type programs without types may get wrong. */
function assertText(value: unknown, maxBytes: number, where: string): void {
  const isValid = typeof value === 'string' && new TextEncoder().encode(value).length <= maxBytes
  assert(isValid, `${where} must be at most ${maxBytes} bytes of UTF-8.`)
}

function assertName(name: string, where: string): void {
  assert(typeof name === 'string' && name !== '', `${where} must not be empty.`)
  assert(
    Array.from(name).length <= limits.nameCharacters,
    `${where} must be at most ${limits.nameCharacters} characters.`,
  )
  assert(!controlCharacter.test(name), `${where} must have no control characters.`)
}

function assertCount(list: readonly unknown[], field: string): void {
  assert(list.length <= limits.entries, `${field} must have at most ${limits.entries} items.`)
}

export function assertStageRef({ project, stage }: Omit<StageRef, 'org'>): void {
  for (const [field, value] of Object.entries({ projectSlug: project, stageSlug: stage })) {
    assert(
      slug.test(value),
      `${field} must be 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit.`,
    )
  }
}

/** Where a field is, as the start of an error. */
type Where = (field: string) => string

/** Returns where the fields of a variable are. */
function fieldOf(name: string): Where {
  return (field) => `${field} of ${JSON.stringify(name)}`
}

/** Returns where the parts of a field are: an empty text for the field itself, or a path such as `.a`. */
function inField(where: Where, field: string): Where {
  return (path) => where(`${field}${path}`)
}

export function assertRoll({ seed = '', key = '', context = {} }: Roll, where: Where = (field) => field): void {
  assertText(seed, limits.seedBytes, where('seed'))
  assertText(key, limits.seedBytes, where('key'))
  const isContext = typeof context === 'object' && context !== null && !Array.isArray(context)
  assert(
    isContext,
    `${where('context')} is not an object of attributes (expected texts, numbers and booleans by name): send one, or leave it out.`,
  )
}

export function assertEntries(entries: readonly CheckedRequest[]): void {
  assertCount(entries, 'entries')
  for (const [index, one] of entries.entries()) {
    assertName(one.name, `entries[${index}].name`)
    assertRoll(one, fieldOf(one.name))
  }
}

export function assertEntryRequest(one: CheckedRequest): void {
  assertName(one.name, 'name')
  assertRoll(one)
}

export function assertWrite({ entries = [], deletes = [] }: Write): void {
  assertCount(entries, 'entries')
  assertCount(deletes, 'deletes')
  for (const [index, entry] of entries.entries()) assertEntry(entry, `entries[${index}]`)
  for (const [index, name] of deletes.entries()) assertName(name, `deletes[${index}]`)
  const names = [...entries.map(({ name }) => name), ...deletes]
  const isOnce = new Set(names).size === names.length
  assert(isOnce, 'entries must name a variable only once over entries and deletes.')
}

const attributeChecks: { readonly [Name in AttributeName]: (value: AttributeTypes[Name], where: Where) => void } = {
  chance(value, where) {
    assert(value >= 0, `${where('')} must be at least 0.`)
    assert(value <= 1, `${where('')} must be at most 1.`)
  },
  exposure: (value, where) =>
    assert(
      exposures.includes(value),
      `${where('')} must be one of ${exposures.map((each) => JSON.stringify(each)).join(', ')}.`,
    ),
  description(value, where) {
    const { descriptionCharacters: max } = limits
    assert(
      typeof value === 'string' && Array.from(value).length <= max,
      `${where('')} must be at most ${max} characters.`,
    )
    const isPlain = !controlCharacter.test(value.replace(/[\t\n\r]/g, ''))
    assert(isPlain, `${where('')} must have no control characters except tabs and line breaks.`)
  },
  labels({ a, b }, where) {
    assertLabel(a, where('.a'))
    assertLabel(b, where('.b'))
    assert(a !== b, `${where('.b')} must differ from the label of A.`)
  },
  rules: (value, where) => assertValid(problemOfRules(value), where),
  // The service computes it.
  pinned: () => undefined,
}

function assertLabel(label: unknown, where: string): void {
  const { labelCharacters: max } = limits
  assert(typeof label === 'string' && Array.from(label).length <= max, `${where} must be at most ${max} characters.`)
  assert(/\S/.test(label as string), `${where} must not be empty.`)
}

function assertValid(problem: Problem | undefined, where: Where): void {
  if (!problem) return
  const path = problem.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  assert(false, `${where(path)} ${problem.message}.`)
}

/** Checks a change of a roll. */
export function assertUpdates(updates: readonly VariableUpdate[]): void {
  assertCount(updates, 'updates')
  assert(updates.length > 0, 'updates must be at least 1.')
  for (const [index, update] of updates.entries()) assertUpdate(update, `updates[${index}]`)
  assert(new Set(updates.map(({ name }) => name)).size === updates.length, 'updates must name a variable only once.')
}

function assertUpdate(update: VariableUpdate, path: string): void {
  const { name, pins, pin, unpin } = update
  assertName(name, `${path}.name`)
  const where = fieldOf(name)
  assert(statedAttributes(update).length > 0, `${where('description')} ${statesNothing}.`)
  const isEither = pins === undefined || (pin === undefined && unpin === undefined)
  assert(isEither, `${where('pins')} must be absent if pin or unpin is stated.`)
  assertChanges(attributeNames, update, where)
  if (pins) assertValid(problemOfPins(pins), inField(where, 'pins'))
  if (pin) assertValid(problemOfPins(pin), inField(where, 'pin'))
}

/** Throws INVALID_REQUEST if a side has too many pins after a change. */
export function assertPins(name: string, pins: Pins): void {
  assertValid(problemOfPins(pins), inField(fieldOf(name), 'pins'))
}

function assertAttribute<Name extends AttributeName>(name: Name, value: AttributeTypes[Name], where: Where): void {
  attributeChecks[name](value, inField(where, name))
}

function assertChanges(names: readonly AttributeName[], changes: AttributeChanges, where: Where): void {
  for (const name of names) {
    const value = changes[name]
    if (value !== undefined && value !== null) assertAttribute(name, value, where)
  }
}

/** Returns the declarations of a document by name. Throws INVALID_REQUEST. */
export function declaredNames(document: DeclarationsDocument): ReadonlyMap<string, Declaration> {
  const read = declarationsOfDocument(document)
  if ('problem' in read) throw new RollkeyError('INVALID_REQUEST', `declarations: ${read.problem}.`)
  // The service has checked a document that comes from it: what matters here is what a check would not survive.
  const declarations = read.declarations
  for (const { name, constraint, required } of declarations) {
    if (constraint) assertValid(problemOfConstraint(constraint), inField(fieldOf(name), 'constraint'))
    if (required !== undefined) assertValid(problemOfRequired(required), inField(fieldOf(name), 'required'))
  }
  return new Map(declarations.map((each) => [each.name, each]))
}

function assertEntry(entry: WriteEntry, path: string): void {
  assertName(entry.name, `${path}.name`)
  const where = fieldOf(entry.name)
  const { values, attributes: names } = kinds[entry.kind]
  const fields: KindEntry = entry
  for (const { field } of values) assertText(fields[field], limits.valueBytes, where(field))
  for (const name of names) {
    assert(fields[name] !== undefined || !attributes[name].isRequired, `${where(name)} is missing.`)
  }
  assertChanges(names, fields, where)
  if (fields.pins) assertValid(problemOfPins(fields.pins), inField(where, 'pins'))
}
