import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi, type Mock } from 'vitest'
import { JsonText, send } from '../../src/http/reply.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

const requestId = 'req_1'
const pieceBytes = 10_000_000

describe('an answer in pieces', () => {
  /** Answers a request with two pieces that are erased and freed when they are sent. Returns its connection, which is not read yet. */
  async function requested(): Promise<{ socket: Socket; onSent: Mock<() => void> }> {
    const pieces = ['a', 'b'].map((byte) => Buffer.from(byte.repeat(pieceBytes)))
    const onSent = vi.fn<() => void>(() => pieces.forEach((piece) => piece.fill(0).buffer.transfer(0)))
    const ended = Promise.withResolvers<void>()
    const server = createServer((_, response) => {
      const text = new JsonText('{"text":"', pieces, '"', [], onSent)
      ended.resolve(send({ response, requestId, common: [] }, text))
    })
    onTestFinished(() => void server.close())
    // The kernel takes much less for a local socket than for a connection.
    const address = path.join(temporaryFolder(), 'socket')
    await once(server.listen(address), 'listening')
    const socket = connect(address).pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await ended.promise
    expect(onSent).not.toHaveBeenCalled()
    return { socket, onSent }
  }

  test('keeps them until a slow client has them', async () => {
    const { socket, onSent } = await requested()
    const received: Buffer[] = []
    for await (const chunk of socket) received.push(chunk as Buffer)
    const [, body = ''] = Buffer.concat(received).toString().split('\r\n\r\n')
    const text = 'a'.repeat(pieceBytes) + 'b'.repeat(pieceBytes)
    expect(body === JSON.stringify({ text, requestId })).toBe(true)
    await expect.poll(() => onSent).toHaveBeenCalledOnce()
  })

  test('frees them when a client closes its connection', async () => {
    const { socket, onSent } = await requested()
    socket.destroy()
    await expect.poll(() => onSent).toHaveBeenCalledOnce()
  })
})
