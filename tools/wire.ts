/**
 * Generates the contract that the client packages carry: types and two small tables, without the schemas and their
 * library. `npm run generate` makes it from `packages/contract`.
 */
import { declaredTypes, endpoints, errors, type Endpoint } from '@rollkey/contract'
import { z } from 'zod'

interface Schema {
  readonly title?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

const scalars: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** The types of the contract's rules that a schema names by its title. */
const sharedTypes: ReadonlySet<string> = new Set(['Context', 'Pins', 'TargetingRule'])

function isDeclaredType(values: readonly unknown[]): boolean {
  return values.join() === declaredTypes.join()
}

function commentOf({ description = '', default: byDefault }: Schema): string {
  return `/** ${description}.${byDefault === undefined ? '' : ` @default ${JSON.stringify(byDefault)}`} */`
}

function membersOf({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const type = required.includes(name) ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`
    return `${commentOf(schema)}\nreadonly ${name}${type}`
  })
  return `{ ${members.join('\n')} }`
}

/** Returns the TypeScript of a JSON schema. Supports only what the contract's types produce. */
function typeOf(schema: Schema): string {
  if (sharedTypes.has(schema.title ?? '')) return schema.title as string
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return isDeclaredType(schema.enum) ? 'DeclaredType' : schema.enum.map(literal).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (union) return `(${union.map(typeOf).join(' | ')})`
  if (schema.type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`
  if (schema.properties) return membersOf(schema)
  if (typeof schema.additionalProperties === 'object') {
    return `{ readonly [name: string]: ${typeOf(schema.additionalProperties)} }`
  }
  if (schema.type === 'object') return '{}'
  const scalar = scalars[schema.type ?? '']
  if (scalar === undefined)
    throw new Error(`no TypeScript for the schema ${JSON.stringify(schema)}; add it to tools/wire.ts`)
  return scalar
}

function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Schema
}

function operation(name: string, { request, response, summary, streams }: Endpoint): string {
  return `  /** ${summary}. */
  ${name}: {
    /** Body or query of the request. */
    request: ${typeOf(schemaOf(request, 'input'))}
    /** ${streams ? 'Data of each event' : 'Body of the answer'}. */
    response: ${typeOf(schemaOf(response, 'output'))}${streams ? '' : ' & Answered'}
  }`
}

function endpointRow([name, { method, path, auth, metered }]: [string, Endpoint]): string {
  return `  ${name}: { method: '${method}', path: '${path}', isPublic: ${auth === 'none'}, metered: ${metered === true} },`
}

function errorRow([code, { status, retry, advice }]: [string, (typeof errors)[keyof typeof errors]]): string {
  return `  ${code}: { status: ${status}, retry: '${retry}', advice: ${JSON.stringify(advice)} },`
}

/** Returns the source text of `packages/sdk/src/wire.ts`, before it is formatted. */
export function wire(): string {
  const all: [string, Endpoint][] = Object.entries(endpoints)
  return `/** The wire contract, generated from packages/contract by \`npm run generate\`. Do not edit. */

import type { Context, DeclaredType, Pins, TargetingRule } from '@rollkey/contract/rules'

/** What every answer has. */
interface Answered {
  /** Id of the request. An operator finds the request in the log by it. */
  readonly requestId: string
}

/** Request and answer of each endpoint. */
interface Operations {
${all.map(([name, endpoint]) => operation(name, endpoint)).join('\n')}
}

/** The name of an endpoint. */
export type OperationName = keyof Operations
/** The request of an endpoint. The client adds the token. */
export type Request<Name extends OperationName> = Operations[Name]['request']
/** The answer of an endpoint. */
export type Answer<Name extends OperationName> = Operations[Name]['response']

/** Method and path of each endpoint, whether it needs no token, and whether a call is one billing event. */
export const operations = {
${all.map(endpointRow).join('\n')}
} as const satisfies Record<OperationName, object>

/** Properties of each error code: HTTP status, whether the same request may succeed later, and advice. */
export const errorCodes = {
${Object.entries(errors).map(errorRow).join('\n')}
} as const
`
}
