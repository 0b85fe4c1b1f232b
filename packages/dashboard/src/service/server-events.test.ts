import { describe, expect, it } from 'vitest'
import { readEvents } from './server-events.ts'

/** What a body of these chunks tells; texts are sent as UTF-8. */
async function eventsOf(...chunks: readonly (string | Uint8Array<ArrayBuffer>)[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
      controller.close()
    },
  })
  const texts: string[] = []
  for await (const events of readEvents(body)) {
    for (const { type, data, id } of events) texts.push(`${type}|${data}|${id}`)
  }
  return texts
}

const text = 'event: revision\nid: dev:1\ndata: {"names":["Ä🚀"]}\n\nevent: end\ndata: x\n\n'
const told = ['revision|{"names":["Ä🚀"]}|dev:1', 'end|x|dev:1']

describe('server-sent events', () => {
  it('are read wherever the chunks part, also within a character or a CRLF', async () => {
    for (const whole of [text, text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r')]) {
      const bytes = new TextEncoder().encode(whole)
      for (let at = 0; at <= bytes.length; at++) {
        expect(await eventsOf(bytes.slice(0, at), bytes.slice(at)), `at ${at}`).toEqual(told)
      }
      expect(await eventsOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(told)
    }
  })

  it('may have data of several lines, of none, or without a space', async () => {
    expect(await eventsOf('data: a\ndata:  b\ndata:c\ndata\n\n')).toEqual(['message|a\n b\nc\n|'])
    expect(await eventsOf('data: a:b: c\n\n')).toEqual(['message|a:b: c|'])
    expect(await eventsOf('data\n\n')).toEqual(['message||'])
  })

  it('are not comments, unknown fields, ids alone, or what the end cuts off', async () => {
    expect(await eventsOf(':\n\n', ': data: x\n\n', 'retry: 5\nsome: thing\n\n', 'event: lonely\n\n')).toEqual([])
    expect(await eventsOf('id: dev:1\n\n', 'data: a\n\n', 'id: dev:2\nid: a\0b\ndata: b\n\n', 'data: cut')).toEqual([
      'message|a|dev:1',
      'message|b|dev:2',
    ])
  })

  it('begin behind a byte order mark', async () => {
    expect(await eventsOf('\uFEFFdata: a\n\n')).toEqual(['message|a|'])
  })
})
