/**
 * The kinds of variables: their values, their attributes and which value an evaluation chooses. The server,
 * the SDK, the command line and the web application derive their handling of kinds from this table.
 */

/** Attributes: numbers that a variable shows without its values. Each text names its attribute within a sentence. */
export const attributeLabels = {
  /** Probability of value A, from 0 to 1. */
  chance: 'chance of A',
} as const

/** The name of an attribute. */
export type AttributeName = keyof typeof attributeLabels
/** What a variable shows without its values, in addition to name, kind and declared type. */
export type Attributes = { readonly [Name in AttributeName]?: number | undefined }

/** The value that an evaluation chose. */
export interface Choice {
  /** Index in the values of the kind. */
  readonly index: number
  /** Side of an A/B roll. Absent for other kinds. */
  readonly decision?: 'a' | 'b'
}

/** A value of a kind. */
interface ValueRule<Role, Field> {
  /** Name of the sealed payload. It is part of the associated data, so it must never be renamed. */
  readonly role: Role
  /** Field of an entry on the wire. */
  readonly field: Field
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
  /** The attributes that each variable of the kind has. */
  readonly attributes: readonly AttributeName[]
  /** Whether the choice depends on the unit, which the seed and key of an evaluation determine. */
  readonly isRolled: boolean
  /** Chooses a value. `unit` returns 0 <= u < 1. */
  readonly choose: (attributes: Attributes, unit: () => number) => Choice
}

const table = {
  secret: {
    label: 'Secret',
    noun: 'secret',
    values: [{ role: 'value', field: 'value', label: 'value' }],
    attributes: [],
    isRolled: false,
    choose: () => ({ index: 0 }),
  },
  ab_roll: {
    label: 'A/B roll',
    noun: 'roll',
    values: [
      { role: 'a', field: 'valueA', label: 'value A' },
      { role: 'b', field: 'valueB', label: 'value B' },
    ],
    attributes: ['chance'],
    isRolled: true,
    // With u < chance, chance 0 never gives a, chance 1 always does, and raising the chance moves no seed out of a.
    choose: ({ chance = 0 }, unit) => (unit() < chance ? { index: 0, decision: 'a' } : { index: 1, decision: 'b' }),
  },
} as const satisfies Record<string, KindRule>

/** The kinds with the literal types of their fields. */
type Table = typeof table

/** The kind of a variable. */
export type Kind = keyof Table
/** The name of a sealed payload, and of its digest. */
export type ValueRole = Table[Kind]['values'][number]['role']
/** A field of an entry that has a value. */
export type ValueField = Table[Kind]['values'][number]['field']

/** All kinds by their names on the wire. */
export const kinds: Readonly<Record<Kind, KindRule<ValueRole, ValueField>>> = table

/** The field that every variable has. */
interface HasKind {
  /** Kind of the variable. */
  readonly kind: Kind
}

/** The fields of a written variable that the table knows. */
export type KindEntry = HasKind & { readonly [Field in ValueField]?: string } & Attributes

/** All kinds, in the order of the table. */
export const kindNames = Object.keys(kinds) as [Kind, ...Kind[]]
/** All roles, in the order of the table. */
export const valueRoles = Object.values(kinds).flatMap(({ values }) => values.map(({ role }) => role))
/** All fields with values, in the order of the table. */
export const valueFields = Object.values(kinds).flatMap(({ values }) => values.map(({ field }) => field))

/** All attributes, in the order of the table. */
export const attributeNames = Object.keys(attributeLabels) as AttributeName[]

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
 * Returns the attributes of the kind. Never throws for a known kind.
 *
 * @example
 * attributesOf({ kind: 'ab_roll', chance: 0.2 }) // { chance: 0.2 }
 */
export function attributesOf(entry: HasKind & Attributes): Attributes {
  return Object.fromEntries(kinds[entry.kind].attributes.map((name) => [name, entry[name]]))
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
