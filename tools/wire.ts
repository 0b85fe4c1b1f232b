/**
 * Generates the contract that the client packages carry: types and, apart from them, two small tables, without the schemas and their
 * library. `npm run generate` makes both from `packages/contract`.
 */
import { isDeepStrictEqual } from 'node:util'
import { endpoints, errors, isRepeatable, type Endpoint } from '@rollkey/contract'
import type { z } from 'zod'
import { JsonSchemas } from '../packages/contract/src/json-schema.ts'

interface Schema {
  /** Reference to a definition, such as `#/components/schemas/Labels`. */
  readonly $ref?: string
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

/** The types that the contract's rules define. */
const typesOfRules: ReadonlySet<string> = new Set([
  'ChangeState',
  'Condition',
  'Constraint',
  'Context',
  'Declaration',
  'DeclarationProblem',
  'DeclarationsDocument',
  'DeclaredType',
  'Exposure',
  'FreezeWindow',
  'Kind',
  'MachineRole',
  'Pins',
  'RampStep',
  'Required',
  'TargetingRule',
  'Verb',
])

const schemas = new JsonSchemas()

function idOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function commentOf({ $ref, description, default: byDefault }: Schema): string {
  const text = description ?? ($ref && (schemas.definitions.get(idOf($ref)) as Schema).description) ?? ''
  return `/** ${text}.${byDefault === undefined ? '' : ` @default ${JSON.stringify(byDefault)}`} */`
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
  if (schema.$ref !== undefined) return idOf(schema.$ref)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
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

/** Returns the declaration of a named type. */
function definition([id, schema]: [string, Schema]): string {
  const comment = schema.description === undefined ? '' : `${commentOf(schema)}\n`
  return schema.properties
    ? `${comment}export interface ${id} ${membersOf(schema)}`
    : `${comment}export type ${id} = ${typeOf(schema)}`
}

const slugs = ['orgSlug', 'projectSlug', 'stageSlug'] as const

/** Returns the type of a request, in which the slugs of a stage have a name. */
function requestOf(request: z.ZodType): string {
  const schema: Schema = schemas.of(request, 'input')
  const stage: Schema = schemas.of(endpoints.list.request, 'input')
  const isInStage = slugs.every((slug) => isDeepStrictEqual(schema.properties?.[slug], stage.properties?.[slug]))
  if (!isInStage || !slugs.every((slug) => schema.required?.includes(slug))) return typeOf(schema)
  const rest = Object.entries(schema.properties ?? {}).filter(([name]) => !(slugs as readonly string[]).includes(name))
  return rest.length === 0 ? 'InStage' : `InStage & ${membersOf({ ...schema, properties: Object.fromEntries(rest) })}`
}

function operation(name: string, { request, response, summary, streams }: Endpoint): string {
  return `  /** ${summary}. */
  ${name}: {
    /** Body or query of the request. */
    request: ${requestOf(request)}
    /** ${streams ? 'Data of each event' : 'Body of the answer'}. */
    response: ${typeOf(schemas.of(response(), 'output'))}${streams ? '' : ' & Answered'}
  }`
}

function endpointRow([name, { method, path, auth, metered, keyed }]: [string, Endpoint]): string {
  return `  ${name}: { method: '${method}', path: '${path}', isPublic: ${auth === 'none'}, hasKey: ${metered === true || keyed === true} },`
}

function errorRow([code, { status, retry, advice }]: [string, (typeof errors)[keyof typeof errors]]): string {
  return `  ${code}: { status: ${status}, retry: '${retry}', advice: ${JSON.stringify(advice)} },`
}

/** Returns the source text of `packages/sdk/src/wire.ts`, before it is formatted. */
export function wire(): string {
  const all: [string, Endpoint][] = Object.entries(endpoints)
  const rows = all.map(([name, endpoint]) => operation(name, endpoint))
  const named = [...schemas.definitions]
    .filter(([id]) => !typesOfRules.has(id))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const declarations = named.map(definition).join('\n\n')
  const used = [...typesOfRules].filter((type) => new RegExp(`\\b${type}\\b`).test(declarations + rows.join()))
  return `/** The wire contract, generated from packages/contract by \`npm run generate\`. Do not edit. */

import type { ${used.join(', ')} } from '@rollkey/contract/rules'

${declarations}

/** The stage that a request is about. */
interface InStage ${membersOf(schemas.of(endpoints.list.request, 'input'))}

/** What every answer has. */
interface Answered {
  /** Id of the request. An operator finds the request in the log by it. */
  readonly requestId: string
}

/** Request and answer of each endpoint. */
interface Operations {
${rows.join('\n')}
}

/** The name of an endpoint. */
export type OperationName = keyof Operations
/** The request of an endpoint. The client adds the token. */
export type Request<Name extends OperationName> = Operations[Name]['request']
/** The answer of an endpoint. */
export type Answer<Name extends OperationName> = Operations[Name]['response']
`
}

const moduleOfTypes = './wire.ts'

/** Returns the source text of `packages/sdk/src/wire-tables.ts`, before it is formatted. */
export function wireTables(): string {
  const once = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) => !isRepeatable(endpoint))
  return `/** Tables of the wire contract, generated from packages/contract by \`npm run generate\`. Do not edit. */

import type { OperationName } from '${moduleOfTypes}'

/** Method and path of each endpoint, whether it needs no token, and whether a call has a request key. */
export const operations = {
${Object.entries<Endpoint>(endpoints).map(endpointRow).join('\n')}
} as const satisfies Record<OperationName, object>

/** Endpoints that act twice, or refuse, if the same request is sent again. */
export const notRepeatable: ReadonlySet<OperationName> = new Set([${once.map(([name]) => literal(name)).join(', ')}])

/** Properties of each error code: HTTP status, whether the same request may succeed later, and advice. */
export const errorCodes = {
${Object.entries(errors).map(errorRow).join('\n')}
} as const
`
}
