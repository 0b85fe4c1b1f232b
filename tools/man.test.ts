import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { commands as lines } from '../packages/cli/src/commands/index.ts'
import { commands } from '../packages/server/src/operator/commands.ts'
import { manualPages } from './man.ts'

const hasGroff = spawnSync('groff', ['--version']).status === 0

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Returns the page as a terminal shows it, without spaces. Throws what groff warns of. */
function shown(text: string): string {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-rHY=0', '-P-cbou'], {
    input: text,
    encoding: 'utf8',
  })
  if (stderr !== '') throw new Error(stderr)
  return withoutSpaces(stdout)
}

describe.each([
  ['rollkey.1', lines.filter(({ isHidden }) => isHidden !== true)],
  ['rollkey-server.8', commands],
] as const)('%s', (file, specs) => {
  const text = manualPages().find(({ path }) => path.endsWith(file))?.text ?? ''

  test('has ASCII only, and no line that troff would take for a request by mistake', () => {
    expect(text).toMatch(/^[\n -~]+$/)
    const requests = text.split('\n').filter((line) => /^['.]/.test(line))
    expect(requests.filter((line) => !/^\.(?:\\"|TH|SH|SS|PP|TP|EX|EE)/.test(line))).toEqual([])
  })

  test('has a date, and no paragraph mark after a heading, which mandoc would skip', () => {
    expect(text).toMatch(/^\.TH \S+ \d \d{4}-\d\d-\d\d /m)
    expect(text).not.toMatch(/^\.S[HS] .*\n\.PP/m)
  })

  test.skipIf(!hasGroff)('shows every command with its options and examples, without a warning of groff', () => {
    const all = shown(text)
    for (const { name, summary, options = [], examples } of specs) {
      const said = [name, summary, ...options.flatMap(([flags, about]) => [flags, about]), ...examples.flat()]
      for (const each of said) expect(all).toContain(withoutSpaces(each).replaceAll('`', ''))
    }
  })
})
