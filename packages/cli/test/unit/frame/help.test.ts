/** Tests the help that people read, which fits into a terminal of 80 columns. */
import { expect, test } from 'vitest'
import { commands, groups } from '../../../src/commands/index.ts'
import { runProgram } from '../../../src/program.ts'

async function helpOf(name: string): Promise<string> {
  let text = ''
  const stream = { isTTY: false, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream
  const around = { stdin: process.stdin, stdout: stream, stderr: stream, env: {}, cwd: '/' }
  expect(await runProgram([...name.split(' ').filter(Boolean), '--help'], '0.1.0', around)).toBe(0)
  return text
}

const shown = commands.filter(({ isHidden }) => !isHidden).map(({ name }) => name)

test.each(['', ...Object.keys(groups), ...shown])('the help of `%s` fits into 80 columns', async (name) => {
  const lines = (await helpOf(name)).split('\n')
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('descriptions of examples stand beside them, or above them where they would not fit', async () => {
  expect(await helpOf('whoami')).toContain('  $ rollkey whoami         # uses ROLLKEY_TOKEN')
  expect(await helpOf('set')).toContain('  # asks for the value without echo\n  $ rollkey set API_KEY\n')
})
