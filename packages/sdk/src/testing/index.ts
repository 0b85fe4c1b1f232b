/** The service in memory, so that programs that use this package can be tested without a server. */
import { createClient } from '../client.ts'
import { RollkeyError } from '../errors.ts'
import type { FetchInit, FetchReply } from '../transport.ts'
import type { Client, ClientOptions, StageRef, WriteEntry } from '../types.ts'
import { errorCodes, operations, type DeclaredType, type OperationName } from '../wire.ts'
import { assertWrite } from './check.ts'
import { StageService } from './service.ts'

/** A secret by its text, a typed one, or an A/B roll. */
export type TestVariable =
  | string
  | { readonly value: string; readonly declaredType?: DeclaredType }
  | { readonly a: string; readonly b: string; readonly chance: number; readonly declaredType?: DeclaredType }

export interface TestServiceOptions extends Partial<StageRef> {
  /** Of the stage of `options`, which does not exist until it has one. */
  readonly variables?: Readonly<Record<string, TestVariable>>
}

/** What a client asked. */
export interface TestRequest {
  readonly operation: OperationName
  /** Body or query. */
  readonly body: Readonly<Record<string, unknown>>
  /** Of metered requests: the same in each attempt of one. */
  readonly requestKey: string | undefined
}

/** A code of the service, or UNREACHABLE for no answer at all. */
export type TestFailure = keyof typeof errorCodes | 'UNREACHABLE'

export interface TestService {
  /** Of `options`. */
  readonly client: Client
  /** For `createClient`. Without a cache, so that each value is the one set last; with retries that do not wait. */
  readonly options: ClientOptions
  /** Every request so far. */
  readonly requests: readonly TestRequest[]
  /** As a write would: throws INVALID_REQUEST for a value that is not of its declared type. */
  set(name: string, variable: TestVariable): void
  delete(name: string): void
  /** The next requests fail; most codes are tried 4 times before a call fails. */
  failNext(code: TestFailure, times?: number): void
}

function entryOf(name: string, variable: TestVariable): WriteEntry {
  if (typeof variable === 'string') return { name, kind: 'secret', value: variable }
  if ('value' in variable) return { name, kind: 'secret', ...variable }
  const { a, b, ...rest } = variable
  return { name, kind: 'ab_roll', valueA: a, valueB: b, ...rest }
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
  readonly #failures: TestFailure[] = []

  constructor({ variables = {}, org = 'test', project = 'test', stage = 'test' }: TestServiceOptions) {
    this.#service = new StageService(org)
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
    this.#write({ entries: Object.entries(variables).map(([name, variable]) => entryOf(name, variable)) })
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
  }

  async #fetch({ pathname, searchParams }: URL, { body, headers }: FetchInit): Promise<FetchReply> {
    const [operation] = (Object.keys(operations) as OperationName[]).filter(
      (name) => operations[name].path === pathname,
    )
    if (!operation) return refusal(new RollkeyError('NOT_FOUND', 'There is nothing at this path.'))
    const request = (body === null ? Object.fromEntries(searchParams) : JSON.parse(body)) as Record<string, unknown>
    this.requests.push({ operation, body: request, requestKey: headers['x-service-request-key'] })
    const failure = this.#failures.shift()
    if (failure === 'UNREACHABLE') throw new TypeError('fetch failed')
    if (failure) return refusal(new RollkeyError(failure, 'The test asked for this failure.'))
    try {
      return this.#reply(operation, await this.#service.answer(operation, request), headers['if-none-match'])
    } catch (error) {
      if (error instanceof RollkeyError) return refusal(error)
      throw error
    }
  }

  #reply(operation: OperationName, answer: object, ifNoneMatch: string | undefined): FetchReply {
    const body = { ...answer, requestId: crypto.randomUUID() }
    if (operation !== 'manifest') return replyOf(200, body)
    const etag = `W/"${(answer as { revision: number }).revision}"`
    return ifNoneMatch === etag ? replyOf(304, null, { etag }) : replyOf(200, body, { etag })
  }
}

function refusal({ code, message }: RollkeyError): Response {
  const { status } = errorCodes[code as keyof typeof errorCodes]
  return replyOf(status, { error: { code, message, requestId: crypto.randomUUID() } })
}

/** A service of its own, with the variables of one stage; others come into being by `client.at(…).write(…)`. */
export function createTestService(options: TestServiceOptions = {}): TestService {
  return new MemoryService(options)
}
