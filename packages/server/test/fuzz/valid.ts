/** Generates valid requests from the schemas of the contract, with names that exist where possible. */
import { endpoints, type EndpointName } from '@rollkey/contract'
import { z } from 'zod'
import type { Random } from '../../testkit/random.ts'
import { withoutReferences } from '../../testkit/references.ts'

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** Values for a field of this name: names that exist or might exist. */
export type Pools = Readonly<Record<string, readonly Json[]>>

interface Schema {
  readonly type?: string
  readonly const?: Json
  readonly enum?: readonly Json[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

const schemas = new Map(
  Object.entries(endpoints).map(([name, { request }]) => [
    name,
    withoutReferences(z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' })) as Schema,
  ]),
)

export function validInput(name: EndpointName, random: Random, pools: Pools): { [name: string]: Json } {
  return objectOf(schemas.get(name) ?? {}, random, pools)
}

function objectOf({ properties = {}, required = [] }: Schema, random: Random, pools: Pools): { [name: string]: Json } {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.once(2))
  return Object.fromEntries(chosen.map(([name, schema]) => [name, valueOf(name, schema, random, pools)]))
}

function valueOf(name: string, schema: Schema, random: Random, pools: Pools): Json {
  const pool = pools[name]
  if (pool) return random.pick(pool)
  const { const: constant, enum: words, anyOf, oneOf = anyOf } = schema
  if (constant !== undefined) return constant
  if (words) return random.pick(words)
  if (oneOf) return valueOf(name, random.pick(oneOf), random, pools)
  return ofType(name, schema, random, pools)
}

function ofType(name: string, schema: Schema, random: Random, pools: Pools): Json {
  const { items = {} } = schema
  if (schema.type === 'object') return objectOf(schema, random, pools)
  if (schema.type === 'array') {
    return Array.from({ length: 1 + random.int(3) }, () => valueOf(`${name}[]`, items, random, pools))
  }
  if (schema.type === 'null') return null
  if (schema.type === 'boolean') return random.once(2)
  if (schema.type === 'integer') return random.int(40)
  if (schema.type === 'number') return random.int(101) / 100
  return random.pick(['x', 'true', '42', '0.5', '2026-11-21', '{"a":[1]}', 'Zoë 用户 🚀'])
}
