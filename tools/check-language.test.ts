import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { useFolder } from '../packages/server/testkit/folder.ts'

const folder = useFolder()

interface Verdict {
  readonly status: number
  readonly output: string
}

async function run(args: readonly string[]): Promise<Verdict> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
    return { status: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, output: stdout + stderr }
  }
}

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

test.each([
  ['page.md', 'Whoever comes first is told.\n', ['1: Whoever', '1: is told']],
  ['code.ts', 'const a = 1\n// This is no place of its own.\n', ['2: is no', '2: of its own']],
  ['merged.md', 'one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> a1b2c3d\n', ['2: <<<<<<< HEAD', '6: >>>>>>> a1b2c3d']],
  [
    'long.md',
    `short\n${'x'.repeat(141)}\n| ${'x'.repeat(150)} |\n[a](https://${'x'.repeat(150)})\n`,
    ['2: 141 characters (at most 140)'],
  ],
  [
    'docs/install.md',
    `\`\`\`sh\nnpm install ${'x'.repeat(72)}\nnpm install ${'x'.repeat(73)}\n\`\`\`\n`,
    ['3: 85 characters of code (at most 84)'],
  ],
  ['text.ts', "throw new Error('nobody may do this')\n", ['1: nobody']],
])('the language check finds banned words: %s', async (name, text, found) => {
  const file = write(name, text)
  const { status, output } = await run(['tools/check-language.mjs', file])
  expect(status).toBe(1)
  expect(output.split('\n').slice(0, found.length)).toEqual(found.map((each) => `${file}:${each}`))
})

const part = 'packages/dashboard/src/features/rolls/part.tsx'

test.each([
  ['const part = <b>Stop it</b>', '1: Stop it'],
  ['const part = <input aria-label="Name" />', '1: "Name"'],
  ["const part = <b>{isOpen ? 'Open' : labels.closed}</b>", "1: 'Open'"],
  ['toast.success(`Saved ${name}`)', '1: `Saved ${name}`'],
  ["const columns = [{ label: 'Chance' }]", "1: 'Chance'"],
  ["throw new PageError('INVALID', 'Choose a stage.')", "1: 'Choose a stage.'"],
])('the language check finds a text outside the catalogs: %s', async (code, found) => {
  const file = write(part, `${code}\n`)
  const { status, output } = await run(['tools/check-language.mjs', file])
  expect(status).toBe(1)
  expect(output.split('\n')[0]).toBe(`${file}:${found} (belongs in a labels.ts)`)
})

test('the language check accepts catalogs, code and what people do not read', async () => {
  const code = [
    'const part = <b className="plain-list wrapping" id={`row ${id}`}>{labels.title}</b>',
    "if (key === 'Escape') throw new Error('The part has no stage.')",
    "const border = '1px solid var(--border)'",
  ]
  const files = [
    write(part, code.join('\n')),
    write(part.replace('part.tsx', 'labels.ts'), "const a = 'Stop roll now'\n"),
  ]
  expect(await run(['tools/check-language.mjs', ...files])).toEqual({ status: 0, output: '' })
})

test('the language check accepts long lines of code that cannot be broken, and those of generated pages', async () => {
  const long = 'x '.repeat(60)
  const files = [
    write('docs/audit.md', `\`\`\`json\n${long}\n\`\`\`\n\`\`\`\n${long}\n\`\`\`\n`),
    write('docs/settings.md', `\`\`\`sh\nADDRESS=${'x'.repeat(90)}\n\`\`\`\n`),
    write('docs/cli-commands.md', `\`\`\`sh\n${long}\n\`\`\`\n`),
    write('docs/decisions/0001-first.md', `\`\`\`sh\n${long}\n\`\`\`\n`),
  ]
  expect(await run(['tools/check-language.mjs', ...files])).toEqual({ status: 0, output: '' })
})

test('the language check accepts quotations and ordinary words', async () => {
  const file = write('good.md', 'The word `whoever` is banned. There is no exception, and no one is asked.\n')
  expect(await run(['tools/check-language.mjs', file])).toEqual({ status: 0, output: '' })
})

test('the spelling check finds a misspelled word', async () => {
  const cspell = ['node_modules/cspell/bin.mjs', 'lint', '--no-progress', '--no-gitignore', '--config', 'cspell.json']
  // In two parts, or this file would be misspelled itself.
  const misspelled = ['ser', 'vr'].join('')
  const wrong = await run([...cspell, '--root', folder, write('wrong.md', `The ${misspelled} answers.\n`)])
  expect(wrong.status).not.toBe(0)
  expect(wrong.output).toContain(misspelled)
  expect((await run([...cspell, '--root', folder, write('right.md', 'The server answers.\n')])).status).toBe(0)
})
