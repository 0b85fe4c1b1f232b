/** Variables of a test service: values as the client returns them, and the entries of a write that they become. */
import type { DeclaredType, Value, ValueTypes } from '@rollkey/contract/rules'
import type { Name, ValueOf } from '../variables.ts'
import type { RollEntry, SecretEntry, WriteEntry } from '../wire.ts'

/** A secret or an A/B roll with values of one type. */
type Entry<V> =
  | (Omit<SecretEntry, 'name' | 'kind' | 'value' | 'declaredType'> & {
      /** The value. */
      readonly value: V
    })
  | (Omit<RollEntry, 'name' | 'kind' | 'valueA' | 'valueB' | 'declaredType'> & {
      /** Value A. */
      readonly a: V
      /** Value B. */
      readonly b: V
    })

/** The declared types whose values are of type `V`. */
type DeclaredAs<V> = { [Type in DeclaredType]: ValueTypes[Type] extends V ? Type : never }[DeclaredType]

/**
 * A variable of a test service, where the client returns values of type `V`: the value itself, `{ value }` or `{ a, b, chance }`,
 * with attributes as in a write. JSON objects and arrays need `{ value }`. The declared type is that of the value; text keeps the
 * declared type of the variable, or says it (`{ value: '25', declaredType: 'int64' }`).
 */
export type TestVariable<V = Value> =
  | Extract<V, string | boolean | bigint | number | Date | null>
  | (Entry<V> & {
      /** Absent: the type of the values, or for text, as stored. */
      readonly declaredType?: undefined
    })
  | (Entry<string> & {
      /** What the text must parse as. */
      readonly declaredType: DeclaredAs<V>
    })

/** Variables by name. Declarations of `rollkey typegen` narrow the names and the types of the values. */
export type TestVariables = { readonly [N in Name]?: TestVariable<ValueOf<N>> }

/** Returns the declared type of a value; undefined: text, which can be of any. */
function typeOf(value: Value): DeclaredType | undefined {
  if (typeof value === 'string') return undefined
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return 'int64'
  if (typeof value === 'number') return 'float'
  return value instanceof Date ? 'date' : 'json'
}

function textOf(value: Value): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isEntry(variable: TestVariable): variable is Exclude<TestVariable, Value> {
  return typeof variable === 'object' && variable !== null && !(variable instanceof Date)
}

/**
 * Returns the entry of a write.
 *
 * @throws {RangeError} If a date is invalid.
 */
export function entryOf(name: string, variable: TestVariable): WriteEntry {
  if (!isEntry(variable)) return entryOf(name, { value: variable })
  if ('value' in variable) {
    const { value, declaredType = typeOf(value), ...rest } = variable
    return { name, kind: 'secret', value: textOf(value), declaredType, ...rest }
  }
  const { a, b, declaredType = typeOf(a) ?? typeOf(b), ...rest } = variable
  return { name, kind: 'ab_roll', valueA: textOf(a), valueB: textOf(b), declaredType, ...rest }
}
