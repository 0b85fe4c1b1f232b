/** Writes all answers of the API, so that every answer has the same headers and shape. */
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errors, type ErrorBody } from '@rollkey/contract'
import type { ApiError } from '../base/api-error.ts'
import { largeBytes } from '../concurrency/time-slices.ts'

/** Alternating header names and values. */
export type Headers = readonly string[]

const noHeaders: Headers = []

/** A serialized JSON object without its closing brace, and the headers of its answer. */
export class JsonText {
  readonly head: string
  /** The main part as bytes. Its pieces are sent unchanged. */
  readonly bulk: readonly Buffer[]
  readonly tail: string
  readonly headers: Headers
  readonly onSent: (() => void) | undefined

  /** `onSent` is called when the kernel has the bulk or its connection is closed, but not for an answer that is never begun. */
  constructor(
    head: string,
    bulk: readonly Buffer[] = [],
    tail = '',
    headers: Headers = noHeaders,
    onSent?: () => void,
  ) {
    this.head = head
    this.bulk = bulk
    this.tail = tail
    this.headers = headers
    this.onSent = onSent
  }
}

/** An answer with its own status and headers. Answers with status 204 and 304 have no body. */
export class Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: object | undefined

  constructor(status: number, headers: Headers, body?: object) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

const noSniff: Headers = ['x-content-type-options', 'nosniff']
const jsonHeaders: Headers = ['content-type', 'application/json; charset=utf-8', ...noSniff]
const noStore: Headers = ['cache-control', 'no-store']

/** Returns the headers of a JSON answer. The default content-type and cache-control apply if `own` has none. */
function jsonHead(common: Headers, own: Headers, requestId: string, length: number): string[] {
  const head = ['x-request-id', requestId, 'content-length', String(length)]
  const type = own.includes('content-type') ? noSniff : jsonHeaders
  return head.concat(type, common, own.includes('cache-control') ? own : own.concat(noStore))
}

/** An answer that is being written. */
export interface Envelope {
  readonly response: ServerResponse
  readonly requestId: string
  /** Headers of every answer, such as those of CORS. */
  readonly common: Headers
}

function sendText({ response, requestId, common }: Envelope, status: number, own: Headers, text: string): void {
  const length = Buffer.byteLength(text)
  // ASCII text has the same bytes in both encodings, and latin1 needs no transcoding.
  const encoding = length === text.length ? 'latin1' : 'utf8'
  response.writeHead(status, jsonHead(common, own, requestId, length)).end(text, encoding)
}

/**
 * Sends an answer in pieces, because joining them would copy the bulk. The kernel copies what is written, so other requests get a turn
 * of the event loop when that is much.
 */
async function sendBulk(
  { response, requestId, common }: Envelope,
  { head, bulk, tail, headers, onSent }: JsonText,
  closing: string,
): Promise<void> {
  // Node emits it after the kernel has all that was written, or after the socket is closed.
  if (onSent) response.once('close', onSent)
  const end = tail + closing
  const bulkLength = bulk.reduce((sum, piece) => sum + piece.length, 0)
  const length = Buffer.byteLength(head) + bulkLength + Buffer.byteLength(end)
  response.writeHead(200, jsonHead(common, headers, requestId, length))
  response.write(head)
  let written = 0
  for (const piece of bulk) {
    if (written + piece.length > largeBytes && written > 0) {
      await nextTurn()
      written = 0
    }
    if (response.destroyed) return
    response.write(piece)
    written += piece.length
  }
  response.end(end)
}

/** Returns the text that replaces the closing brace of a body. */
function closingText(requestId: string): string {
  return `,"requestId":${JSON.stringify(requestId)}}`
}

function sendObject(envelope: Envelope, status: number, own: Headers, body: object): void {
  sendText(envelope, status, own, JSON.stringify(body).slice(0, -1) + closingText(envelope.requestId))
}

/** Sends the answer of an endpoint. Returns a promise if that takes several turns of the event loop. */
export function send(envelope: Envelope, answer: object): Promise<void> | void {
  const { response, requestId, common } = envelope
  if (answer instanceof JsonText) return sendBulk(envelope, answer, closingText(requestId))
  if (!(answer instanceof Reply)) sendObject(envelope, 200, noHeaders, answer)
  else if (answer.body) sendObject(envelope, answer.status, answer.headers, answer.body)
  else response.writeHead(answer.status, [...common, ...answer.headers, 'x-request-id', requestId]).end()
}

/**
 * Sends the answer of an endpoint without the id of the request in its body, for standards that define all members. Returns a
 * promise if that takes several turns of the event loop.
 */
export function sendPlainJson(envelope: Envelope, answer: object): Promise<void> | void {
  const { response, requestId, common } = envelope
  if (answer instanceof JsonText) {
    const { head, bulk, tail, headers } = answer
    return bulk.length === 0 ? sendText(envelope, 200, headers, `${head}${tail}}`) : sendBulk(envelope, answer, '}')
  }
  if (!(answer instanceof Reply)) sendJson(envelope, 200, noHeaders, answer)
  else if (answer.body) sendJson(envelope, answer.status, answer.headers, answer.body)
  else response.writeHead(answer.status, [...common, ...answer.headers, 'x-request-id', requestId]).end()
}

/** Sends a JSON body as it is, without the id of the request, for standards that define all members. */
export function sendJson(envelope: Envelope, status: number, own: Headers, body: object): void {
  sendText(envelope, status, own, JSON.stringify(body))
}

/** Begins an answer of server-sent events. It ends with its connection, so everything after its head is written unchanged. */
export function sendStreamHead({ response, requestId, common }: Envelope): void {
  response.useChunkedEncodingByDefault = false
  response.writeHead(200, [
    'content-type',
    'text/event-stream; charset=utf-8',
    'x-content-type-options',
    'nosniff',
    'x-request-id',
    requestId,
    'cache-control',
    'no-store',
    // nginx would otherwise hold events back until its buffer is full.
    'x-accel-buffering',
    'no',
    ...common,
  ])
}

/** Sends a page for operators. */
export function sendPlain(response: ServerResponse, status: number, type: string, text: string | Buffer): void {
  response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' })
    .end(text)
}

/** Returns the body of an error answer. */
export function errorText({ code, message }: ApiError, requestId: string): string {
  const body: ErrorBody = { error: { code, message, requestId } }
  return JSON.stringify(body)
}

export function sendError(envelope: Envelope, apiError: ApiError, status: number = errors[apiError.code].status): void {
  const own = Object.entries(apiError.headers).flat()
  sendText(envelope, status, own, errorText(apiError, envelope.requestId))
}
