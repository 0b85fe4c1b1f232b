/**
 * The baseline: what `node:http` needs to parse a JSON request and to answer as many bytes of ready JSON as Rollkey would.
 * With --serialize it stringifies each answer. With a file it is the baseline of writes: it appends and syncs each body before it answers.
 * With --workers, as many processes share its port.
 */
import cluster from 'node:cluster'
import { fdatasync, openSync, write } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

const { values: options, positionals } = parseArgs({
  options: { serialize: { type: 'boolean', default: false }, workers: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const [bytes = '64', file] = positionals
const memberBytes = '"NAME_0000":"",'.length + 32
const answer = answerOf(Number(bytes))
const ready = JSON.stringify(answer)
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': ready.length }
const log = file === undefined ? undefined : openSync(file, 'a')

/** Returns an answer of this length in bytes, with a member for each value as in a batch or a pull. */
function answerOf(length: number): object {
  const count = Math.max(0, Math.floor(length / memberBytes) - 1)
  const members = Array.from({ length: count }, (_, index) => [
    `NAME_${String(index).padStart(4, '0')}`,
    'x'.repeat(32),
  ])
  const empty = { value: '', ...Object.fromEntries(members) }
  return { ...empty, value: 'x'.repeat(length - JSON.stringify(empty).length) }
}

function persist(body: Buffer, done: () => void): void {
  if (log === undefined) {
    done()
    return
  }
  write(log, body, (failed) => {
    if (failed) throw failed
    fdatasync(log, (unsynced) => {
      if (unsynced) throw unsynced
      done()
    })
  })
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    // Only the readiness check has no body.
    if (body.length > 0) JSON.parse(body.toString())
    persist(body, () => response.writeHead(200, headers).end(options.serialize ? JSON.stringify(answer) : ready))
  })
})

function listen(): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
  })
}

const workers = Number(options.workers)
if (workers > 1 && cluster.isPrimary) for (let worker = 0; worker < workers; worker++) cluster.fork()
else listen()
process.on('SIGTERM', () => process.exit(0))
