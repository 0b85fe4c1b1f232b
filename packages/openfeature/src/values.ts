/** Converts variables to flags. */
import type { FlagMetadata, JsonValue, ResolutionReason } from '@openfeature/server-sdk'
import type { Inspection } from '@rollkey/sdk'

/** The types of flags and their values. */
export interface FlagValues {
  /** The value of a variable of declared type boolean. */
  boolean: boolean
  /** The text of a variable of declared type string or date, or without one. */
  string: string
  /** The value of a variable of declared type float, or of int64 up to 2^53 - 1. */
  number: number
  /** The value of a variable of declared type json. */
  object: JsonValue
}

type Reader<Type extends keyof FlagValues> = (inspection: Inspection) => FlagValues[Type] | undefined

/** Returns an integer, or undefined beyond 2^53, where a number cannot represent the stored value. */
function integerOf({ value }: Inspection): number | undefined {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : undefined
}

/** Readers of each flag type by declared type. No value is coerced. */
const readers: { readonly [Type in keyof FlagValues]: Readonly<Record<string, Reader<Type>>> } = {
  boolean: { boolean: ({ value }) => value === true },
  string: { untyped: ({ text }) => text, string: ({ text }) => text, date: ({ text }) => text },
  number: { int64: integerOf, float: ({ value }) => Number(value) },
  object: { json: ({ value }) => value as JsonValue },
}

/** Returns the flag types that can read a declared type, such as `number` for `int64`. */
export function flagTypesFor(declaredType: string): readonly string[] {
  return Object.entries(readers).flatMap(([type, byDeclaredType]) => (declaredType in byDeclaredType ? [type] : []))
}

/** Returns the value as a flag of the type, or undefined if the declared type does not match. */
export function flagValueOf<Type extends keyof FlagValues>(
  type: Type,
  inspection: Inspection,
): FlagValues[Type] | undefined {
  return readers[type][inspection.declaredType ?? 'untyped']?.(inspection)
}

/** Returns why the flag has its value. A chance that gives everyone the same side does not split. */
export function reasonOf({ kind, source, step, chance }: Inspection): ResolutionReason {
  if (source === 'stale') return 'STALE'
  if (source === 'cache') return 'CACHED'
  if (step === 'pin' || step === 'rule') return 'TARGETING_MATCH'
  return kind === 'secret' || chance === 0 || chance === 1 ? 'STATIC' : 'SPLIT'
}

/** Returns whether another bucket of the roll could have given the other side. */
export function dependsOnBucket({ chance }: Inspection): boolean {
  return chance !== undefined && chance > 0 && chance < 1
}

/** Returns the name of the side of a roll, or `default` for a variable with one value, as by OFREP. */
export function variantOf({ label, decision }: Inspection): string {
  return label ?? decision ?? 'default'
}

export function metadataOf({ kind, declaredType, step, rule }: Inspection): FlagMetadata {
  return { kind, ...(declaredType && { declaredType }), ...(step && { step }), ...(rule && { rule }) }
}
