/**
 * OpenAPI 3.1 of the endpoint rows, with those of other standards. `npm run generate` writes it to `openapi.json`, and the service serves
 * the same.
 */
import { z } from 'zod'
import { dialectErrors, dialects, type DialectRow } from './dialects.ts'
import { endpoints, errorsOf } from './endpoints.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { errors, type ErrorCode } from './errors.ts'

/** A JSON object. */
type Json = Record<string, unknown>

const requestId = { type: 'string', description: 'Id of the request, also in the x-request-id header' }

function schemaOf(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Json
  return schema
}

function headerParameter(name: string, description: string): Json {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } }
}

const traceId = 'Trace id, 1 to 128 visible ASCII characters; echoed'
const requestKeyParameter = headerParameter(
  'x-service-request-key',
  'Idempotency key of the billing event, 1 to 255 visible ASCII',
)

function headerParameters(name: string, { metered, streams }: Endpoint): Json[] {
  return [
    headerParameter('x-request-id', `${traceId} as requestId`),
    ...(metered ? [requestKeyParameter] : []),
    ...(streams ? [headerParameter('last-event-id', 'Id of the last event received; overrides since')] : []),
    ...(name === 'manifest'
      ? [headerParameter('if-none-match', 'ETag of an earlier answer; the answer is 304 if the revision is the same')]
      : []),
  ]
}

function queryParameters(request: z.ZodType): Json[] {
  const { properties = {}, required = [] } = schemaOf(request, 'input') as { properties?: Json; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** Removes `additionalProperties: false`, since later versions may add fields to answers. */
function open(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(open)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([key, value]) => key !== 'additionalProperties' || value !== false)
  return Object.fromEntries(members.map(([key, value]) => [key, open(value)]))
}

/** Adds `requestId`, which every answer has. */
function withRequestId(schema: Json): Json {
  const { properties, required = [] } = schema as { properties?: Json; required?: string[] }
  return properties
    ? { ...schema, properties: { ...properties, requestId }, required: [...required, 'requestId'] }
    : { allOf: [schema, { type: 'object', properties: { requestId }, required: ['requestId'] }] }
}

function contentOf({ response, streams }: Endpoint): Json {
  const schema = open(schemaOf(response, 'output')) as Json
  return streams ? { 'text/event-stream': { schema } } : { 'application/json': { schema: withRequestId(schema) } }
}

/** Returns error codes by their statuses. */
function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const statuses = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = errors[code]
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  return statuses
}

function refusal(codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(' '),
    'x-error-codes': codes,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function responsesOf(name: string, endpoint: Endpoint): Json {
  return {
    200: {
      description: 'Done',
      content: contentOf(endpoint),
    },
    ...(name === 'manifest' ? { 304: { description: 'The revision is still that of the ETag' } } : {}),
    ...Object.fromEntries([...byStatus(errorsOf(endpoint))].map(([status, codes]) => [status, refusal(codes)])),
  }
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'The error',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { description: 'What went wrong', enum: Object.keys(errors) },
        message: { type: 'string', description: 'One sentence for people, which may change' },
        requestId,
      },
    },
  },
}

const securityOf = {
  none: [],
  caller: [{ providerToken: [] }, { accessToken: [] }, { serviceToken: [] }],
  owner: [{ providerToken: [] }, { accessToken: [] }],
  person: [{ providerToken: [] }, { accessToken: [] }],
  provider: [{ providerToken: [] }],
  session: [{ accessToken: [] }],
} as const

const evaluatorSecurity = [...securityOf.caller, { clientKey: [] }, { apiKey: [] }]

/** The stage of an evaluation by another standard is in the path, or that of the credential. */
const stageServers = [
  { url: '/', description: 'The stage of a credential that is limited to one' },
  {
    url: '/projects/{projectSlug}/stages/{stageSlug}',
    description: 'A stage',
    variables: {
      projectSlug: { default: 'shop', description: 'Slug of the project' },
      stageSlug: { default: 'prod', description: 'Slug of the stage' },
    },
  },
]

function operationOf(name: string, endpoint: Endpoint): Json {
  const query = endpoint.method === 'GET' ? queryParameters(endpoint.request) : []
  return {
    operationId: name,
    summary: endpoint.summary,
    security: securityOf[endpoint.auth],
    parameters: [...query, ...headerParameters(name, endpoint)],
    ...(endpoint.method === 'POST' && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(endpoint.request, 'input') } },
      },
    }),
    responses: responsesOf(name, endpoint),
  }
}

/** Errors before the service knows the path of a request. They have the form of the API. */
const early: readonly ErrorCode[] = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']

/** Returns an error in the form of another standard, whose codes are not those of the API. */
function dialectRefusal({ error }: DialectRow, codes: readonly ErrorCode[]): Json {
  if (codes.some((code) => early.includes(code))) return refusal(codes)
  return {
    description: codes.map((code) => errors[code].message).join(' '),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${error}` } } },
  }
}

function dialectOperation(operationId: string, row: DialectRow): Json {
  const { summary, pathParameters = {}, evaluates, hasEtag, contentType, request, response } = row
  const inPath = Object.entries(pathParameters).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
  }))
  return {
    operationId,
    summary,
    security: evaluates ? evaluatorSecurity : [],
    ...(evaluates && { servers: stageServers }),
    parameters: [
      ...inPath,
      headerParameter('x-request-id', `${traceId} in the header`),
      ...(evaluates ? [requestKeyParameter] : []),
      ...(hasEtag ? [headerParameter('if-none-match', 'ETag of an earlier answer; 304 if nothing changed')] : []),
    ],
    requestBody: { required: true, content: { [contentType]: { schema: schemaOf(request, 'input') } } },
    responses: {
      200: { description: 'Done', content: { 'application/json': { schema: open(schemaOf(response, 'output')) } } },
      ...(hasEtag && { 304: { description: 'The answer is still that of the ETag' } }),
      ...Object.fromEntries([...byStatus(row.errors)].map(([status, codes]) => [status, dialectRefusal(row, codes)])),
    },
  }
}

function bearer(description: string): Json {
  return { type: 'http', scheme: 'bearer', description }
}

/**
 * Returns the OpenAPI 3.1 document of all endpoints as a JSON value. Never throws.
 *
 * @example
 * const text = JSON.stringify(openapi(), null, 2)
 */
export function openapi(): Json {
  const paths: Json = {}
  for (const [name, endpoint] of Object.entries(endpoints)) {
    paths[endpoint.path] = { [endpoint.method.toLowerCase()]: operationOf(name, endpoint) }
  }
  for (const [name, row] of Object.entries(dialects)) paths[row.path] = { post: dialectOperation(name, row) }
  const formsOfErrors = Object.entries(dialectErrors).map(([name, type]) => [name, open(schemaOf(type, 'output'))])
  return {
    openapi: '3.1.0',
    info: { title: 'Rollkey', version: '1', description: 'Secrets and feature variables.' },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    paths,
    components: {
      schemas: { Error: errorSchema, ...Object.fromEntries(formsOfErrors) },
      securitySchemes: {
        providerToken: bearer('A JWT of the OpenID provider, with an active organization'),
        accessToken: bearer('An access token (svc_at_…) of the device flow or of a trust'),
        serviceToken: bearer('A service token (svc_st_…), for machines'),
        clientKey: bearer('A client key (svc_ck_…), for web pages and mobile apps'),
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'One of the above without Bearer' },
      },
    },
    'x-error-codes': errors,
  }
}
