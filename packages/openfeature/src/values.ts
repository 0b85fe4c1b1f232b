/** What a variable is as a flag. */
import type { FlagMetadata, JsonValue, ResolutionReason } from '@openfeature/server-sdk'
import type { Inspection } from '@rollkey/sdk'

export interface FlagValues {
  boolean: boolean
  string: string
  number: number
  object: JsonValue
}

type Reader<Type extends keyof FlagValues> = (inspection: Inspection) => FlagValues[Type] | undefined

/** Beyond 2^53 another number than the stored one would come out. */
function integerOf({ value }: Inspection): number | undefined {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : undefined
}

/** Which declared types a flag type reads; nothing is coerced. */
const readers: { readonly [Type in keyof FlagValues]: Readonly<Record<string, Reader<Type>>> } = {
  boolean: { boolean: ({ value }) => value === true },
  string: { untyped: ({ text }) => text, string: ({ text }) => text, date: ({ text }) => text },
  number: { int64: integerOf, float: ({ value }) => Number(value) },
  object: { json: ({ value }) => value as JsonValue },
}

/** The value as a flag of the type; undefined if the variable is no such flag. */
export function flagValueOf<Type extends keyof FlagValues>(
  type: Type,
  inspection: Inspection,
): FlagValues[Type] | undefined {
  return readers[type][inspection.declaredType ?? 'untyped']?.(inspection)
}

export function reasonOf({ kind, source }: Inspection): ResolutionReason {
  if (source === 'stale') return 'STALE'
  if (source === 'cache') return 'CACHED'
  return kind === 'secret' ? 'STATIC' : 'SPLIT'
}

export function metadataOf({ kind, declaredType }: Inspection): FlagMetadata {
  return { kind, ...(declaredType && { declaredType }) }
}
