/**
 * The least that a server with Rollkey's promises does for an evaluation or a pull on `node:http`, without its checks, limits, metrics,
 * history and errors. Each step includes those before it:
 *
 *   answer   finds the token, the stage and the variable in maps, and writes the answer with the same headers
 *   journal  also answers only when the kernel has the billing event, one line for all requests of a turn of the event loop
 *   open     also opens the sealed value of each request, or the text of all values of the stage
 *   sync     also answers only when the disk has the billing event, as a database does: one sync for all requests that wait for one
 */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { fdatasync, openSync, writeSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { entriesOf } from './scenarios.ts'

const [step = 'answer', file = '/dev/null'] = process.argv.slice(2)
const isMetered = step !== 'answer'
const isSynced = step === 'sync'
const isSealed = step === 'open' || isSynced

interface Sealed {
  readonly nonce: Buffer
  readonly context: Buffer
  readonly ciphertext: Buffer
  readonly tag: Buffer
  readonly value: string
}

const algorithm = 'aes-256-gcm'
const key = createSecretKey(randomBytes(32))
const journal = openSync(file, 'a')
const callers = new Map<string, string>()
const values = Object.fromEntries(
  entriesOf(1_000, 50).map((entry) => [entry.name, 'value' in entry ? entry.value : entry.valueA]),
)
const variables = new Map(Object.entries(values).map(([name, value]) => [name, seal(name, value)]))
const secrets = Object.entries(values).slice(0, 1_000)
const bundle = seal('', JSON.stringify(Object.fromEntries(secrets)).slice(1, -1))
const stages = new Map(['secrets', 'roll', 'pull'].map((stage) => [`bench/${stage}`, variables]))

function seal(name: string, value: string): Sealed {
  const nonce = randomBytes(12)
  const context = Buffer.from(name)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(context)
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
  return { nonce, context, ciphertext, tag: cipher.getAuthTag(), value }
}

function open({ nonce, context, ciphertext, tag }: Sealed): Buffer {
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tag.length })
  const opened = decipher.setAAD(context).setAuthTag(tag).update(ciphertext)
  decipher.final()
  return opened
}

interface EvaluateRequest {
  readonly projectSlug: string
  readonly stageSlug: string
  /** Absent: a pull. */
  readonly name?: string
}

function headOf(requestId: string, length: number): string[] {
  return [
    ['content-type', 'application/json; charset=utf-8'],
    ['x-content-type-options', 'nosniff'],
    ['x-request-id', requestId],
    ['content-length', String(length)],
    ['cache-control', 'no-store'],
    ['vary', 'Origin'],
  ].flat()
}

function answer(response: ServerResponse, { projectSlug, stageSlug, name }: EvaluateRequest): void {
  const requestId = randomUUID()
  if (name === undefined) {
    pull(response, requestId)
    return
  }
  const variable = stages.get(`${projectSlug}/${stageSlug}`)?.get(name)
  if (!variable) throw new Error(`no variable ${name}`)
  const value = isSealed ? open(variable).toString() : variable.value
  const text = JSON.stringify({ name, kind: 'secret', value, requestId })
  response.writeHead(200, headOf(requestId, text.length)).end(text, 'latin1')
}

function pull(response: ServerResponse, requestId: string): void {
  const [head, tail] = ['{"variables":{', `},"revision":1,"requestId":"${requestId}"}`]
  const text = isSealed ? open(bundle) : Buffer.from(bundle.value)
  response.writeHead(200, headOf(requestId, head.length + text.length + tail.length))
  response.write(head)
  response.write(text)
  response.end(tail)
}

const waiting: (() => void)[] = []
let isWriting = false

/** Runs `done` when the kernel, or the disk, has the event. */
function count(done: () => void): void {
  waiting.push(done)
  if (isWriting) return
  isWriting = true
  setImmediate(write)
}

function write(): void {
  const all = waiting.splice(0)
  writeSync(journal, `${JSON.stringify([Date.now(), ['org', 'project', 'stage', all.length]])}\n`)
  if (isSynced) fdatasync(journal, () => finish(all))
  else finish(all)
}

function finish(all: readonly (() => void)[]): void {
  for (const each of all) each()
  isWriting = waiting.length > 0
  if (isWriting) setImmediate(write)
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  callers.set(request.headers.authorization ?? '', 'ada')
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as EvaluateRequest
    if (isMetered) count(() => answer(response, body))
    else answer(response, body)
  })
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))
