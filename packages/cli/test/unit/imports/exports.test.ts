import { describe, expect, test } from 'vitest'
import { detect, readImport, type Format } from '../../../src/imports/index.ts'

/** As `infisical export --format=json` prints them. */
const ofInfisical = [
  { key: 'API_KEY', workspace: 'w', value: 'a\nb', type: 'shared', _id: '1', secretPath: '/', tags: [], comment: 'c' },
  { key: 'EMPTY', workspace: 'w', value: '', type: 'personal', _id: '2', secretPath: '/', tags: null, comment: '' },
]

/** As `doppler secrets download --no-file --format json` prints them. */
const ofDopplerDownload = {
  API_KEY: 'a\nb',
  DOPPLER_CONFIG: 'dev',
  DOPPLER_ENVIRONMENT: 'dev',
  DOPPLER_PROJECT: 'shop',
  EMPTY: '',
}

function described(computed: string | null): object {
  return { computed, computedValueType: { type: 'string' }, computedVisibility: 'masked', note: '' }
}

/** As `doppler secrets --json` prints them. */
const ofDoppler = {
  API_KEY: { ...described('a\nb'), raw: 'a\n${B}', note: 'of a person' },
  DOPPLER_CONFIG: described('dev'),
  DOPPLER_ENVIRONMENT: described('dev'),
  DOPPLER_PROJECT: described('shop'),
  EMPTY: described(''),
}

/** As `vault kv get -format=json` prints what is around a secret. */
function ofVault(data: unknown): object {
  return { request_id: 'r', lease_id: '', lease_duration: 0, renewable: false, data, warnings: null, mount_type: 'kv' }
}

const metadata = {
  created_time: '2026-01-01T00:00:00Z',
  custom_metadata: null,
  deletion_time: '',
  destroyed: false,
  version: 3,
}
const secret = { API_KEY: 'a\nb', EMPTY: '' }

const comments = '-: The comments of these are left out: API_KEY.'
const ownNames =
  '-: These names, which Doppler adds to every config, are left out: DOPPLER_CONFIG, DOPPLER_ENVIRONMENT, DOPPLER_PROJECT.'
const ownNotes = '-: The notes of these are left out: API_KEY.'

const samples: { name: string; value: unknown; from: Format; notes?: string[] }[] = [
  { name: 'Infisical', value: ofInfisical, from: 'infisical', notes: [comments] },
  { name: "Doppler's download", value: ofDopplerDownload, from: 'doppler', notes: [ownNames] },
  { name: "Doppler's list", value: ofDoppler, from: 'doppler', notes: [ownNames, ownNotes] },
  { name: 'version 1 of Vault', value: ofVault(secret), from: 'vault' },
  { name: 'version 2 of Vault', value: ofVault({ data: secret, metadata }), from: 'vault' },
  { name: 'names and values', value: secret, from: 'json' },
]

describe('exports of other tools', () => {
  test.each(samples)('are detected and read, and what is left out is said: $name', ({ value, from, notes = [] }) => {
    for (const space of [0, 2]) {
      const text = JSON.stringify(value, null, space)
      expect(detect(text, '-')).toBe(from)
      expect(readImport(text, '-', from)).toEqual({
        entries: [
          { name: 'API_KEY', value: 'a\nb' },
          { name: 'EMPTY', value: '' },
        ],
        notes,
      })
    }
  })

  test('of Vault may contain more than strings, and names that Vault uses too', () => {
    const { entries } = readImport(
      '{"request_id":"r","data":{"data":"d","metadata":"m","port":5432,"tags":["a", 1.0]}}',
      'v',
      'vault',
    )
    expect(entries.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'data=d',
      'metadata=m',
      'port=5432',
      'tags=["a",1.0]',
    ])
  })

  test.each([
    [
      'infisical',
      [{ key: 'A', value: 'secret' }, { key: 'B' }],
      'f, element 2: Expected a key and a value, both strings',
    ],
    ['infisical', { A: 'secret' }, 'f: Expected an Infisical export: a list of keys and values'],
    [
      'doppler',
      { A: described('secret'), B: described(null) },
      'f, key B: The export does not contain its value, which Doppler shows to few users. Export it as a user who can see it',
    ],
    ['vault', { data: 'secret' }, 'f: Expected an answer of Vault with an object "data"'],
    ['vault', ofVault({ data: null, metadata }), 'f: This version of the secret is deleted in Vault'],
    ['vault', ofVault({ A: null }), 'f, key A: null is not a value; use a string, or remove the key'],
  ] as const)('of %s that lack something are refused: %j', (from, value, message) => {
    expect(() => readImport(JSON.stringify(value), 'f', from)).toThrow(expect.objectContaining({ message }))
  })

  test('are refused for what the service refuses, before anything is written', () => {
    const limit = 'x'.repeat(65_536)
    expect(readImport(JSON.stringify({ ['n'.repeat(256)]: limit }), 'f', 'json').entries).toHaveLength(1)
    expect(() => readImport(JSON.stringify({ A: 'x', B: `${limit}x`, C: `用${limit.slice(2)}` }), 'f', 'json')).toThrow(
      'f: A value may have at most 65536 bytes, but these are larger: B, C',
    )
    for (const name of ['', 'a\u001bb', 'n'.repeat(257)]) {
      expect(() => readImport(JSON.stringify({ [name]: 'x' }), 'f', 'json')).toThrow(
        `f, key ${JSON.stringify(name)}: A name must have 1 to 256 characters and no control characters`,
      )
    }
  })

  test('are distinguished from other files', () => {
    expect(detect('A=1', '.env')).toBe('dotenv')
    expect(detect('', '-')).toBe('dotenv')
    expect(detect('A={"a":1}', '-')).toBe('dotenv')
    expect(detect('{ broken', '.env')).toBe('json')
    expect(detect('', 'secrets.JSON')).toBe('json')
    // Of no known mark, so names and values.
    expect(detect('{"data":{"data":{},"metadata":{}}}', '-')).toBe('json')
    expect(detect('{"DOPPLER_PROJECT":"x"}', '-')).toBe('json')
    expect(detect('{}', '-')).toBe('json')
    expect(detect('["a"]', '-')).toBe('json')
    expect(() => detect('A: 1', 'secrets.yml')).toThrow('secrets.yml: YAML is not supported; convert it to JSON')
  })
})
