import { describe, expect, test } from 'vitest'
import { fillTemplate } from '../../../src/render/template.ts'
import { named, nastier, nasty, nastyNames, randomTexts } from '../../nasty.ts'

const origin = { file: 'app.tmpl', where: 'shop/dev' }
const fill = (text: string, variables: Readonly<Record<string, string>> = { A: 'a', B: 'b' }): string =>
  fillTemplate(text, variables, origin)

describe('a template', () => {
  test.each([
    ['nothing here', 'nothing here'],
    ['{{ A }}{{B}}{{\tA }}', 'aba'],
    ['{"a": {{ A }}}', '{"a": a}'],
    ['{{{ A }}}', '{a}'],
    ['{{{{ A }}', '{{ A }}'],
    ['{{{{{{ A }}}}', '{{a}}'],
    ['{ {A} } }}', '{ {A} } }}'],
    ['\\{{ A }}', '\\a'],
    ['{{ A }}\r\n', 'a\r\n'],
  ])('%j becomes %j', (text, filled) => {
    expect(fill(text)).toBe(filled)
  })

  test('has every value as it is, and reads none again', () => {
    const all = { ...nasty, ...nastier, NUL: 'a\0', SELF: '{{ SELF }} {{{{ $& $1', ...named(randomTexts(8, 500)) }
    for (const [name, value] of Object.entries(all)) expect(fill(`<{{ ${name} }}>`, all)).toBe(`<${value}>`)
  })

  test('takes every name without braces', () => {
    for (const name of nastyNames) expect(fill(`{{ ${name} }}`, Object.fromEntries([[name, 'x']]))).toBe('x')
  })

  test('with a name that the stage does not have is an error with all of them, their lines and what may be meant', () => {
    expect(() => fill('{{ API_KYE }}\n{{ A }}\n{{ constructor }} {{ API_KYE }}', { A: 'a', API_KEY: 'x' })).toThrow(
      expect.objectContaining({
        line: 'VARIABLE_NOT_FOUND: app.tmpl names variables that shop/dev does not have: API_KYE (line 1), constructor (line 3); did you mean API_KEY? Try: rollkey list',
      }),
    )
  })

  test.each(['{{ A', '{{ A\n}}', '{{}}', '{{ }}', '{{ A } }}', 'x {{', '{{ {A} }}'])(
    '%j is an error with its line',
    (text) => {
      expect(() => fill(`\n${text}`)).toThrow(
        'app.tmpl, line 2: Expected {{ NAME }} on one line; write {{{{ where {{ is meant',
      )
    },
  )
})
