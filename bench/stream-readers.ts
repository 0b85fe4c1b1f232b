/**
 * Readers of one event stream, in a separate process. It reads its job as JSON from stdin and writes a line on stdout, the time in
 * ms since the epoch, whenever all readers have received another event.
 */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReadersJob {
  readonly port: number
  /** Address of the stream, with its ticket. */
  readonly path: string
  readonly origin: string
  readonly readers: number
}

const addressesPerNetwork = 250
/** Readers that connect at once. */
const burst = 50
const burstMs = 25
const good = 'HTTP/1.1 200'
const mark = Buffer.from('\ndata: ')

/** Returns a local address for each reader, because they are separate browsers to the service. */
function addressOf(reader: number): string {
  return `127.1.${Math.floor(reader / addressesPerNetwork)}.${1 + (reader % addressesPerNetwork)}`
}

/** Returns the head that Chromium sends for an EventSource. */
function headOf({ path, origin, port }: ReadersJob): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: keep-alive',
    'sec-ch-ua-platform: "Linux"',
    'Cache-Control: no-cache',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Accept: text/event-stream',
    'sec-ch-ua: "Chromium";v="142", "Not A(Brand";v="99"',
    'sec-ch-ua-mobile: ?0',
    `Origin: ${origin}`,
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: cors',
    'Sec-Fetch-Dest: empty',
    `Referer: ${origin}/`,
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-US,en;q=0.9',
    '',
    '',
  ].join('\r\n')
}

// No part of what arrives is kept, so all sockets can read into the same memory.
const memory = Buffer.allocUnsafeSlow(64 * 1_024)
let events = 0

function countEvents(bytes: Buffer, readers: number): void {
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    if (++events % readers === 0) process.stdout.write(`${Date.now()}\n`)
  }
}

function read(job: ReadersJob, reader: number, head: string): void {
  let isFirst = true
  const socket = connect({
    port: job.port,
    host: '127.0.0.1',
    localAddress: addressOf(reader),
    onread: {
      buffer: memory,
      callback: (length) => {
        const bytes = memory.subarray(0, length)
        if (isFirst && !bytes.toString('latin1', 0, good.length).startsWith(good))
          throw new Error(`a stream was refused: ${bytes.toString()}`)
        isFirst = false
        countEvents(bytes, job.readers)
        return true
      },
    },
  })
  socket.on('connect', () => socket.write(head))
  socket.on('error', (error) => {
    throw error
  })
  socket.on('close', () => {
    throw new Error('a stream was closed')
  })
}

const job = JSON.parse(await text(process.stdin)) as ReadersJob
const head = headOf(job)
for (let reader = 0; reader < job.readers; reader++) {
  if (reader % burst === burst - 1) await sleep(burstMs)
  read(job, reader, head)
}
