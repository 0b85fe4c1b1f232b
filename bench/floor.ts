/**
 * The least that a server with Rollkey's promises does for an evaluation or a pull on `node:http`, without its checks, limits, metrics,
 * history and errors. Each step includes those before it:
 *
 *   answer   finds the token, the stage and the variable in maps, and writes the answer with the same headers
 *   journal  also answers only when the kernel has the billing event, one line for all requests of a turn of the event loop
 *   open     also opens the sealed value of each request, or the text of all values of the stage once for all requests of a turn
 *   sync     also answers only when the disk has the billing event, as a database does: one sync for all requests that wait for one
 */
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes, randomUUID } from 'node:crypto'
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
const stages = new Map(['secrets', 'roll', 'pull', 'pull-rolls'].map((stage) => [`bench/${stage}`, variables]))

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

/** The text of a pull: first its secrets, and then the values of each roll. */
interface Bundle {
  readonly sealed: Sealed
  readonly secretBytes: number
  readonly rolls: readonly Roll[]
  /** Opened for the requests of this turn of the event loop. */
  opened?: Buffer | undefined
}

/** Where its values are in the text: from its name on, the first value, and the second one until its end. */
interface Roll {
  readonly name: string
  readonly at: readonly [name: number, a: number, b: number, end: number]
}

const bundles: Readonly<Record<string, Bundle>> = { pull: bundleOf(1_000, 0), 'pull-rolls': bundleOf(950, 50) }

function bundleOf(secrets: number, rolls: number): Bundle {
  const parts: string[] = []
  let length = 0
  const add = (text: string): number => {
    parts.push(text)
    length += Buffer.byteLength(text)
    return length
  }
  const entries = entriesOf(secrets, rolls)
  for (const entry of entries) {
    if (entry.kind === 'secret') add(`${parts.length === 0 ? '' : ','}"${entry.name}":${JSON.stringify(entry.value)}`)
  }
  const secretBytes = length
  const found = entries.flatMap((entry): Roll[] => {
    if (entry.kind === 'secret') return []
    const { name, valueA, valueB } = entry
    return [
      { name, at: [length, add(`,"${name}":`), add(JSON.stringify(valueA)), add(JSON.stringify(valueB))] as const },
    ]
  })
  return { sealed: seal('', parts.join('')), secretBytes, rolls: found }
}

interface EvaluateRequest {
  readonly projectSlug: string
  readonly stageSlug: string
  /** Absent: a pull. */
  readonly name?: string
  readonly seed?: string
  readonly key?: string
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

function answer(response: ServerResponse, request: EvaluateRequest): void {
  const { projectSlug, stageSlug, name } = request
  const requestId = randomUUID()
  if (name === undefined) {
    pull(response, requestId, request)
    return
  }
  const variable = stages.get(`${projectSlug}/${stageSlug}`)?.get(name)
  if (!variable) throw new Error(`no variable ${name}`)
  const value = isSealed ? open(variable).toString() : variable.value
  const text = JSON.stringify({ name, kind: 'secret', value, requestId })
  response.writeHead(200, headOf(requestId, text.length)).end(text, 'latin1')
}

function pull(
  response: ServerResponse,
  requestId: string,
  { stageSlug, seed = '', key: rollKey = '' }: EvaluateRequest,
): void {
  const bundle = bundles[stageSlug] as Bundle
  const text = textOf(bundle)
  const chosen = Buffer.allocUnsafe(text.length - bundle.secretBytes)
  let length = 0
  for (const { name, at } of bundle.rolls) {
    const digest = hash('sha256', `${name.length}:${name}${seed.length}:${seed}${rollKey}`, 'binary')
    const side = digest.charCodeAt(0) < 128 ? 1 : 2
    length += text.copy(chosen, length, at[0], at[1])
    length += text.copy(chosen, length, at[side], at[side + 1])
  }
  const [head, tail] = ['{"variables":{', `},"revision":1,"requestId":"${requestId}"}`]
  response.writeHead(200, headOf(requestId, head.length + bundle.secretBytes + length + tail.length))
  response.write(head)
  response.write(text.subarray(0, bundle.secretBytes))
  if (length > 0) response.write(chosen.subarray(0, length))
  response.end(tail)
}

/** Returns the text of this turn of the event loop. */
function textOf(bundle: Bundle): Buffer {
  if (bundle.opened) return bundle.opened
  setImmediate(() => (bundle.opened = undefined))
  return (bundle.opened = isSealed ? open(bundle.sealed) : Buffer.from(bundle.sealed.value))
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
