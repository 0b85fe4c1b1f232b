import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Output, type TableForm } from '../../../src/frame/output.ts'

/** Returns what a table prints on a terminal of some columns, or in a pipe for undefined. */
function printed(
  columns: number | undefined,
  form?: TableForm,
  env: Record<string, string> = { NO_COLOR: '1' },
): string {
  let text = ''
  const sink = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString()
      done()
    },
  })
  const stdout = Object.assign(
    sink,
    columns === undefined ? {} : { isTTY: true, columns },
  ) as unknown as NodeJS.WriteStream
  const rows = [
    ['KEY', '-', 'Keeps the payment open'],
    ['OTHER', '-', 'x'],
  ]
  new Output({ stdout, stderr: stdout, env }, false).table(['name', 'type', 'about'], rows, form)
  return text
}

const form = { shortened: 'about' }

test('a list leaves out empty columns and fits on a line of the terminal', () => {
  expect(printed(80, form)).toBe('NAME   ABOUT\nKEY    Keeps the payment open\nOTHER  x\n')
  expect(printed(21, form)).toBe('NAME   ABOUT\nKEY    Keeps the pay…\nOTHER  x\n')
  // What would be shorter than twelve characters says nothing.
  expect(printed(5, form)).toBe('NAME   ABOUT\nKEY    Keeps the p…\nOTHER  x\n')
})

test('other tables and pipes keep everything', () => {
  const whole = 'NAME   TYPE  ABOUT\nKEY    -     Keeps the payment open\nOTHER  -     x\n'
  expect(printed(5)).toBe(whole)
  expect(printed(undefined, form)).toBe('KEY\t-\tKeeps the payment open\nOTHER\t-\tx\n')
})

test('the head of a table in a pipe is shown on stderr if that is a terminal, and never in the data', () => {
  const outputs = (isTTY: boolean, rows: readonly string[][] = [['KEY', '-']]): string[] => {
    const texts = ['', '']
    const [stdout, stderr] = [0, 1].map((at) => ({
      isTTY: at === 1 && isTTY,
      write: (text: string) => (texts[at] += text),
    })) as unknown as [NodeJS.WriteStream, NodeJS.WriteStream]
    new Output({ stdout, stderr, env: {} }, false).table(['name', 'type'], rows)
    return texts
  }
  expect(outputs(true)).toEqual(['KEY\t-\n', 'name\ttype\n'])
  expect(outputs(false)).toEqual(['KEY\t-\n', ''])
  expect(outputs(true, [])).toEqual(['', ''])
})

test.each([
  [{ TERM: 'xterm-256color' }, 80, true],
  [{ TERM: 'xterm-256color', NO_COLOR: '1' }, 80, false],
  [{ TERM: 'dumb' }, 80, false],
])('colors with %j at %d columns: %s', (env, columns, hasColors) => {
  expect(printed(columns, form, env).includes('\u001b')).toBe(hasColors)
})
