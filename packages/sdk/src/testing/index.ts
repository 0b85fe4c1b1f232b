/** An in-memory service, to test programs that use this package without a server. */
import type { DeclarationsDocument } from '@rollkey/contract/rules'
import { createClient } from '../client.ts'
import { RollkeyError } from '../errors.ts'
import type { FetchInit, FetchReply } from '../transport.ts'
import type { Client, ClientOptions, StageRef } from '../types.ts'
import type { Name, ValueOf } from '../variables.ts'
import { errorCodes, operations } from '../wire-tables.ts'
import type { OperationName, WriteEntry } from '../wire.ts'
import { assertWrite, declaredNames } from './check.ts'
import { StageService } from './service.ts'
import { TestStreams } from './streams.ts'
import { entryOf, type TestVariable, type TestVariables } from './variables.ts'

export type { TestVariable, TestVariables } from './variables.ts'

/** Options of `createTestService`. All slugs are `test` by default. */
export interface TestServiceOptions extends Partial<StageRef> {
  /** Variables of the stage by name. Without any, the stage does not exist yet. @default {} */
  readonly variables?: TestVariables
  /**
   * What the projects expect of their variables: the JSON Schema document of `rollkey declare pull`. A write that contradicts it fails as
   * one of the service does. @default {}
   */
  readonly declarations?: DeclarationsDocument
}

/** A request that the test service received. */
export interface TestRequest {
  /** Name of the endpoint. */
  readonly operation: OperationName
  /** The body, or the query of a GET. */
  readonly body: Readonly<Record<string, unknown>>
  /** The request key of a metered request, the same in each attempt. */
  readonly requestKey: string | undefined
}

/** A code of the service, or `UNREACHABLE` for no answer. */
export type TestFailure = keyof typeof errorCodes | 'UNREACHABLE'

/**
 * An in-memory service.
 *
 * @example
 * const service = createTestService({ variables: { API_KEY: 'abc' } })
 * service.set('API_KEY', 'def')
 * const apiKey = await service.client.get('API_KEY') // 'def'
 * service.delete('API_KEY')
 */
export interface TestService {
  /** A client with `options`. */
  readonly client: Client
  /** Options for `createClient`. The cache is off, so that values are always current, and retries do not wait. */
  readonly options: ClientOptions
  /** All requests so far, except the stream of a watch. */
  readonly requests: readonly TestRequest[]
  /**
   * Creates or changes a variable.
   *
   * @throws {RollkeyError} `INVALID_REQUEST` if the name or a value is invalid.
   * @example
   * import { createTestService } from '@rollkey/sdk/testing'
   *
   * const service = createTestService({ variables: { LIMIT: 5n } })
   * service.set('LIMIT', 6n)
   */
  set<N extends Name>(name: N, variable: TestVariable<ValueOf<N>>): void
  /**
   * Deletes a variable. One that does not exist is not an error.
   *
   * @throws {RollkeyError} `INVALID_REQUEST` if the name is invalid.
   */
  delete(name: Name): void
  /**
   * Makes the next requests fail. The client makes 4 attempts for codes that may succeed later (`retry: 'backoff'`) before a
   * call fails. Never throws.
   *
   * @param times Number of requests. 1 by default.
   * @example
   * import assert from 'node:assert/strict'
   * import { createTestService } from '@rollkey/sdk/testing'
   *
   * const service = createTestService({ variables: { API_KEY: 'abc' } })
   * service.failNext('SERVICE_UNAVAILABLE', 4)
   * await assert.rejects(service.client.get('API_KEY'), { code: 'SERVICE_UNAVAILABLE' })
   */
  failNext(code: TestFailure, times?: number): void
}

function replyOf(status: number, body: object | null, headers: Record<string, string> = {}): Response {
  return new Response(body && JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

class MemoryService implements TestService {
  readonly options: ClientOptions
  readonly client: Client
  readonly requests: TestRequest[] = []
  readonly #service: StageService
  readonly #streams = new TestStreams()
  readonly #failures: TestFailure[] = []

  constructor({
    variables = {},
    declarations = {},
    org = 'test',
    project = 'test',
    stage = 'test',
  }: TestServiceOptions) {
    this.#service = new StageService(org, declaredNames(declarations))
    this.options = {
      url: 'https://rollkey.test',
      org,
      project,
      stage,
      token: 'test',
      cache: false,
      retry: { baseDelayMs: 0 },
      fetch: (url, init) => this.#fetch(new URL(url), init),
    }
    this.client = createClient(this.options)
    const given = Object.entries(variables as Readonly<Record<string, TestVariable | undefined>>)
    this.#write({
      entries: given.flatMap(([name, variable]) => (variable === undefined ? [] : [entryOf(name, variable)])),
    })
  }

  set(name: string, variable: TestVariable): void {
    this.#write({ entries: [entryOf(name, variable)] })
  }

  delete(name: string): void {
    this.#write({ deletes: [name] })
  }

  failNext(code: TestFailure, times = 1): void {
    this.#failures.push(...Array.from({ length: times }, () => code))
  }

  #write(change: { entries?: WriteEntry[]; deletes?: string[] }): void {
    assertWrite(change)
    this.#service.stage(this.options).write({ mode: 'upsert', ...change })
    this.#streams.notify()
  }

  async #fetch({ pathname, searchParams }: URL, { body, headers, signal }: FetchInit): Promise<FetchReply> {
    const [operation] = (Object.keys(operations) as OperationName[]).filter(
      (name) => operations[name].path === pathname,
    )
    if (!operation) return refusal(new RollkeyError('NOT_FOUND', 'There is nothing at this path.'))
    const request = (body === null ? Object.fromEntries(searchParams) : JSON.parse(body)) as Record<string, unknown>
    if (operation === 'events') {
      const { projectSlug = '' } = request as { projectSlug?: string }
      const project = {
        revisions: () => this.#service.revisions(projectSlug),
        changedAfter: (stage: string, revision: number) => this.#service.changedAfter(projectSlug, stage, revision),
      }
      return this.#streams.open(project, signal)
    }
    this.requests.push({ operation, body: request, requestKey: headers['x-service-request-key'] })
    const failure = this.#failures.shift()
    if (failure === 'UNREACHABLE') throw new TypeError('fetch failed')
    if (failure) return refusal(new RollkeyError(failure, 'The test asked for this failure.'))
    try {
      const answer = await this.#service.answer(operation, request)
      this.#streams.notify()
      return this.#reply(operation, answer, headers['if-none-match'])
    } catch (error) {
      if (error instanceof RollkeyError) return refusal(error)
      throw error
    }
  }

  #reply(operation: OperationName, answer: object, ifNoneMatch: string | undefined): FetchReply {
    const body = { ...answer, requestId: crypto.randomUUID() }
    if (operation !== 'manifest' && operation !== 'ruleset') return replyOf(200, body)
    const etag = `W/"${(answer as { revision: number }).revision}"`
    return ifNoneMatch === etag ? replyOf(304, null, { etag }) : replyOf(200, body, { etag })
  }
}

function refusal({ code, message }: RollkeyError): Response {
  const { status } = errorCodes[code as keyof typeof errorCodes]
  return replyOf(status, { error: { code, message, requestId: crypto.randomUUID() } })
}

/**
 * Creates a separate in-memory service with the variables of one stage. `client.at(…).write(…)` creates other stages.
 *
 * @throws {RollkeyError} `INVALID_REQUEST` if a variable is invalid or contradicts its declaration, or a declaration is invalid.
 * @example
 * import assert from 'node:assert/strict'
 * import { createTestService } from '@rollkey/sdk/testing'
 *
 * const { client } = createTestService({ variables: { API_KEY: 'abc', LIMIT: 25n } })
 * assert.equal(await client.get('LIMIT'), 25n)
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  return new MemoryService(options)
}
