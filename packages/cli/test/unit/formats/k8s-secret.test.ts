import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isSecretKey, k8sSecret, secretNameOf } from '../../../src/formats/k8s-secret.ts'
import { named, nastier, nasty, randomTexts } from '../../nasty.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly type: string
  readonly data?: Readonly<Record<string, string>>
}

/** Reads like the API server: values are Base64 of bytes. */
function read(text: string): Record<string, string> {
  const { data = {}, ...rest } = parse(text, { version: '1.1' }) as Manifest
  expect(rest).toEqual({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop-dev' }, type: 'Opaque' })
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
  )
}

describe('the k8s-secret format', () => {
  test('returns every value', () => {
    const all = {
      ...nasty,
      ...nastier,
      NUL: 'a\0b',
      no: 'x',
      '1e5': 'x',
      'a.b-c_d': 'x',
      ...named(randomTexts(7, 2_000)),
    }
    expect(read(k8sSecret(all, 'shop-dev'))).toEqual(all)
    expect(read(k8sSecret({}, 'shop-dev'))).toEqual({})
  })

  test('refuses names that are not keys of a Secret', () => {
    const names = ['A', 'a.b', '.a', '.', '..', '..a', 'a b', 'a/b', 'é', '', 'x'.repeat(254)]
    expect(names.filter(isSecretKey)).toEqual(['A', 'a.b', '.a'])
    expect(() => k8sSecret({ 'a b': 'x' }, 'x')).toThrow('not valid for keys of a Kubernetes Secret: a b')
  })

  test('refuses more than a Secret holds', () => {
    const half = 'x'.repeat(524_288)
    expect(() => k8sSecret({ A: half, B: half }, 'x')).not.toThrow()
    expect(() => k8sSecret({ A: half, B: `${half}x` }, 'x')).toThrow('The values have 1048577 bytes')
  })

  test('is named by the slugs of the stage, or as asked', () => {
    expect(secretNameOf(undefined, ['Web_Shop', 'dev'])).toBe('web-shop-dev')
    expect(secretNameOf('app.secrets', ['shop', 'dev'])).toBe('app.secrets')
    expect(() => secretNameOf('App', ['shop', 'dev'])).toThrow('"App" is not a name of a Kubernetes object')
    expect(() => secretNameOf(undefined, ['shop', 'dev-'])).toThrow('--k8s-name')
  })
})
