/**
 * The kinds of variables: their values, their attributes and which value an evaluation chooses. The server,
 * the SDK, the command line and the web application derive their handling of kinds from this table.
 */

import type { Side } from './bucket.ts'
import {
  decide,
  pinCounts,
  type DecidingStep,
  type DecisionInput,
  type Labels,
  type PinCounts,
  type Pins,
} from './decision.ts'
import { plainRule, type TargetingRule } from './targeting.ts'

/** Who sees the value of a variable without a reveal, from the fewest to the most. */
export const exposures = ['secret', 'plain', 'client'] as const
/**
 * Who sees the value of a variable without a reveal: `secret`, no one; `plain`, people who may read it; `client`, also client
 * programs. It changes nothing about sealing.
 */
export type Exposure = (typeof exposures)[number]

/** The attributes with the types of their values. Attributes are what a variable shows without its values. */
export interface AttributeTypes {
  /** Probability of value A, from 0 to 1. */
  readonly chance: number
  /** Who sees the value without a reveal. */
  readonly exposure: Exposure
  /** What the variable is for, in the words of its authors. */
  readonly description: string
  /** Names of the sides of a roll. */
  readonly labels: Labels
  /** Targeting rules of a roll, of which the first match decides. */
  readonly rules: readonly TargetingRule[]
  /** How many seeds are pinned to each side of a roll. The pins themselves are sealed. */
  readonly pinned: PinCounts
}

/** The name of an attribute. */
export type AttributeName = keyof AttributeTypes
/** The field of a write that states an attribute. */
type AttributeField<Name extends AttributeName = AttributeName> = Name extends 'pinned' ? 'pins' : Name
/** A field of an update that states an attribute, or adds to it or takes from it. */
export type UpdateField = AttributeField | 'pin' | 'unpin'
/** What a variable that is a template shows without its texts. It belongs to the values: a write that states them states it too. */
export interface TemplateFacts {
  /** Whether it is a template. Absent: it is not. */
  readonly template?: true | undefined
  /** The variables that it names, in wire order. Absent: it is not a template. */
  readonly sources?: readonly string[] | undefined
}

/** What a roll shows that a gradual rotation made of a secret. It belongs to the values, as that of a template does. */
export interface RotationFacts {
  /** Whether value A replaces value B step by step. Absent: no. */
  readonly rotating?: true | undefined
}

/** What a variable shows without its values, in addition to name, kind and declared type. */
export type Attributes = { readonly [Name in AttributeName]?: AttributeTypes[Name] | undefined } & TemplateFacts &
  RotationFacts
/** Attributes in a write. One that is absent stays as stored, and null clears it. */
export type AttributeChanges = { readonly [Name in AttributeName]?: AttributeTypes[Name] | null | undefined } & {
  /** Pins of a roll, which determine `pinned`. @default as stored */
  readonly pins?: Pins | null | undefined
}

/** An attribute. */
interface AttributeRule<Value> {
  /** Name of the attribute within a sentence. */
  readonly label: string
  /** Whether every write of a kind that has the attribute states it. Absent: a write may omit it, which keeps the stored one. */
  readonly isRequired?: true
  /** The value that means the same as no attribute. It is neither stored nor shown. Absent: none. */
  readonly none?: Value
  /** The fields of an update that state it, of which a write has the first. @default one with its name */
  readonly fields?: readonly [AttributeField, ...UpdateField[]]
}

/** All attributes, in the order in which they are stored and shown. */
export const attributes: { readonly [Name in AttributeName]: AttributeRule<AttributeTypes[Name]> } = {
  /** Each write of a roll states it. */
  chance: { label: 'chance of A', isRequired: true },
  /** A variable without it is secret. */
  exposure: { label: 'exposure', none: 'secret' },
  /** An empty one is none. */
  description: { label: 'description', none: '' },
  /** Names of the sides. */
  labels: { label: 'labels' },
  /** None is an empty list. */
  rules: { label: 'targeting rules', none: [] },
  /** A write states the pins instead. */
  pinned: { label: 'pins', none: { a: 0, b: 0 }, fields: ['pins', 'pin', 'unpin'] },
}

/** The value that an evaluation chose. */
export interface Choice {
  /** Index in the values of the kind. */
  readonly index: number
  /** Side of an A/B roll. Absent for other kinds. */
  readonly decision?: Side
  /** What decided an A/B roll. Absent for other kinds. */
  readonly step?: DecidingStep
}

/** A value of a kind. */
interface ValueRule<Role, Field> {
  /** Name of the sealed payload. It is part of the associated data, so it must never be renamed. */
  readonly role: Role
  /** Field of an entry on the wire. */
  readonly field: Field
  /** Field of an answer with the text, if the variable is a template. */
  readonly templateField: TemplateField
  /** Name of the value for people. */
  readonly label: string
}

/** A kind of variable. */
interface KindRule<Role = string, Field = string> {
  /** Name of the kind for people. */
  readonly label: string
  /** Noun for a variable of the kind within a sentence. */
  readonly noun: string
  /** The values in packing order. */
  readonly values: readonly ValueRule<Role, Field>[]
  /** The attributes that a variable of the kind can have. A change of kind drops all others. */
  readonly attributes: readonly AttributeName[]
  /** Whether the choice depends on the seed, the key and the context of an evaluation. */
  readonly isRolled: boolean
  /** Chooses a value. */
  readonly choose: (attributes: Attributes, input: DecisionInput) => Choice
}

const onlyValue: Choice = { index: 0 }

const table = {
  secret: {
    label: 'Secret',
    noun: 'secret',
    values: [{ role: 'value', field: 'value', templateField: 'template', label: 'value' }],
    attributes: ['exposure', 'description'],
    isRolled: false,
    choose: () => onlyValue,
  },
  ab_roll: {
    label: 'A/B roll',
    noun: 'roll',
    values: [
      { role: 'a', field: 'valueA', templateField: 'templateA', label: 'value A' },
      { role: 'b', field: 'valueB', templateField: 'templateB', label: 'value B' },
    ],
    attributes: ['chance', 'exposure', 'description', 'labels', 'rules', 'pinned'],
    isRolled: true,
    choose(settings, input) {
      const { decision, step } = decide(settings, input)
      return { index: decision === 'a' ? 0 : 1, decision, step }
    },
  },
} as const satisfies Record<string, KindRule>

/** The kinds with the literal types of their fields. */
type Table = typeof table

/** The kind of a variable. */
export type Kind = keyof Table
/** A field of an answer that has the text of a template. */
export type TemplateField = 'template' | 'templateA' | 'templateB'
/** The name of a sealed payload, and of its digest. */
export type ValueRole = Table[Kind]['values'][number]['role']
/** A field of an entry that has a value. */
export type ValueField = Table[Kind]['values'][number]['field']
/** The fields of an entry that the table knows, of one kind. */
export type EntryField<Name extends Kind> =
  | Table[Name]['values'][number]['field']
  | AttributeField<Table[Name]['attributes'][number]>

/** All kinds by their names on the wire. */
export const kinds: Readonly<Record<Kind, KindRule<ValueRole, ValueField>>> = table

/** The field that every variable has. */
interface HasKind {
  /** Kind of the variable. */
  readonly kind: Kind
}

/** The fields of a written variable that the table knows. */
export type KindEntry = HasKind & { readonly [Field in ValueField]?: string } & AttributeChanges

/** All kinds, in the order of the table. */
export const kindNames = Object.keys(kinds) as [Kind, ...Kind[]]
/** All roles, in the order of the table. */
export const valueRoles = Object.values(kinds).flatMap(({ values }) => values.map(({ role }) => role))
/** All fields with values, in the order of the table. */
export const valueFields = Object.values(kinds).flatMap(({ values }) => values.map(({ field }) => field))

/** All attributes, in the order of the table. */
export const attributeNames = Object.keys(attributes) as AttributeName[]
/** What a write may omit, each cleared. */
export const clearedAttributes = Object.fromEntries(
  attributeNames.filter((name) => !attributes[name].isRequired).map((name) => [fieldsOf(name)[0], null]),
) as AttributeChanges

/**
 * Returns the fields of an update that state an attribute, of which a write has the first. Never throws.
 *
 * @example
 * fieldsOf('pinned') // ['pins', 'pin', 'unpin']
 */
export function fieldsOf(name: AttributeName): readonly [AttributeField, ...UpdateField[]] {
  return attributes[name].fields ?? [name as AttributeField]
}

/**
 * Returns the attributes that an update states. Never throws.
 *
 * @example
 * statedAttributes({ chance: 0.5, pin: { a: ['user-1'] } }) // ['chance', 'pinned']
 */
export function statedAttributes(update: { readonly [Field in UpdateField]?: unknown }): AttributeName[] {
  return attributeNames.filter((name) => fieldsOf(name).some((field) => update[field] !== undefined))
}

/** What is wrong with an update that states nothing, after the field `description`. */
export const statesNothing = `must be stated, or one of ${attributeNames
  .filter((name) => name !== 'description')
  .flatMap(fieldsOf)
  .join(', ')}`

/**
 * Returns the values of an entry in packing order. Never throws for a known kind.
 *
 * @example
 * valuesOf({ kind: 'ab_roll', valueA: 'on', valueB: 'off', chance: 0.2 }) // ['on', 'off']
 */
export function valuesOf(entry: KindEntry): string[] {
  return kinds[entry.kind].values.map(({ field }) => entry[field] ?? '')
}

/**
 * Returns the fields of an entry that hold these values. It is the inverse of `valuesOf`. Never throws for a known kind.
 *
 * @example
 * valueFieldsOf('ab_roll', ['on', 'off']) // { valueA: 'on', valueB: 'off' }
 */
export function valueFieldsOf(kind: Kind, values: readonly string[]): { readonly [Field in ValueField]?: string } {
  return Object.fromEntries(kinds[kind].values.map(({ field }, index) => [field, values[index] ?? '']))
}

/**
 * Returns a variable of an answer in the form of a write, which states a template by its texts. Never throws for a known kind.
 *
 * @example
 * writeEntryOf({ kind: 'secret', value: 'x', template: '${A}' }) // { kind: 'secret', value: '${A}', template: true }
 */
export function writeEntryOf<Entry extends RevealedFields>(
  revealed: Entry,
): Omit<Entry, TemplateField> & Pick<TemplateFacts, 'template'> {
  const { template, templateA, templateB, ...entry } = revealed
  const fields = { template, templateA, templateB }
  const texts = kinds[entry.kind].values.flatMap(({ templateField }) => fields[templateField] ?? [])
  return texts.length === 0 ? entry : { ...entry, ...valueFieldsOf(entry.kind, texts), template: true }
}

/** The fields of a variable in an answer that have to do with templates. */
type RevealedFields = HasKind & { readonly [Field in TemplateField]?: string | undefined }

/**
 * Returns the fields of an answer that hold the texts of a template. Never throws for a known kind.
 *
 * @example
 * templateFieldsOf('secret', ['${A}']) // { template: '${A}' }
 */
export function templateFieldsOf(kind: Kind, texts: readonly string[]): { readonly [Field in TemplateField]?: string } {
  return Object.fromEntries(kinds[kind].values.map(({ templateField }, index) => [templateField, texts[index] ?? '']))
}

/**
 * Returns what of the attributes belongs to the values, so that it stays exactly as long as they do. Never throws.
 *
 * @example
 * valueFactsOf({ chance: 0.5, rotating: true }) // { rotating: true }
 */
export function valueFactsOf({ template, sources, rotating }: Attributes): TemplateFacts & RotationFacts {
  return { ...(template && { template, sources }), ...(rotating && { rotating }) }
}

/**
 * Returns the attributes of a variable after a write of the entry, apart from those that belong to the values. An omitted one stays as in `stored`.
 * Never throws for a known kind.
 *
 * @example
 * attributesOf({ kind: 'ab_roll', chance: 0.2, description: null }, { exposure: 'plain' }) // { chance: 0.2, exposure: 'plain' }
 */
export function attributesOf({ pins, ...entry }: HasKind & AttributeChanges, stored: Attributes = {}): Attributes {
  const changes: AttributeChanges = {
    ...entry,
    ...(entry.rules && { rules: entry.rules.map(plainRule) }),
    ...(pins !== undefined && { pinned: pins && pinCounts(pins) }),
  }
  const pairs = kinds[entry.kind].attributes.map(
    (name) => [name, changes[name] === undefined ? stored[name] : changes[name]] as const,
  )
  return Object.fromEntries(
    pairs.filter(
      ([name, value]) => value !== undefined && value !== null && !isSameAttribute(value, attributes[name].none),
    ),
  )
}

/**
 * Returns whether two values of an attribute are the same, or both absent. Never throws.
 *
 * @example
 * isSameAttribute({ a: 'on', b: 'off' }, { a: 'on', b: 'off' }) // true
 */
export function isSameAttribute(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right)
}

/**
 * Returns whether an exposure shows the value to more readers than another. Absent means `secret`. Never throws.
 *
 * @example
 * isMoreExposed('plain', undefined) // true
 */
export function isMoreExposed(exposure: Exposure = 'secret', than: Exposure = 'secret'): boolean {
  return exposures.indexOf(exposure) > exposures.indexOf(than)
}

/**
 * Returns whether this version knows the kind. A newer service may have others. Never throws.
 *
 * @example
 * isKind('secret') // true
 */
export function isKind(kind: string): kind is Kind {
  return Object.hasOwn(kinds, kind)
}

/**
 * Returns whether an evaluation depends on its seed and key, or true for a kind that this version does not know. Never
 * throws.
 *
 * @example
 * isRolled('ab_roll') // true
 */
export function isRolled(kind: string): boolean {
  return !isKind(kind) || kinds[kind].isRolled
}
