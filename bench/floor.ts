/**
 * The least that a server with Rollkey's promises does for an evaluation on `node:http`, without its checks, limits, metrics, history and
 * errors. Each step includes those before it:
 *
 *   answer   finds the token, the stage and the variable in maps, and writes the answer with the same headers
 *   journal  also answers only when the kernel has the billing event, one line for all requests of a turn of the event loop
 *   open     also opens the sealed value of each request
 */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { entriesOf } from './scenarios.ts'

const [step = 'answer', file = '/dev/null'] = process.argv.slice(2)
const [isMetered, isSealed] = [step !== 'answer', step === 'open']

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
const variables = new Map(
  entriesOf(1_000, 0).map((entry) => [entry.name, seal(entry.name, 'value' in entry ? entry.value : '')]),
)
const stages = new Map([['bench/secrets', variables]])

function seal(name: string, value: string): Sealed {
  const nonce = randomBytes(12)
  const context = Buffer.from(name)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(context)
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
  return { nonce, context, ciphertext, tag: cipher.getAuthTag(), value }
}

function open({ nonce, context, ciphertext, tag }: Sealed): string {
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tag.length })
  const opened = decipher.setAAD(context).setAuthTag(tag).update(ciphertext)
  decipher.final()
  return opened.toString()
}

interface EvaluateRequest {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
}

function answer(response: ServerResponse, { projectSlug, stageSlug, name }: EvaluateRequest): void {
  const variable = stages.get(`${projectSlug}/${stageSlug}`)?.get(name)
  if (!variable) throw new Error(`no variable ${name}`)
  const requestId = randomUUID()
  const value = isSealed ? open(variable) : variable.value
  const text = JSON.stringify({ name, kind: 'secret', value, requestId })
  const head = [
    ['content-type', 'application/json; charset=utf-8'],
    ['x-content-type-options', 'nosniff'],
    ['x-request-id', requestId],
    ['content-length', String(text.length)],
    ['cache-control', 'no-store'],
    ['vary', 'Origin'],
  ].flat()
  response.writeHead(200, head).end(text, 'latin1')
}

const waiting: (() => void)[] = []

/** Runs `done` when the kernel has the event. */
function count(done: () => void): void {
  waiting.push(done)
  if (waiting.length > 1) return
  setImmediate(() => {
    const all = waiting.splice(0)
    writeSync(journal, `${JSON.stringify([Date.now(), ['org', 'project', 'stage', all.length]])}\n`)
    for (const each of all) each()
  })
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
