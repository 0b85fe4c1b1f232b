/** Answers: one place that writes them, so that every one has the same headers and shape. */
import type { ServerResponse } from 'node:http'
import { errors, type ErrorBody } from '@rollkey/contract'
import type { Fault } from '../base/fault.ts'

/** Header names and values in turn. */
export type Headers = readonly string[]

/** A JSON object that is text already, without its closing brace. */
export class JsonText {
  readonly head: string
  /** The bulk, as bytes: it is sent as it is. */
  readonly bulk: Buffer
  readonly tail: string

  constructor(head: string, bulk: Buffer, tail: string) {
    this.head = head
    this.bulk = bulk
    this.tail = tail
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

/** The headers that all answers of JSON have. `headers` may name a cache-control of its own. */
function jsonHead(headers: Headers, requestId: string, length: number): string[] {
  const caching = headers.includes('cache-control') ? [] : uncached
  return [...jsonHeaders, ...caching, ...headers, 'x-request-id', requestId, 'content-length', String(length)]
}

function sendText(response: ServerResponse, status: number, headers: Headers, requestId: string, text: string): void {
  response.writeHead(status, jsonHead(headers, requestId, Buffer.byteLength(text))).end(text)
}

/** In pieces, which Node hands to the kernel together: joining them would copy the bulk. */
function sendBulk(response: ServerResponse, headers: Headers, requestId: string, { head, bulk, tail }: JsonText): void {
  const end = tail + endOf(requestId)
  const length = Buffer.byteLength(head) + bulk.length + Buffer.byteLength(end)
  response.writeHead(200, jsonHead(headers, requestId, length))
  response.write(head)
  response.write(bulk)
  response.end(end)
}

/** What takes the place of a body's closing brace. */
function endOf(requestId: string): string {
  return `,"requestId":${JSON.stringify(requestId)}}`
}

/** Sends what an endpoint answered; `common` are the headers of every answer, such as those of CORS. */
export function send(response: ServerResponse, requestId: string, common: Headers, answer: object): void {
  if (answer instanceof JsonText) {
    sendBulk(response, common, requestId, answer)
    return
  }
  const { status, headers, body } = answer instanceof Reply ? answer : new Reply(200, [], answer)
  const all = [...common, ...headers]
  if (body) sendText(response, status, all, requestId, JSON.stringify(body).slice(0, -1) + endOf(requestId))
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
