/** JSON Schemas (2020-12) of the contract's types. */
import { z } from 'zod'

/** A JSON object. */
export type Json = Record<string, unknown>

/**
 * Schemas in which each type with an id is a reference to its definition.
 *
 * @example
 * const schemas = new JsonSchemas()
 * schemas.of(field.labels, 'input') // { $ref: '#/components/schemas/Labels' }
 * schemas.definitions.get('Labels') // { type: 'object', properties: { a: …
 */
export class JsonSchemas {
  /** Schemas of the types with an id to which the others refer, by id. */
  readonly definitions = new Map<string, Json>()

  /** Returns the schema of a type in a request (`input`) or in an answer (`output`). @throws {Error} if two types have one id. */
  of(type: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Json
    return this.#read(schema) as Json
  }

  /** Keeps the definitions, and removes `additionalProperties: false`, since later versions may add fields to answers. */
  #read(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((each) => this.#read(each))
    if (typeof node !== 'object' || node === null) return node
    const { $defs = {}, ...members } = node as Json
    for (const [id, schema] of Object.entries($defs as Json)) this.#define(id, this.#read(schema) as Json)
    if (members['additionalProperties'] === false) delete members['additionalProperties']
    if (typeof members['$ref'] === 'string')
      members['$ref'] = members['$ref'].replace('#/$defs/', '#/components/schemas/')
    return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, this.#read(value)]))
  }

  #define(id: string, schema: Json): void {
    const known = this.definitions.get(id)
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the id ${id}`)
    this.definitions.set(id, schema)
  }
}
