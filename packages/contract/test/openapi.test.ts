import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { endpoints, errors, errorsOf, exportFormat, openapi } from '@rollkey/contract'
import { resolve, withoutReferences } from '../../server/testkit/references.ts'
import { dialects } from '../src/dialects.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
}
interface Operation {
  readonly operationId: string
  readonly parameters: Parameter[]
  readonly requestBody?: unknown
  readonly tags: string[]
  /** Absent: that of the document. */
  readonly security?: Record<string, unknown>[]
  readonly responses: Record<string, { readonly description: string; readonly 'x-error-codes'?: string[] }>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly security: Record<string, unknown>[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly securitySchemes: Record<string, unknown> }
}

const published: unknown = JSON.parse(JSON.stringify(openapi()))
const document = withoutReferences(published) as Document
const operations = Object.entries(endpoints).map(([name, endpoint]) => {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()]
  if (!operation) throw new Error(`${name} is missing`)
  return { name, endpoint, operation }
})

/** Returns all values of a key in the document. */
function valuesAt(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([each, value]) => [
    ...(each === key ? [value as unknown] : []),
    ...valuesAt(key, value),
  ])
}

describe('openapi.json', () => {
  test('is generated from the contract', () => {
    const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as unknown
    expect(committed, 'openapi.json is out of date: run npm run generate').toEqual(published)
  })

  test('is OpenAPI 3.1 with a title and a version', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Rollkey', version: '1' })
  })

  test('resolves every reference', () => {
    const references = valuesAt('$ref', published) as string[]
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) expect(resolve(published, reference), reference).toBeTypeOf('object')
  })

  test('has one operation per endpoint, also of other standards, whose id is the name of the row', () => {
    const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((each) => each.operationId))
    expect(ids.toSorted()).toEqual(Object.keys({ ...endpoints, ...dialects }).toSorted())
    for (const { name, operation } of operations) expect(operation.operationId).toBe(name)
  })

  test('has a tag for each operation, and operations for each tag', () => {
    const used = Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags))
    expect([...new Set(used)]).toEqual(document.tags.map(({ name }) => name))
  })

  test('names each shape that it describes twice', () => {
    const texts = valuesAt('properties', published).map((properties) => JSON.stringify(properties))
    // Fewer fields beside each other are hardly a shape with a name.
    const shapes = texts.filter((text) => Object.keys(JSON.parse(text) as object).length > 3)
    expect(shapes.filter((text, index) => shapes.indexOf(text) !== index)).toEqual([])
  })

  test('lists the errors of each operation by status', () => {
    for (const { endpoint, operation } of operations) {
      const codes = Object.entries(operation.responses).flatMap(([status, response]) =>
        (response['x-error-codes'] ?? []).map((code) => `${status} ${code}`),
      )
      expect(codes.toSorted()).toEqual(
        errorsOf(endpoint)
          .map((code) => `${errors[code].status} ${code}`)
          .toSorted(),
      )
    }
  })

  test('gives every response a description, and every 200 except streams a requestId', () => {
    for (const { name, operation } of operations) {
      for (const response of Object.values(operation.responses)) expect(response.description).not.toBe('')
      const required = valuesAt('required', operation.responses['200']).flat()
      expect(required.includes('requestId'), name).toBe(name !== 'events')
    }
  })

  test('describes every field of the API and of an export', () => {
    const schemas = {
      document,
      export: withoutReferences(z.toJSONSchema(exportFormat, { io: 'input', unrepresentable: 'any' })),
    }
    const fields = valuesAt('properties', schemas).flatMap((properties) => Object.entries(properties as object))
    expect(fields.length).toBeGreaterThan(300)
    const bare = fields.filter(([, schema]) => !(schema as { description?: string }).description)
    expect(bare).toEqual([])
  })

  test('has a body for every POST and parameters for every GET', () => {
    for (const { endpoint, operation } of operations) {
      expect(operation.requestBody !== undefined).toBe(endpoint.method === 'POST')
    }
    const query = document.paths['/v1/typegen/manifest']?.['get']?.parameters.filter((each) => each.in === 'query')
    expect(query?.map(({ name, required }) => [name, required])).toEqual([
      ['orgSlug', true],
      ['projectSlug', true],
      ['stageSlug', true],
    ])
  })

  test('offers the request key only for what counts once', () => {
    const withKey = operations.filter(({ operation }) =>
      operation.parameters.some(({ name }) => name === 'x-service-request-key'),
    )
    expect(withKey.map(({ name }) => name)).toEqual(['evaluate', 'evaluateBatch', 'pull', 'ruleset', 'report'])
  })

  test('requires only credentials that it defines', () => {
    const named = (valuesAt('security', document) as object[][]).flat().flatMap((each) => Object.keys(each))
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted())
    for (const { endpoint, operation } of operations) {
      expect((operation.security ?? document.security).length > 0).toBe(endpoint.auth !== 'none')
    }
  })
})
