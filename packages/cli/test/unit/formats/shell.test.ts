import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { shell } from '../../../src/formats/shell.ts'
import { named, nastier, nasty, nastyNames, randomTexts } from '../../nasty.ts'
import { useFolder } from '../../../../server/testkit/folder.ts'

const folder = useFolder()

/** Returns the environment of a program after sh has read the text. */
function readBySh(script: string, text: string): Record<string, string> {
  const file = path.join(folder, 'variables.sh')
  writeFileSync(file, text)
  const env = { PATH: process.env['PATH'] ?? '' }
  const output = execFileSync('sh', ['-c', `${script}\nexec env -0`, 'sh', file], { env, maxBuffer: 1e8 }).toString()
  const entries = output
    .split('\0')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  const { PATH: _, PWD: __, OLDPWD: ___, '': ____, ...rest } = Object.fromEntries(entries) as Record<string, string>
  return rest
}

describe('the shell format', () => {
  test.each(['. "$1"', 'eval "$(cat "$1")"'])('returns every value in sh by %s', (script) => {
    const variables = { ...nasty, ...nastier }
    expect(readBySh(script, shell(variables))).toEqual(variables)
  })

  test('returns random values in sh', () => {
    const variables = named(randomTexts(2, 5_000))
    expect(readBySh('. "$1"', shell(variables))).toEqual(variables)
  })

  test('refuses NUL', () => {
    expect(() => shell({ A: '\0' })).toThrow('An environment variable cannot contain the character NUL: A')
  })

  test.each(nastyNames.filter((name) => !/^[a-z_]+$/.test(name)))(
    'refuses the name %j, which would be code',
    (name) => {
      expect(() => shell({ [name]: 'x' })).toThrow(`These names are not valid for environment variables: ${name}`)
    },
  )

  // Tried with bash 5.2: export NAME='x y', and then its value there and in the environment of a command.
  test.each(['_', 'BASHOPTS', 'DIRSTACK', 'EUID', 'FUNCNAME', 'GROUPS', 'HISTCMD', 'LINENO', 'PPID', 'RANDOM', 'UID'])(
    'refuses the name %s, to which bash assigns nothing',
    (name) => {
      const sentence = `Bash sets these names itself, whatever is assigned to them: ${name}`
      expect(() => shell({ A: '1', [name]: '1' })).toThrow(sentence)
    },
  )
})
