import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DiscardedBodies } from '../../src/http/limits/discarded-bodies.ts'
import { createLog } from '../../src/base/log.ts'
import { readBody } from '../../src/http/steps/read-body.ts'
import { HttpServer } from '../../src/http/server.ts'

const mebibyte = 1_048_576
const pieceBytes = 65_536

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** Returns a body in chunks of the size that Node reads from a socket. */
class Upload extends Readable {
  #left: number

  constructor(bytes: number) {
    super({ highWaterMark: pieceBytes })
    this.#left = bytes
  }

  override _read(): void {
    setImmediate(() => {
      this.push(this.#left > 0 ? Buffer.alloc(Math.min(pieceBytes, this.#left)) : null)
      this.#left -= pieceBytes
    })
  }

  get bytesLeft(): number {
    return Math.max(0, this.#left)
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await nextTurn()
}

function leftOf(uploads: readonly Upload[]): number {
  return uploads.reduce((sum, { bytesLeft }) => sum + bytesLeft, 0)
}

function discard(count: number, bytes: number): Upload[] {
  const bodies = new DiscardedBodies()
  return Array.from({ length: count }, () => {
    const upload = new Upload(bytes)
    bodies.add(upload)
    return upload
  })
}

test('a single body is discarded at once', async () => {
  const [upload] = discard(1, 300_000) as [Upload]
  await settle()
  expect(upload.readableEnded).toBe(true)
})

test('many bodies are discarded completely, at some 4 MiB per second in total', async () => {
  const uploads = discard(20, mebibyte)
  const intervals = async (count: number): Promise<void> => {
    for (let interval = 0; interval < count; interval++) {
      vi.advanceTimersByTime(100)
      await settle()
    }
  }
  await settle()
  const leftAtFirst = leftOf(uploads)
  // The bytes that an interval allows, plus up to two chunks of each connection.
  expect(20 * mebibyte - leftAtFirst).toBeLessThan(mebibyte + 20 * 2 * pieceBytes)
  await intervals(10)
  const perSecond = leftAtFirst - leftOf(uploads)
  expect(perSecond).toBeGreaterThan(3 * mebibyte)
  // Streams read ahead.
  expect(perSecond).toBeLessThan(8 * mebibyte)
  await intervals(50)
  expect(uploads.filter(({ readableEnded }) => readableEnded)).toHaveLength(20)
  expect(vi.getTimerCount()).toBe(0)
})

test('a connection is closed when too many are waiting', async () => {
  const uploads = discard(1_100, mebibyte)
  await settle()
  const closed = uploads.filter(({ destroyed }) => destroyed)
  expect(closed.length).toBeGreaterThan(50)
  expect(closed.length).toBeLessThanOrEqual(100)
})

test('a client is served again after its body was refused and discarded', async () => {
  vi.useRealTimers()
  const server = new HttpServer(createLog('silent'))
  const port = await server.listen('127.0.0.1', 0)
  server.open({
    pages: {},
    document: () => {},
    api: async (request, response) => {
      const { length } = await readBody(request, 1_000)
      response.end(String(length))
    },
  })
  const post = (body: string): Promise<Response> => fetch(`http://127.0.0.1:${port}/v1/any`, { method: 'POST', body })
  const refused = await post('x'.repeat(2 * mebibyte))
  expect(refused.status).toBe(413)
  await refused.text()
  expect(await (await post('xyz')).text()).toBe('3')
  await server.drain(0)
})
