import { describe, expect, it } from 'vitest'
import { connecting, snippetsOf } from './snippets.ts'

const readmes = import.meta.glob<string>(['../../../../../README.md', '../../../../sdk/README.md'], {
  eager: true,
  query: '?raw',
  import: 'default',
})
const source = { publicUrl: 'https://keys.example.com', orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }

describe('snippets', () => {
  it('read a variable of the stage, with its type and without a token', () => {
    const { CLI, SDK, curl } = snippetsOf({ name: 'PORT', kind: 'secret', declaredType: 'int64' }, source)
    expect(CLI).toContain(
      'rollkey get PORT \\\n  --url https://keys.example.com \\\n  --org acme --project shop \\\n  --stage prod',
    )
    expect(SDK).toContain("const value = await rollkey.get('PORT') // bigint")
    expect(SDK).toContain("project: 'shop',\n  stage: 'prod',")
    expect(curl).toContain('$ROLLKEY_TOKEN')
    expect(curl).toContain('"stageSlug":"prod","name":"PORT"')
  })

  it('roll with a seed', () => {
    const { CLI, SDK, curl } = snippetsOf({ name: 'FLOW', kind: 'ab_roll' }, source)
    expect(CLI).toMatch(/--seed user-1$/)
    expect(SDK).toContain("rollkey.get('FLOW', { seed: user.id })")
    expect(curl).toContain('"name":"FLOW","seed":"user-1"}')
  })

  it.each([
    [{ seed: 'ada' }, '--seed ada', '{ seed: user.id }', '"seed":"ada"}'],
    [{ key: 'new shop' }, "--key 'new shop'", "{ seed: user.id, key: 'new shop' }", '"name":"FLOW","key":"new shop"}'],
    [
      { seed: 'ada', key: 'b', context: { plan: 'pro' } },
      `--seed ada --key b --context '{"plan":"pro"}'`,
      `{ seed: user.id, key: 'b', context: {"plan":"pro"} }`,
      '"seed":"ada","key":"b","context":{"plan":"pro"}}',
    ],
  ])('roll as asked for %j', (asked, flags, options, body) => {
    const { CLI, SDK, curl } = snippetsOf({ name: 'FLOW', kind: 'ab_roll' }, source, asked)
    expect(CLI.endsWith(`\\\n  ${flags}`)).toBe(true)
    expect(SDK).toContain(options)
    expect(curl).toContain(body)
    expect(snippetsOf({ name: 'PORT', kind: 'secret' }, source, asked)).toEqual(
      snippetsOf({ name: 'PORT', kind: 'secret' }, source),
    )
  })

  it.each(Object.entries(readmes))('begin as %s shows it', (_, text) => {
    expect(snippetsOf({ name: 'PORT', kind: 'secret' }, source).SDK.startsWith(connecting)).toBe(true)
    expect(text).toContain(connecting)
  })

  it('quote names for their languages', () => {
    const { CLI, SDK, curl } = snippetsOf({ name: "it's $HOME", kind: 'secret' }, source)
    expect(CLI).toContain(String.raw`get 'it'\''s $HOME'`)
    expect(SDK).toContain(`rollkey.get("it's $HOME")`)
    expect(curl).toContain(String.raw`"name":"it'\''s $HOME"`)
  })
})
