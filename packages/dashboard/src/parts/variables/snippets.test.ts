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
    expect(CLI).toContain('--seed user-1 --key FLOW')
    expect(SDK).toContain("rollkey.get('FLOW', { seed: user.id, key: 'FLOW' })")
    expect(curl).toContain('"seed":"user-1","key":"FLOW"')
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
