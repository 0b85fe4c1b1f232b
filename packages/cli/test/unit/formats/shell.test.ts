import { execFileSync, spawnSync } from 'node:child_process'
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

  const hasBash = spawnSync('bash', ['--version']).status === 0

  test.skipIf(!hasBash)('refuses each name to which bash assigns nothing', () => {
    const script = 'for name in $(compgen -v) UID GROUPS FUNCNAME DIRSTACK; do printf "%s\\n" "$name"; done'
    const names = execFileSync('bash', ['-c', script]).toString().trim().split('\n')
    const isChanged = (name: string): boolean => {
      const seen = spawnSync('bash', ['-c', `export ${name}='x y'; printf %s "$${name}"; /usr/bin/env -0`]).stdout
      const [own = '', ...passed] = `${seen.toString()}\0`.split(new RegExp(`(?=${name}=)`))
      return !(own.startsWith('x y') && passed.some((each) => each.startsWith(`${name}=x y\0`)))
    }
    const changed = names.filter((name) => isChanged(name))
    expect(changed).toContain('UID')
    for (const name of changed)
      expect(() => shell({ [name]: 'x y' }), name).toThrow(
        `Bash sets these names itself, whatever is assigned to them: ${name}`,
      )
    expect(() => shell({ A: 'x y', HOSTNAME: 'x y' })).not.toThrow()
  })
})
