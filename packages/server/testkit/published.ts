/** Checks answers against the published document packages/contract/openapi.json. */
import { readFileSync } from 'node:fs'
import type { DialectName, EndpointName } from '@rollkey/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { withoutReferences } from './references.ts'

type Json = Record<string, unknown>

interface Documented {
  readonly 'x-error-codes'?: readonly string[]
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Documented>>
}

interface Published {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** An endpoint of the API, or one that follows another standard. */
export type OperationName = EndpointName | DialectName

const file = new URL('../../contract/openapi.json', import.meta.url)
const published = withoutReferences(JSON.parse(readFileSync(file, 'utf8'))) as Published
const operations = new Map(
  Object.values(published.paths).flatMap((path) => Object.values(path).map((each) => [each.operationId, each])),
)

const ajv = new Ajv2020({
  // A rule compares with texts, numbers and booleans.
  allowUnionTypes: true,
  allErrors: true,
  formats: { uri: (text: string) => URL.canParse(text), date: (text: string) => !Number.isNaN(Date.parse(text)) },
})

/**
 * Returns the schema with undocumented fields forbidden. Clients must not forbid them. `isPart` means that another part
 * describes more of the same object.
 */
function closed(schema: Json, isPart = false): Json {
  const list = (value: unknown): Json[] => value as Json[]
  const result: Json = { ...schema }
  for (const union of ['oneOf', 'anyOf'])
    if (schema[union]) result[union] = list(schema[union]).map((each) => closed(each, isPart))
  if (schema['items']) result['items'] = closed(schema['items'] as Json)
  if (schema['allOf']) {
    result['allOf'] = list(schema['allOf']).map((each) => closed(each, true))
    Object.assign(result, { type: 'object', unevaluatedProperties: false })
  }
  if (schema['properties']) {
    const properties = Object.entries(schema['properties'] as Record<string, Json>)
    result['properties'] = Object.fromEntries(properties.map(([name, value]) => [name, closed(value)]))
    if (!isPart) result['additionalProperties'] = false
  }
  return result
}

/** Compiled once for each schema: many errors have the same one. */
const validators = new WeakMap<Json, readonly ValidateFunction[]>()

/** Returns the validators of the published schema and of the one that forbids undocumented fields. */
function validatorsOf(name: OperationName, status: number, contentType: string): readonly ValidateFunction[] {
  const content = publishedOf(name, status).content?.[contentType]
  if (!content) throw new Error(`${name} ${status}: no ${contentType} is documented`)
  const { schema } = content
  const known = validators.get(schema)
  if (known) return known
  const made = [ajv.compile(schema), ajv.compile(closed(schema))]
  validators.set(schema, made)
  return made
}

/** Returns what the document says about an answer. */
export function publishedOf(name: OperationName, status: number): Documented {
  const response = operations.get(name)?.responses[status]
  if (!response) throw new Error(`${name}: the status ${status} is not documented`)
  return response
}

/** Throws unless the answer is documented. In a stream, `text` is the data of an event. */
export function assertPublished(
  name: OperationName,
  status: number,
  text: string,
  contentType = 'application/json',
): void {
  if (status === 304) return void publishedOf(name, status)
  const body: unknown = JSON.parse(text)
  for (const validate of validatorsOf(name, status, contentType))
    if (!validate(body)) throw new Error(`${name} ${status}: ${ajv.errorsText(validate.errors)}`)
  const { code } = (body as { error?: { code: string } }).error ?? {}
  if (code !== undefined && !publishedOf(name, status)['x-error-codes']?.includes(code))
    throw new Error(`${name} ${status}: the code ${code} is not documented`)
}
