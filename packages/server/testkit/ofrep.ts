/** A client of OFREP that checks each answer against the protocol's own document (fixtures/ofrep) and against openapi.json. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { answerOf, type Answer, type Extras } from './client.ts'
import { assertPublished } from './published.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a document of any shape
const published: any = JSON.parse(readFileSync(new URL('./fixtures/ofrep/openapi.json', import.meta.url), 'utf8'))
const { schemas } = published.components

// The types of values do not exclude each other: an integer is a float, and each of them a flag without a value.
const types = schemas.evaluationSuccess.allOf[1]
types.anyOf = types.oneOf
delete types.oneOf
schemas.codeDefaultFlag.not = { required: ['value'] }
// Every provider reads lists and null as objects, and declared JSON may be either.
schemas.objectFlag.properties.value = { type: ['object', 'array', 'null'] }

const ajv = new Ajv2020({ strict: false, formats: { float: true, uri: (text: string) => URL.canParse(text) } })
ajv.addSchema(published, 'ofrep')

const path = '/ofrep/v1/evaluate/flags'
const validators = new Map<string, ValidateFunction>()

function validatorOf(operation: string, status: number): ValidateFunction | undefined {
  const response = published.paths[operation].post.responses[status]
  if (!response?.content) return undefined
  const key = `${operation} ${status}`
  const pointer = `ofrep#/paths/${operation.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/post/responses/${status}/content/application~1json/schema`
  const known = validators.get(key) ?? ajv.compile({ $ref: pointer })
  validators.set(key, known)
  return known
}

/** Throws unless OFREP documents the answer. The statuses that it does not document have its form of an error. */
function assertDocumented(operation: string, { status, text, body }: Answer): void {
  if (status === 304 || status === 204) {
    if (text !== '') throw new Error(`${status} with a body: ${text}`)
    return
  }
  const validator = validatorOf(operation, status)
  if (validator && !validator(body))
    throw new Error(`${operation} ${status}: ${ajv.errorsText(validator.errors)} in ${text}`)
  // The protocol lets flags be without a variant, and the providers for Python and Ruby do not.
  const flags = (body.flags ?? [body]) as { variant?: unknown; errorCode?: unknown }[]
  if (status === 200 && flags.some(({ variant, errorCode }) => errorCode === undefined && typeof variant !== 'string'))
    throw new Error(`${operation} ${status}: a flag has no variant in ${text}`)
  if (status !== 200 && (typeof body.errorCode !== 'string' || typeof body.errorDetails !== 'string'))
    throw new Error(`${operation} ${status}: no errorCode in ${text}`)
}

export interface OfrepExtras extends Extras {
  readonly apiKey?: string
  /** Path of a stage before that of OFREP. */
  readonly below?: string
  /** Body in place of one with the context. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
}

export class OfrepClient {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Evaluates one flag. */
  one(key: string, context: unknown, extras: OfrepExtras = {}): Promise<Answer> {
    return this.#send(`${path}/{key}`, `${path}/${encodeURIComponent(key)}`, context, extras)
  }

  /** Evaluates all flags. */
  all(context: unknown, extras: OfrepExtras = {}): Promise<Answer> {
    return this.#send(path, path, context, extras)
  }

  async #send(
    operation: string,
    at: string,
    context: unknown,
    { token, apiKey, below = '', raw = JSON.stringify({ context }), headers }: OfrepExtras,
  ): Promise<Answer> {
    const response = await fetch(`${this.#url}${below}${at}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...headers,
      },
      body: raw,
    })
    const answer = await answerOf(response)
    assertDocumented(operation, answer)
    assertPublished(operation === path ? 'ofrepEvaluateAll' : 'ofrepEvaluate', answer.status, answer.text)
    return answer
  }
}

/** Returns the path of a stage. */
export function pathOf({ projectSlug, stageSlug }: { projectSlug: string; stageSlug: string }): string {
  return `/projects/${projectSlug}/stages/${stageSlug}`
}
