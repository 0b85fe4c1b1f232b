/**
 * The baseline: what `node:http` needs to parse a JSON request and to answer as many bytes of JSON as Rollkey would.
 * With a file it is the baseline of writes: it appends and syncs each body before it answers.
 */
import { fdatasync, openSync, write } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [bytes = '64', file] = process.argv.slice(2)
const frame = JSON.stringify({ value: '' }).length
const answer = JSON.stringify({ value: 'x'.repeat(Number(bytes) - frame) })
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length }
const log = file === undefined ? undefined : openSync(file, 'a')

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
    persist(body, () => response.writeHead(200, headers).end(answer))
  })
})

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
process.on('SIGTERM', () => process.exit(0))
