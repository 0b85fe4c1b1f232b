import { describe, expect, test } from 'vitest'
import { claimsProblem, fillPreset, trustPresets, wellKnownIssuer, type TrustPreset } from '@rollkey/contract'

function examplesOf({ fields }: TrustPreset, isRequired?: true): Record<string, string> {
  const chosen = fields.filter((field) => isRequired === undefined || field.isRequired)
  return Object.fromEntries(chosen.map(({ name, example, standard }) => [name, standard ?? example]))
}

function presetOf(id: string): TrustPreset {
  const preset = trustPresets.find((each) => each.id === id)
  if (!preset) throw new Error(`there is no preset ${id}`)
  return preset
}

describe.each(trustPresets.map((preset) => [preset.id, preset] as const))('the preset %s', (_, preset) => {
  test.each([['all', undefined] as const, ['the required', true] as const])('is a trust with %s fields', (__, only) => {
    const filled = fillPreset(preset, examplesOf(preset, only))
    if ('missing' in filled) throw new Error(`missing: ${filled.missing.join()}`)
    expect(claimsProblem(filled.issuer, filled.claims)).toBeUndefined()
    expect(filled.claims.length).toBeGreaterThan(0)
    expect(JSON.stringify(filled)).not.toContain('undefined')
    expect(wellKnownIssuer(filled.issuer) !== undefined).toBe(!preset.isSelfHosted)
  })

  test('names what is missing', () => {
    const required = preset.fields.filter(({ isRequired, standard }) => isRequired && standard === undefined)
    expect(fillPreset(preset, { [required[0]?.name ?? '']: '  ' })).toEqual({
      missing: required.map(({ name }) => name),
    })
  })

  test('uses each field, and only fields', () => {
    const texts = [preset.issuer, ...preset.claims.map(({ value }) => value)].join(' ')
    const used = new Set([...texts.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(used).toEqual(new Set(preset.fields.map(({ name }) => name)))
    expect(URL.canParse(preset.source)).toBe(true)
  })
})

describe('the presets', () => {
  test('require of GitHub ids and what a person adds, never sub', () => {
    expect(fillPreset(presetOf('github'), { repositoryId: ' 424242 ', environment: 'prod' })).toEqual({
      issuer: 'https://token.actions.githubusercontent.com',
      claims: [
        { name: 'repository_id', value: '424242' },
        { name: 'environment', value: 'prod' },
      ],
    })
    expect(presetOf('github').claims.map(({ name }) => name)).not.toContain('sub')
  })

  test('take the address of a GitLab, with or without a slash at its end', () => {
    expect(fillPreset(presetOf('gitlab'), { projectId: '1' })).toMatchObject({ issuer: 'https://gitlab.com' })
    const own = fillPreset(presetOf('gitlab'), { projectId: '1', url: 'https://git.example/', refProtected: 'true' })
    expect(own).toEqual({
      issuer: 'https://git.example',
      claims: [
        { name: 'project_id', value: '1' },
        { name: 'ref_protected', value: 'true' },
      ],
    })
  })

  test('name a service account of Kubernetes by its subject', () => {
    const values = { issuer: 'https://kubernetes.default.svc', namespace: 'shop', serviceAccount: 'web' }
    expect(fillPreset(presetOf('kubernetes'), values)).toMatchObject({
      claims: [{ name: 'sub', value: 'system:serviceaccount:shop:web' }],
    })
  })

  test('read own properties only', () => {
    expect(fillPreset(presetOf('github'), Object.create({ repositoryId: '1' }) as Record<string, string>)).toEqual({
      missing: ['repositoryId'],
    })
  })
})
