import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi, type Mock } from 'vitest'
import { JsonText, send } from '../../src/http/reply.ts'

const requestId = 'req_1'
const pieceBytes = 10_000_000

describe('an answer in pieces', () => {
  /** Answers a request with two pieces that are erased and freed when they are sent. Returns its connection, which is not read yet. */
  async function requested(): Promise<{ socket: Socket; onSent: Mock<() => void> }> {
    const pieces = ['a', 'b'].map((byte) => Buffer.from(byte.repeat(pieceBytes)))
    const onSent = vi.fn<() => void>(() => pieces.forEach((piece) => piece.fill(0).buffer.transfer(0)))
    const server = createServer((_, response) => {
      void send({ response, requestId, common: [] }, new JsonText('{"text":"', pieces, '"', [], onSent))
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    // A second is more than enough to write what the kernel takes.
    await sleep(1_000)
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
    await vi.waitFor(() => expect(onSent).toHaveBeenCalledOnce())
  })

  test('frees them when a client closes its connection', async () => {
    const { socket, onSent } = await requested()
    socket.destroy()
    await vi.waitFor(() => expect(onSent).toHaveBeenCalledOnce())
  })
})
