/** Answers: one place that writes them, so that every one has the same headers and shape. */
import type { ServerResponse } from 'node:http'
import { errors, type ErrorBody } from '@rollkey/contract'
import type { Fault } from '../base/fault.ts'

/** Header names and values in turn. */
export type Headers = readonly string[]

/** A JSON object that is text already, in pieces and without its closing brace. */
export class JsonText {
  readonly pieces: readonly (string | Buffer)[]

  constructor(pieces: readonly (string | Buffer)[]) {
    this.pieces = pieces
  }
}

/** An answer that is not a plain 200; without a body for 204 and 304. */
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

const jsonHeaders: Headers = ['content-type', 'application/json; charset=utf-8', 'x-content-type-options', 'nosniff']
const uncached: Headers = ['cache-control', 'no-store']

/** Sends JSON text with the headers that all answers have. `headers` may name a cache-control of its own. */
function sendText(
  response: ServerResponse,
  status: number,
  headers: Headers,
  requestId: string,
  text: string | Buffer,
): void {
  const length = String(Buffer.byteLength(text))
  const caching = headers.includes('cache-control') ? [] : uncached
  response.writeHead(status, [
    ...jsonHeaders,
    ...caching,
    ...headers,
    'x-request-id',
    requestId,
    'content-length',
    length,
  ])
  response.end(text)
}

/** The JSON text of a body with `requestId` added to it. */
function textOf(body: object, requestId: string): string | Buffer {
  const tail = `,"requestId":${JSON.stringify(requestId)}}`
  if (!(body instanceof JsonText)) return JSON.stringify(body).slice(0, -1) + tail
  return Buffer.concat([...body.pieces, tail].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

/** Sends what an endpoint answered; `common` are the headers of every answer, such as those of CORS. */
export function send(response: ServerResponse, requestId: string, common: Headers, answer: object): void {
  const { status, headers, body } = answer instanceof Reply ? answer : new Reply(200, [], answer)
  const all = [...common, ...headers]
  if (body) sendText(response, status, all, requestId, textOf(body, requestId))
  else response.writeHead(status, [...all, 'x-request-id', requestId]).end()
}

/** The text of an error answer. */
export function errorText({ code, message }: Fault, requestId: string): string {
  const body: ErrorBody = { error: { code, message, requestId } }
  return JSON.stringify(body)
}

export function sendFault(response: ServerResponse, requestId: string, common: Headers, fault: Fault): void {
  const headers = [...common, ...Object.entries(fault.headers).flat()]
  sendText(response, errors[fault.code].status, headers, requestId, errorText(fault, requestId))
}
