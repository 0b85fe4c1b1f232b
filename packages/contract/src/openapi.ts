/**
 * OpenAPI 3.1 of the endpoint rows, with those of other standards. `npm run generate` writes it to `openapi.json`, and the service serves
 * the same.
 */
import { dialectErrors, dialects, type DialectRow } from './dialects.ts'
import { errorsOf, resources } from './endpoints.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { errors, type ErrorCode } from './errors.ts'
import { JsonSchemas, type Json } from './json-schema.ts'

const requestId = { type: 'string', description: 'Id of the request, also in the x-request-id header' }

const headers = {
  'x-request-id': 'Trace id, 1 to 128 visible ASCII characters; echoed in the header and, by /v1, as requestId',
  'x-service-request-key': 'Idempotency key of the billing event, 1 to 255 visible ASCII',
  'last-event-id': 'Id of the last event received; by /v1, overrides since',
  'if-none-match': 'ETag of an earlier answer; 304 if the answer would be the same',
} as const

function header(name: keyof typeof headers): Json {
  return { $ref: `#/components/parameters/${name}` }
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

const apiKeySecurity = [...securityOf.caller, { apiKey: [] }]

/** Credentials of the endpoints of other standards. */
const dialectSecurity = {
  none: [],
  caller: apiKeySecurity,
  evaluator: [...apiKeySecurity, { clientKey: [] }],
  ticket: [{ streamTicket: [] }],
} as const

/** Where the stage is in a request of another standard. */
const stageServer = {
  url: '/projects/{projectSlug}/stages/{stageSlug}',
  description: 'A stage',
  variables: {
    projectSlug: { default: 'shop', description: 'Slug of the project' },
    stageSlug: { default: 'prod', description: 'Slug of the stage' },
  },
}
const credentialServer = { url: '/', description: 'The stage of a credential that is limited to one' }

/** Errors before the service knows the path of a request. They have the form of the API. */
const early: readonly ErrorCode[] = ['REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE']

/** Adds `requestId`, which every answer of the API has. */
function withRequestId(schema: Json): Json {
  const { properties, required = [] } = schema as { properties?: Json; required?: string[] }
  return properties
    ? { ...schema, properties: { ...properties, requestId }, required: [...required, 'requestId'] }
    : { allOf: [schema, { $ref: '#/components/schemas/Answered' }] }
}

/** Returns error codes by their statuses. */
function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = new Set(codes.map((code) => errors[code].status))
  return [...statuses].map((status) => [status, codes.filter((code) => errors[code].status === status)])
}

function done(contentType: string, schema: Json): Json {
  return { description: 'Done', content: { [contentType]: { schema } } }
}

function bodyOf(contentType: string, schema: Json): Json {
  return { required: true, content: { [contentType]: { schema } } }
}

function bearer(description: string): Json {
  return { type: 'http', scheme: 'bearer', description }
}

/** Returns the name of a component, such as `NotFoundOrVariableNotFound`. */
function componentName(codes: readonly ErrorCode[]): string {
  return codes
    .join('_or_')
    .toLowerCase()
    .replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Operations, and the components to which they refer. */
class Operations {
  readonly schemas = new JsonSchemas()
  readonly responses = new Map<string, Json>()

  ofEndpoint(tag: string, name: string, endpoint: Endpoint): Json {
    const request = this.schemas.of(endpoint.request, 'input')
    return {
      operationId: name,
      tags: [tag],
      summary: endpoint.summary,
      ...(endpoint.auth !== 'caller' && { security: securityOf[endpoint.auth] }),
      parameters: [
        ...(endpoint.method === 'GET' ? this.#queryParameters(request) : []),
        header('x-request-id'),
        ...(endpoint.metered || endpoint.keyed ? [header('x-service-request-key')] : []),
        ...(endpoint.streams ? [header('last-event-id')] : []),
        ...(endpoint.hasEtag ? [header('if-none-match')] : []),
      ],
      ...(endpoint.method === 'POST' && { requestBody: bodyOf('application/json', request) }),
      responses: {
        200: this.#answer(endpoint),
        ...(endpoint.hasEtag && { 304: { description: 'The revision is still that of the ETag' } }),
        ...Object.fromEntries(byStatus(errorsOf(endpoint)).map(([status, codes]) => [status, this.#refusal(codes)])),
      },
    }
  }

  ofDialect(name: string, row: DialectRow): Json {
    const { tag, summary, pathParameters = {}, auth, hasEtag, contentType, request, response, streams } = row
    const inPath = Object.entries(pathParameters).map(([parameter, description]) => ({
      name: parameter,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string' },
    }))
    return {
      operationId: name,
      tags: [tag],
      summary,
      security: dialectSecurity[auth],
      ...(auth !== 'none' && { servers: auth === 'ticket' ? [stageServer] : [credentialServer, stageServer] }),
      parameters: [
        ...inPath,
        header('x-request-id'),
        ...(auth === 'evaluator' ? [header('x-service-request-key')] : []),
        ...(streams ? [header('last-event-id')] : []),
        ...(hasEtag ? [header('if-none-match')] : []),
      ],
      ...(contentType && request && { requestBody: bodyOf(contentType, this.schemas.of(request, 'input')) }),
      responses: {
        200: done(streams ? 'text/event-stream' : 'application/json', this.schemas.of(response(), 'output')),
        ...(hasEtag && { 304: { description: 'The answer is still that of the ETag' } }),
        ...Object.fromEntries(
          byStatus(row.errors).map(([status, codes]) => [status, this.#dialectRefusal(row, codes)]),
        ),
      },
    }
  }

  #queryParameters({ properties = {}, required = [] }: { properties?: Json; required?: string[] }): Json[] {
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    }))
  }

  #answer({ response, streams }: Endpoint): Json {
    const answered = response()
    const schema = this.schemas.of(answered, 'output')
    if (streams) return done('text/event-stream', schema)
    const answer = done('application/json', withRequestId(schema))
    const { id } = answered.meta() ?? {}
    if (id === undefined) return answer
    this.responses.set(id, answer)
    return { $ref: `#/components/responses/${id}` }
  }

  #refusal(codes: readonly ErrorCode[]): Json {
    const name = componentName(codes)
    this.responses.set(name, {
      description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(' '),
      'x-error-codes': codes,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    })
    return { $ref: `#/components/responses/${name}` }
  }

  /** Returns an error in the form of another standard, whose codes are not those of the API. */
  #dialectRefusal({ error }: DialectRow, codes: readonly ErrorCode[]): Json {
    if (error === 'Error' || codes.some((code) => early.includes(code))) return this.#refusal(codes)
    return {
      description: codes.map((code) => errors[code].message).join(' '),
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${error}` } } },
    }
  }
}

function sorted(components: ReadonlyMap<string, Json>): Json {
  return Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Returns the OpenAPI 3.1 document of all endpoints as a JSON value. Never throws.
 *
 * @example
 * const text = JSON.stringify(openapi(), null, 2)
 */
export function openapi(): Json {
  const operations = new Operations()
  const paths: Json = {}
  for (const [tag, { rows }] of Object.entries(resources)) {
    for (const [name, endpoint] of Object.entries<Endpoint>(rows))
      paths[endpoint.path] = { [endpoint.method.toLowerCase()]: operations.ofEndpoint(tag, name, endpoint) }
  }
  for (const [name, row] of Object.entries<DialectRow>(dialects))
    paths[row.path] = { [row.method.toLowerCase()]: operations.ofDialect(name, row) }
  const formsOfErrors = Object.entries(dialectErrors).map(([name, type]) => [
    name,
    operations.schemas.of(type, 'output'),
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Rollkey', version: '1', description: 'Secrets and feature variables.' },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    security: securityOf.caller,
    tags: [
      ...Object.entries(resources).map(([name, { about }]) => ({ name, description: about })),
      { name: 'OFREP', description: 'Evaluations by the OpenFeature Remote Evaluation Protocol' },
    ],
    paths,
    components: {
      schemas: {
        Error: errorSchema,
        Answered: { type: 'object', properties: { requestId }, required: ['requestId'] },
        ...Object.fromEntries(formsOfErrors),
        ...sorted(operations.schemas.definitions),
      },
      responses: sorted(operations.responses),
      parameters: Object.fromEntries(
        Object.entries(headers).map(([name, description]) => [
          name,
          { name, in: 'header', required: false, description, schema: { type: 'string' } },
        ]),
      ),
      securitySchemes: {
        providerToken: bearer('A JWT of the OpenID provider, with an active organization'),
        accessToken: bearer('An access token (svc_at_…) of the device flow or of a trust'),
        serviceToken: bearer('A service token (svc_st_…), for machines'),
        clientKey: bearer('A client key (svc_ck_…), for web pages and mobile apps'),
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'One of the above without Bearer' },
        streamTicket: {
          type: 'apiKey',
          in: 'query',
          name: 'ticket',
          description: 'The ticket of eventStreams in the answer with all flags',
        },
      },
    },
    'x-error-codes': errors,
  }
}
