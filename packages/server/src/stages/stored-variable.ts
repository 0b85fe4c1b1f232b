import type { Attributes, DeclaredType, Kind } from '@rollkey/contract'
import type { VariableRow } from '../storage/stages.ts'
import { unpackVariable, type Payloads } from './payloads.ts'

interface Facts {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Id of the user or service token. */
  readonly updatedBy: string
}

/**
 * A variable of a stage in memory, with sealed values. A node keeps hundreds of thousands of variables, so the bytes of many are in
 * one chunk of memory, and a buffer of them exists only while it is used (docs/decisions/0045).
 */
export class StoredVariable implements Facts, Payloads {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly updatedBy: string
  /** Billed bytes: the sealed values and pins as they are stored. */
  readonly size: number
  /** Bytes of the sealed pins; 0 without pins. */
  readonly pinBytes: number
  readonly #chunk: ArrayBufferLike
  readonly #offset: number

  /** Keeps all memory of which `packed`, the result of `packVariable`, is a view. */
  constructor(facts: Facts, packed: Buffer) {
    this.name = facts.name
    this.kind = facts.kind
    this.declaredType = facts.declaredType
    this.attributes = facts.attributes
    this.createdAtMs = facts.createdAtMs
    this.updatedAtMs = facts.updatedAtMs
    this.updatedBy = facts.updatedBy
    this.size = packed.length
    this.#chunk = packed.buffer
    this.#offset = packed.byteOffset
    this.pinBytes = this.sealedPins?.length ?? 0
  }

  /** Returns the variable with other attributes, in the same memory. */
  withAttributes(attributes: Attributes): StoredVariable {
    const { name, kind, declaredType, createdAtMs, updatedAtMs, updatedBy } = this
    const facts = { name, kind, declaredType, attributes, createdAtMs, updatedAtMs, updatedBy }
    return new StoredVariable(facts, this.#packed)
  }

  get payloads(): readonly Buffer[] {
    return this.blobs.payloads
  }

  get sealedPins(): Buffer | undefined {
    return this.blobs.sealedPins
  }

  get sealedTemplate(): Buffer | undefined {
    return this.blobs.sealedTemplate
  }

  /** What is sealed. Each use unpacks it. */
  get blobs(): Payloads {
    return unpackVariable(this.kind, this.#packed)
  }

  get #packed(): Buffer {
    return Buffer.from(this.#chunk, this.#offset, this.size)
  }
}

/** Bytes of a chunk. */
const chunkBytes = 16_384
/** Bytes from which a variable has separate memory. Replacing it frees them, while a chunk stays until its last variable goes. */
const ownBytes = 1_024

/** Copies byte arrays into chunks, one after the other. */
class Chunks {
  #free: Buffer = Buffer.alloc(0)
  #expected: number

  /** `expected`: the bytes that are to be copied into chunks. */
  constructor(expected: number) {
    this.#expected = expected
  }

  copy(bytes: Uint8Array): Buffer {
    if (isLarge(bytes)) return copyOf(bytes)
    if (bytes.length > this.#free.length) this.#free = Buffer.allocUnsafeSlow(Math.min(chunkBytes, this.#expected))
    this.#expected -= bytes.length
    this.#free.set(bytes)
    const copy = this.#free.subarray(0, bytes.length)
    this.#free = this.#free.subarray(bytes.length)
    return copy
  }
}

function isLarge({ length }: Uint8Array): boolean {
  return length >= ownBytes
}

/** Returns a copy in separate memory, not in the pool that short-lived buffers share. */
function copyOf(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

/** Returns a function that returns the first of equal texts as `read` returns it, so that all share one object in memory. */
function sharing<Text extends string, T>(read: (text: Text) => T): (text: Text) => T {
  const known = new Map<Text, T>()
  return (text) => {
    const shared = known.get(text) ?? read(text)
    known.set(text, shared)
    return shared
  }
}

/** Returns the variables of rows, in memory that no other rows use. */
export function storedVariables(rows: readonly VariableRow[]): StoredVariable[] {
  const small = rows.filter(({ sealed }) => !isLarge(sealed))
  const chunks = new Chunks(small.reduce((sum, { sealed }) => sum + sealed.length, 0))
  const kindOf = sharing((kind: Kind) => kind)
  const declaredTypeOf = sharing((type: DeclaredType) => type)
  const attributesOf = sharing((facets) => JSON.parse(facets) as Attributes)
  const userOf = sharing((id) => id)
  return rows.map((row) => {
    const facts = {
      name: row.name,
      kind: kindOf(row.kind),
      declaredType: row.declared_type === null ? undefined : declaredTypeOf(row.declared_type),
      attributes: attributesOf(row.facets),
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
      updatedBy: userOf(row.updated_by),
    }
    return new StoredVariable(facts, chunks.copy(row.sealed))
  })
}
