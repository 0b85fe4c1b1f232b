import { decodeFile } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'

function bytes(...parts: (string | number[])[]): Uint8Array {
  return new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)),
  )
}

test.each([
  [bytes('A=ä\r\nB=🚀'), { text: 'A=ä\r\nB=🚀' }],
  [bytes('\ufeffA=1\n\ufeffB=2'), { text: 'A=1\n\ufeffB=2' }],
  [bytes(''), { text: '' }],
  [bytes('A=1\nB=', [0xe4], '\nC=3'), { invalidLine: 2 }],
  [bytes([0xff, 0xfe], 'A'), { invalidLine: 1 }],
  [bytes('A=1\n\n\nB=', [0xf0, 0x9f]), { invalidLine: 4 }],
  [bytes('A=', [0xf0, 0x9f], '\n', [0x9a, 0x80]), { invalidLine: 1 }],
  // A surrogate, and an overlong form.
  [bytes('\n', [0xed, 0xa0, 0x80]), { invalidLine: 2 }],
  [bytes('\n\n', [0xc0, 0x80]), { invalidLine: 3 }],
])('a file is decoded as it is, or the line is named that is not UTF-8: %#', (file, decoded) => {
  expect(decodeFile(file)).toEqual(decoded)
})
