import { describe, expect, it } from 'vitest'
import { EventParser } from '../../src/live/server-events.ts'

/** Returns the events of these pieces, each with the id to resume from. Texts are encoded as UTF-8. */
function eventsOf(...pieces: readonly (string | Uint8Array)[]): string[] {
  const parser = new EventParser()
  return pieces.flatMap((piece) =>
    parser
      .push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
      .map(({ type, data }) => `${type}|${data}|${parser.lastId ?? ''}`),
  )
}

const text = 'event: revision\nid: dev:1\ndata: {"names":["Ä🚀"]}\n\nevent: end\ndata: x\n\n'
const expected = ['revision|{"names":["Ä🚀"]}|dev:1', 'end|x|dev:1']

describe('server-sent events', () => {
  it('are read in pieces of any size, even within a character or a CRLF', () => {
    for (const whole of [text, text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\r')]) {
      const bytes = new TextEncoder().encode(whole)
      for (let at = 0; at <= bytes.length; at++) {
        expect(eventsOf(bytes.slice(0, at), bytes.slice(at)), `at ${at}`).toEqual(expected)
      }
      expect(eventsOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
    }
  })

  it('may have data of several lines, of none, or without a space', () => {
    expect(eventsOf('data: a\ndata:  b\ndata:c\ndata\n\n')).toEqual(['message|a\n b\nc\n|'])
    expect(eventsOf('data: a:b: c\n\n')).toEqual(['message|a:b: c|'])
    expect(eventsOf('data\n\n')).toEqual(['message||'])
  })

  it('are not comments, unknown fields, ids alone, or what the end cuts off', () => {
    expect(eventsOf(':\n\n', ': data: x\n\n', 'retry: 5\nsome: thing\n\n', 'event: lonely\n\n')).toEqual([])
    expect(eventsOf('id: dev:1\n\n', 'data: a\n\n', 'id: dev:2\nid: a\0b\ndata: b\n\n', 'data: cut')).toEqual([
      'message|a|dev:1',
      'message|b|dev:2',
    ])
  })

  it('have an id to resume from only when they are complete', () => {
    const parser = new EventParser()
    const idAfter = (piece: string): string | undefined => {
      parser.push(new TextEncoder().encode(piece))
      return parser.lastId
    }
    expect(idAfter(':\n\n')).toBeUndefined()
    expect(idAfter('id: dev:1\n\n')).toBe('dev:1')
    expect(idAfter('id: dev:2\ndata: lost')).toBe('dev:1')
    expect(idAfter('\n\n')).toBe('dev:2')
  })

  it('contain replacement characters in place of malformed UTF-8', () => {
    const malformed = Uint8Array.of(0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xc3, 0x0a, 0x0a)
    expect(eventsOf(malformed, 'data: next\n\n')).toEqual(['message|\uFFFD\uFFFD|', 'message|next|'])
  })

  it('begin behind a byte order mark', () => {
    expect(eventsOf('\uFEFFdata: a\n\n')).toEqual(['message|a|'])
  })
})
