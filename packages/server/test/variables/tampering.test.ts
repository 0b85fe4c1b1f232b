/** Stored data that was changed, cut or moved either opens to what was written or does not open. */
import { createSecretKey, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { kinds, type Kind } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { Keyring } from '../../src/crypto/keyring.ts'
import { localKmsOfSetting } from '../../src/crypto/kms/local.ts'
import { CannotOpen, Sealer, type DataKey, type SealContext } from '../../src/crypto/seal.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { insertProject } from '../../src/storage/stages.ts'
import { undefinedIfCannotOpen } from '../../src/variables/opening.ts'
import { pack, packVariable, unpack, unpackVariable } from '../../src/stages/payloads.ts'
import { openPins, openValue, openValues, sealValues } from '../../src/variables/values.ts'
import { isLong } from '../../testkit/long.ts'
import { temporaryStore } from '../storage/temporary.ts'

/** A row as stored, with the values that were written. */
interface Row {
  readonly place: SealContext
  readonly name: string
  readonly kind: Kind
  readonly values: readonly string[]
  readonly sealed: Buffer
}

// One key for all places, so that the key alone does not distinguish them.
const key: DataKey = { id: randomBytes(16).toString('hex'), key: createSecretKey(randomBytes(32)) }

function row(place: SealContext, name: string, kind: Kind): Row {
  const values = kinds[kind].values.map(({ role }) => `${role} of ${name} in ${Object.values(place).join(' ')}`)
  return { place, name, kind, values, sealed: sealValues(new Sealer(place, [key]), { name, kind }, { values }) }
}

/** Opens the roles of a row with other sealed bytes. Undefined stands for a role that does not open. */
function opened({ place, name, kind }: Row, sealed: Uint8Array): (string | undefined)[] {
  const variable = { name, kind, payloads: unpack(sealed) }
  const sealer = new Sealer(place, [key])
  return kinds[kind].values.map((_, index) =>
    undefinedIfCannotOpen(() => openValue(sealer, variable, index))?.toString(),
  )
}

/** Yields every copy with one bit changed. */
function* flips(bytes: Uint8Array, step = 1): Generator<Buffer> {
  for (let bit = 0; bit < 8 * bytes.length; bit += step) {
    const flipped = Buffer.from(bytes)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    yield flipped
  }
}

/** Yields every copy that ends early or begins late. */
function* cuts(bytes: Uint8Array, step = 1): Generator<Buffer> {
  for (let length = 0; length < bytes.length; length += step) {
    yield Buffer.from(bytes.subarray(0, length))
    yield Buffer.from(bytes.subarray(bytes.length - length))
  }
}

const here: SealContext = { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_1' }
const places = [here, { ...here, stageId: 'stg_2' }, { ...here, projectId: 'prj_2' }, { ...here, orgId: 'org_2' }]

describe.each(['secret', 'ab_roll'] as const)('the payloads of a %s', (kind) => {
  const whole = row(here, 'NAME', kind)

  test('open to what was written', () => {
    expect(opened(whole, whole.sealed)).toEqual(whole.values)
  })

  test.each([
    ['one flipped bit', flips],
    ['a missing end', cuts],
  ])('with %s open to what was written or do not open', (_, damages) => {
    const wrong = [...damages(whole.sealed)].filter((damaged) => {
      const found = opened(whole, damaged)
      // A length beyond the end of the last blob does not change the blob.
      const isSame = isDeepStrictEqual(unpack(damaged), unpack(whole.sealed))
      return (
        found.some((value, role) => value !== undefined && value !== whole.values[role]) ||
        (found.every((value) => value !== undefined) && !isSame)
      )
    })
    expect(wrong).toEqual([])
  })
})

test('payloads of another variable, kind, stage, project, organization or role do not open', () => {
  const rows = places.flatMap((place) => [
    row(place, 'NAME', 'secret'),
    row(place, 'OTHER', 'secret'),
    row(place, 'NAME', 'ab_roll'),
    row(place, 'OTHER', 'ab_roll'),
  ])
  for (const to of rows) {
    const turned = pack(unpack(to.sealed).toReversed())
    const others = [
      ...rows.filter((from) => from !== to).map(({ sealed }) => sealed),
      ...(to.values.length > 1 ? [turned] : []),
    ]
    const found = new Set(others.flatMap((sealed) => opened(to, sealed)))
    expect(found).toEqual(new Set([undefined]))
  }
})

test('a data key with a flipped bit or a missing end is not used; a damaged installation key stops the start', async () => {
  const nowMs = 1_790_000_000_000
  const kms = localKmsOfSetting(randomBytes(32).toString('base64'))
  const sql = await temporaryStore(nowMs)
  await sql.tx(async (tx) => {
    await insertOrganization(tx, { id: 'org_1', idpOrgId: 'idp_1', slug: 'acme', nowMs })
    await insertProject(tx, 'org_1', { id: 'prj_1', slug: 'shop', by: 'user_1', nowMs })
  })
  const keyring = await Keyring.open(sql, kms, nowMs)
  const minted = await keyring.mintFor('prj_1')
  await sql.tx((tx) => keyring.store(tx, 'prj_1', minted, nowMs))
  const keys = await sql.all<{ id: string; project_id: string | null; wrapped: Uint8Array }>('select * from data_keys')
  const outcomes = new Map([
    [null, new Set<string>()],
    ['prj_1', new Set<string>()],
  ])
  const step = isLong ? 1 : 13
  for (const { id, project_id: owner, wrapped } of keys) {
    const store = (bytes: Uint8Array) =>
      sql.tx((tx) => tx.all('update data_keys set wrapped = $1 where id = $2', bytes, id), 'process')
    for (const damaged of [...flips(wrapped, step), ...cuts(wrapped, step)]) {
      await store(damaged)
      const keysThen = Keyring.open(sql, kms, nowMs).then((reopened) => reopened.keysOf('prj_1'))
      outcomes.get(owner)?.add(
        await keysThen.then(
          (found) => `${found.length} keys`,
          (error: Error) => error.message,
        ),
      )
    }
    await store(wrapped)
  }
  expect([...(outcomes.get('prj_1') ?? [])]).toEqual(['0 keys'])
  expect([...(outcomes.get(null) ?? [])]).toEqual([expect.stringMatching(/Nothing was changed\.$/)])
})

test('a roll with pins does not open for a version that does not know them', () => {
  const { sealed } = row(here, 'NAME', 'ab_roll')
  const sealer = new Sealer(here, [key])
  const target = { name: 'NAME', kind: 'ab_roll' } as const
  const pinned = sealValues(sealer, target, { values: ['1', '2'], pins: JSON.stringify({ a: ['user-1'], b: [] }) })
  expect(openValues(sealer, { ...target, ...unpackVariable('ab_roll', pinned) }).map(String)).toEqual(['1', '2'])
  // Such a version takes the first payloads for the values.
  expect(() => openValue(sealer, { ...target, payloads: unpack(pinned) }, 0)).toThrow(CannotOpen)
  expect(() => openValue(sealer, { ...target, payloads: unpack(pinned) }, 1)).toThrow(CannotOpen)
  // Nor do values take the place of pins.
  const swapped = packVariable({ payloads: unpack(sealed), sealedPins: unpack(sealed)[0] })
  expect(() => openPins(sealer, { ...target, ...unpackVariable('ab_roll', swapped) })).toThrow(CannotOpen)
})
