import { createHash, createHmac, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { KmsUnavailable } from '../../src/base/api-error.ts'
import { Keyring } from '../../src/crypto/keyring.ts'
import { CannotUnwrap, eitherKms, type Kms } from '../../src/crypto/kms/kms.ts'
import { localKmsOfSetting } from '../../src/crypto/kms/local.ts'
import { Sealer } from '../../src/crypto/seal.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { insertProject } from '../../src/storage/stages.ts'
import { silent, temporaryStore } from '../storage/temporary.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

const nowMs = 1_790_000_000_000
const masterKey = randomBytes(32).toString('base64')
const otherMasterKey = randomBytes(32).toString('base64')
const kms = localKmsOfSetting(masterKey)
const otherKms = localKmsOfSetting(otherMasterKey)

/** Returns a KMS that can be unavailable. */
class FarKms implements Kms {
  readonly #near: Kms
  readonly name: string
  isAway = false

  constructor(near: Kms) {
    this.#near = near
    this.name = near.name
  }

  async wrap(key: Uint8Array, context: string): Promise<Uint8Array> {
    this.#reach()
    return this.#near.wrap(key, context)
  }

  async unwrap(wrapped: Uint8Array, context: string): Promise<Buffer> {
    this.#reach()
    return this.#near.unwrap(wrapped, context)
  }

  #reach(): void {
    if (this.isAway) throw new KmsUnavailable('The KMS is away.', 'away')
  }
}

async function withProjects(): Promise<Sql> {
  const sql = await temporaryStore(nowMs)
  await sql.tx(async (tx) => {
    await insertOrganization(tx, { id: 'org_1', idpOrgId: 'idp_1', slug: 'acme', nowMs })
    for (const id of ['prj_1', 'prj_2']) await insertProject(tx, 'org_1', { id, slug: id, by: 'user_1', nowMs })
  })
  return sql
}

/** Creates a new key for the project and retires the current one. */
async function mint(sql: Sql, keyring: Keyring, projectId: string, atMs = nowMs): Promise<string> {
  const minted = await keyring.mintFor(projectId)
  await sql.tx((tx) => keyring.rotate(tx, projectId, minted, { madeBeforeMs: atMs, nowMs: atMs }))
  return minted.key.id
}

const keyRows = (sql: Sql): Promise<unknown[]> => sql.all('select * from data_keys order by id')

describe('the key of the installation', () => {
  test('is made at the first start and stays', async () => {
    const sql = await temporaryStore(nowMs)
    const first = await Keyring.open(sql, kms, nowMs)
    const rows = await keyRows(sql)
    expect(rows).toMatchObject([{ project_id: null, kms: kms.name }])
    const second = await Keyring.open(sql, kms, nowMs + 1)
    expect(await keyRows(sql)).toEqual(rows)
    expect(second.hashOfUserCode('ABCDEFGH')).toBe(first.hashOfUserCode('ABCDEFGH'))
  })

  test('is unique, also when several nodes start on an empty store together', async () => {
    const sql = await temporaryStore(nowMs)
    const keyrings = await Promise.all(Array.from({ length: 8 }, () => Keyring.open(sql, kms, nowMs)))
    expect(await keyRows(sql)).toHaveLength(1)
    const hashes = new Set(keyrings.map((keyring) => keyring.hashOfUserCode('ABCDEFGH')))
    expect([...hashes]).toEqual([(await Keyring.open(sql, kms, nowMs)).hashOfUserCode('ABCDEFGH')])
  })
})

describe('a wrong master key', () => {
  async function refusal(sql: Sql): Promise<string> {
    const error: unknown = await Keyring.open(sql, otherKms, nowMs).catch((reason: unknown) => reason)
    return String(error)
  }

  test('is refused by a sentence that names both keys', async () => {
    const sql = await temporaryStore(nowMs)
    await Keyring.open(sql, kms, nowMs)
    expect(await refusal(sql)).toBe(
      `Error: The master key ${otherKms.name} does not open this database (expected ${kms.name}): set the right one with ROLLKEY_KMS_URL, ROLLKEY_MASTER_KEY or the file master.key. Nothing was changed.`,
    )
  })

  test('is refused without a byte of either key', async () => {
    const sql = await temporaryStore(nowMs)
    await Keyring.open(sql, kms, nowMs)
    const message = await refusal(sql)
    for (const secret of [masterKey, otherMasterKey]) {
      for (const text of [secret, Buffer.from(secret, 'base64').toString('hex')]) {
        for (let at = 0; at + 8 <= text.length; at++) expect(message).not.toContain(text.slice(at, at + 8))
      }
    }
  })

  test('changes nothing in the database', async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'rollkey.db')
    const sql = openSqlite(file)
    onTestFinished(() => sql.close())
    await migrate(sql, nowMs, silent)
    await Keyring.open(sql, kms, nowMs)
    const state = async () => ({
      rows: await keyRows(sql),
      files: [file, `${file}-wal`].map((each) =>
        existsSync(each) ? createHash('sha256').update(readFileSync(each)).digest('hex') : 'none',
      ),
    })
    const before = await state()
    await refusal(sql)
    expect(await state()).toEqual(before)
    await expect(Keyring.open(sql, kms, nowMs)).resolves.toBeInstanceOf(Keyring)
  })

  test('is refused also if the stored key is damaged', async () => {
    const sql = await temporaryStore(nowMs)
    await Keyring.open(sql, kms, nowMs)
    await sql.tx((tx) => tx.all('update data_keys set wrapped = $1', new Uint8Array(60)))
    await expect(Keyring.open(sql, kms, nowMs)).rejects.toThrow('Nothing was changed.')
  })
})

describe('the keys of a project', () => {
  test('are there once they are kept, and after a restart', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    const minted = await keyring.mintFor('prj_1')
    expect(await keyring.keysOf('prj_1')).toEqual([])
    await sql.tx((tx) => keyring.store(tx, 'prj_1', minted, nowMs))
    for (const each of [keyring, await Keyring.open(sql, kms, nowMs)]) {
      const keys = await each.keysOf('prj_1')
      expect(keys.map(({ id }) => id)).toEqual([minted.key.id])
      expect(keys[0]?.key.equals(minted.key.key)).toBe(true)
    }
  })

  test('are not the keys of another project', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    for (const project of ['prj_1', 'prj_2']) await mint(sql, keyring, project)
    const [[one], [two]] = [await keyring.keysOf('prj_1'), await keyring.keysOf('prj_2')]
    if (!one || !two) throw new Error('a project has no key')
    expect(one.id).not.toBe(two.id)
    expect(one.key.equals(two.key)).toBe(false)
  })

  test('are several after a rotation, the newest last, so that it seals', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    const older = await mint(sql, keyring, 'prj_1', nowMs)
    const place = { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_1' }
    const blob = new Sealer(place, await keyring.keysOf('prj_1')).seal('A', 'secret', 'value', 'text')
    const newer = await mint(sql, keyring, 'prj_1', nowMs + 1)
    const keys = await (await Keyring.open(sql, kms, nowMs)).keysOf('prj_1')
    expect(keys.map(({ id }) => id)).toEqual([older, newer])
    const sealer = new Sealer(place, keys)
    expect(sealer.open('A', 'secret', 'value', blob).toString()).toBe('text')
    expect(sealer.seal('A', 'secret', 'value', 'text').toString('hex', 2, 18)).toBe(newer)
  })

  test('are read again, once, when something was sealed by one that is not in memory', async () => {
    const sql = await withProjects()
    const unwraps: string[] = []
    const counting: Kms = {
      ...kms,
      name: kms.name,
      wrap: (key, context) => kms.wrap(key, context),
      unwrap: (wrapped, context) => {
        unwraps.push(context)
        return kms.unwrap(wrapped, context)
      },
    }
    const other = await Keyring.open(sql, kms, nowMs)
    const older = await mint(sql, other, 'prj_1', nowMs)
    const keyring = await Keyring.open(sql, counting, nowMs)
    await keyring.keysOf('prj_1')
    const newer = await mint(sql, other, 'prj_1', nowMs + 1)
    const ids = async (needed: string[]) => (await keyring.keysOf('prj_1', needed)).map(({ id }) => id)
    unwraps.length = 0
    expect(await ids([older])).toEqual([older])
    expect(await ids([older, newer])).toEqual([older, newer])
    for (let i = 0; i < 5; i++) expect(await ids(['of a damaged value'])).toEqual([older, newer])
    expect(unwraps).toEqual([`rollkey data key prj_1 ${newer}`])
  })

  test('let the retired ones seal nothing, and the newest only once it is known', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    const older = await mint(sql, keyring, 'prj_1', nowMs)
    const place = { orgId: 'org_1', projectId: 'prj_1', stageId: 'stg_1' }
    expect((await keyring.sealerOf(place)).keyId).toBe(older)
    expect(await sql.tx((tx) => keyring.maySeal(tx, 'prj_1', older))).toBe(true)
    const newer = await mint(sql, await Keyring.open(sql, kms, nowMs), 'prj_1', nowMs + 1)
    expect((await keyring.sealerOf(place)).keyId).toBe(older)
    expect(await sql.tx((tx) => keyring.maySeal(tx, 'prj_1', older))).toBe(false)
    expect((await keyring.sealerOf(place)).keyId).toBe(newer)
    await sql.tx((tx) => tx.all('update data_keys set wrapped = $1 where id = $2', new Uint8Array(60), newer))
    expect((await (await Keyring.open(sql, kms, nowMs)).sealerOf(place)).keyId).toBeUndefined()
  })

  test('are exchanged once, however many nodes try at the same time', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    const older = await mint(sql, keyring, 'prj_1', nowMs)
    const times = { madeBeforeMs: nowMs + 1, nowMs: nowMs + 1 }
    const minted = await Promise.all(Array.from({ length: 16 }, () => keyring.mintFor('prj_1')))
    const outcomes = await Promise.all(minted.map((each) => sql.tx((tx) => keyring.rotate(tx, 'prj_1', each, times))))
    const winner = minted[outcomes.indexOf(true)]
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    keyring.forget('prj_1')
    expect((await keyring.keysOf('prj_1')).map(({ id }) => id)).toEqual([older, winner?.key.id])
  })

  test('are stored wrapped: the database alone opens nothing', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    await mint(sql, keyring, 'prj_1')
    const [key] = await keyring.keysOf('prj_1')
    if (!key) throw new Error('the project has no key')
    const rows = await sql.all<{ wrapped: Uint8Array }>('select wrapped from data_keys')
    expect(rows).toHaveLength(2)
    for (const { wrapped } of rows) expect(Buffer.from(wrapped).includes(key.key.export())).toBe(false)
  })
})

describe('a key that its KMS would not unwrap', () => {
  const losing = (name: string, unwrap: Kms['unwrap']): Kms => ({ name, wrap: (key, at) => kms.wrap(key, at), unwrap })
  const refused = 'did not return the key that it had wrapped'

  test.each([(wrapped, at) => otherKms.unwrap(wrapped, at), async () => randomBytes(32)] as Kms['unwrap'][])(
    'is not made for the installation, nor for a project',
    async (unwrap) => {
      const sql = await withProjects()
      await expect(Keyring.open(sql, losing(kms.name, unwrap), nowMs)).rejects.toThrow(refused)
      expect(await keyRows(sql)).toEqual([])
      await Keyring.open(sql, kms, nowMs)
      let isLosing = false
      const later = losing(kms.name, (wrapped, at) => (isLosing ? unwrap(wrapped, at) : kms.unwrap(wrapped, at)))
      const keyring = await Keyring.open(sql, later, nowMs)
      isLosing = true
      await expect(keyring.mintFor('prj_1')).rejects.toThrow(refused)
    },
  )

  test('does not take the place of one that it gives back', async () => {
    const sql = await withProjects()
    await mint(sql, await Keyring.open(sql, kms, nowMs), 'prj_1')
    const rows = await keyRows(sql)
    const changed: Kms = {
      name: 'changed',
      wrap: (key, at) => otherKms.wrap(key, `${at} `),
      unwrap: otherKms.unwrap.bind(otherKms),
    }
    const during = await Keyring.open(sql, eitherKms(changed, kms), nowMs)
    await expect(during.rewrap(nowMs)).rejects.toThrow('did not return the key that it had wrapped')
    expect(await keyRows(sql)).toEqual(rows)
  })
})

describe('a damaged key', () => {
  test('is left out, and the others of its project go on', async () => {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    const ids = [await mint(sql, keyring, 'prj_1', nowMs), await mint(sql, keyring, 'prj_1', nowMs + 1)]
    for (const [index, damaged] of ids.entries()) {
      const [row] = await sql.all<{ wrapped: Uint8Array }>('select wrapped from data_keys where id = $1', damaged)
      const store = (wrapped: Uint8Array) =>
        sql.tx((tx) => tx.all('update data_keys set wrapped = $1 where id = $2', wrapped, damaged))
      await store(new Uint8Array(60))
      const keys = await (await Keyring.open(sql, kms, nowMs)).keysOf('prj_1')
      expect(keys.map(({ id }) => id)).toEqual([ids[1 - index]])
      await store(row?.wrapped ?? new Uint8Array())
    }
  })

  test('is not taken for one that the KMS could not be asked about', async () => {
    const sql = await withProjects()
    await mint(sql, await Keyring.open(sql, kms, nowMs), 'prj_1')
    const remote = new FarKms(kms)
    const keyring = await Keyring.open(sql, remote, nowMs)
    remote.isAway = true
    await expect(keyring.keysOf('prj_1')).rejects.toThrow('away')
    remote.isAway = false
    expect(await keyring.keysOf('prj_1')).toHaveLength(1)
    remote.isAway = true
    expect(await keyring.keysOf('prj_1')).toHaveLength(1)
  })
})

describe('a key row', () => {
  async function withTwoKeys() {
    const sql = await withProjects()
    const keyring = await Keyring.open(sql, kms, nowMs)
    return { sql, one: await mint(sql, keyring, 'prj_1'), two: await mint(sql, keyring, 'prj_2') }
  }

  /** How many keys each of the two projects has after a restart. */
  async function keysAfterwards(sql: Sql): Promise<number[]> {
    const keyring = await Keyring.open(sql, kms, nowMs)
    return [(await keyring.keysOf('prj_1')).length, (await keyring.keysOf('prj_2')).length]
  }

  test('unwraps where it belongs', async () => {
    const { sql } = await withTwoKeys()
    expect(await keysAfterwards(sql)).toEqual([1, 1])
  })

  test('that was moved to another project does not unwrap', async () => {
    const { sql, one, two } = await withTwoKeys()
    await sql.tx(async (tx) => {
      await tx.all('update data_keys set retired_at_ms = 1 where project_id is not null')
      await tx.all('update data_keys set project_id = $1 where id = $2', 'prj_2', one)
      await tx.all('update data_keys set project_id = $1 where id = $2', 'prj_1', two)
    })
    expect(await keysAfterwards(sql)).toEqual([0, 0])
  })

  test('that was given the id of another key of the project does not unwrap', async () => {
    const { sql, one } = await withTwoKeys()
    const other = await mint(sql, await Keyring.open(sql, kms, nowMs), 'prj_1', nowMs + 1)
    expect(await keysAfterwards(sql)).toEqual([2, 1])
    await sql.tx(async (tx) => {
      await tx.all('update data_keys set id = $1 where id = $2', 'spare', one)
      await tx.all('update data_keys set id = $1 where id = $2', one, other)
      await tx.all('update data_keys set id = $1 where id = $2', other, 'spare')
    })
    expect(await keysAfterwards(sql)).toEqual([0, 1])
  })

  test('that was moved from the installation to a project does not unwrap, nor the other way', async () => {
    const { sql, one } = await withTwoKeys()
    await sql.tx(async (tx) => {
      await tx.all('update data_keys set retired_at_ms = 1 where id = $1', one)
      await tx.all('update data_keys set project_id = $1 where project_id is null', 'prj_1')
      await tx.all('update data_keys set project_id = null where id = $1', one)
    })
    await expect(Keyring.open(sql, kms, nowMs)).rejects.toThrow('does not open this database')
  })
})

describe('the hash of a user code', () => {
  test('is the same for the same code, and for no other', async () => {
    const keyring = await Keyring.open(await temporaryStore(nowMs), kms, nowMs)
    const codes = ['ABCDEFGH', 'ABCDEFGJ', 'abcdefgh', 'ABCDEFG', '']
    expect(new Set(codes.map((code) => keyring.hashOfUserCode(code))).size).toBe(codes.length)
    expect(keyring.hashOfUserCode('ABCDEFGH')).toBe(keyring.hashOfUserCode('ABCDEFGH'))
  })

  test('is keyed: two installations with one master key give two hashes', async () => {
    const [one, two] = [
      await Keyring.open(await temporaryStore(nowMs), kms, nowMs),
      await Keyring.open(await temporaryStore(nowMs), kms, nowMs),
    ]
    expect(one.hashOfUserCode('ABCDEFGH')).not.toBe(two.hashOfUserCode('ABCDEFGH'))
  })

  test('is nothing that can be computed from the code and what the database holds', async () => {
    const sql = await temporaryStore(nowMs)
    const hash = (await Keyring.open(sql, kms, nowMs)).hashOfUserCode('ABCDEFGH')
    const [row] = await sql.all<{ id: string; kms: string; wrapped: Uint8Array }>(
      'select id, kms, wrapped from data_keys',
    )
    const texts = ['ABCDEFGH', 'user code ABCDEFGH']
    const stored = ['', row?.id ?? '', row?.kms ?? '', row?.wrapped ?? new Uint8Array()]
    const guesses = texts.flatMap((text) => [
      createHash('sha256').update(text).digest('base64url'),
      ...stored.map((key) => createHmac('sha256', key).update(text).digest('base64url')),
    ])
    expect(guesses).not.toContain(hash)
  })
})

describe('a change of the master key', () => {
  const both = eitherKms(otherKms, kms)

  test('wraps every data key again; what they sealed opens all the time, finally without the old key', async () => {
    const sql = await withProjects()
    const before = await Keyring.open(sql, kms, nowMs)
    const ids = [await mint(sql, before, 'prj_1'), await mint(sql, before, 'prj_2')]
    const during = await Keyring.open(sql, both, nowMs)
    const added = await mint(sql, during, 'prj_2', nowMs + 1)
    expect(await during.wrapping()).toEqual({
      masterKey: otherKms.name,
      dataKeys: { [kms.name]: 3, [otherKms.name]: 1 },
    })
    expect((await during.keysOf('prj_1')).map(({ id }) => id)).toEqual([ids[0]])
    const seen: string[] = []
    expect(await during.rewrap(nowMs, (done, total) => seen.push(`${done} of ${total}`))).toBe(3)
    expect(seen).toEqual(['1 of 3', '2 of 3', '3 of 3'])
    expect(await during.rewrap(nowMs)).toBe(0)
    // Of both projects together; the organization's log has no more of it.
    expect(await sql.all('select org_id, actor, action, subject from audit')).toEqual([
      {
        org_id: 'org_1',
        actor: 'operator',
        action: 'key.rewrap',
        subject: JSON.stringify({ keyProvider: otherKms.name }),
      },
    ])
    expect(await during.wrapping()).toEqual({ masterKey: otherKms.name, dataKeys: { [otherKms.name]: 4 } })
    const after = await Keyring.open(sql, otherKms, nowMs)
    expect((await after.keysOf('prj_2')).map(({ id }) => id)).toEqual([ids[1], added])
    expect(after.hashOfUserCode('ABCDEFGH')).toBe(before.hashOfUserCode('ABCDEFGH'))
    await expect(Keyring.open(sql, kms, nowMs)).rejects.toThrow('Nothing was changed.')
  })

  test('that was stopped goes on where it was; two at once wrap each key once', async () => {
    const sql = await withProjects()
    const before = await Keyring.open(sql, kms, nowMs)
    for (let i = 0; i < 20; i++) await mint(sql, before, 'prj_1', nowMs + i)
    let wraps = 0
    const stopping: Kms = {
      ...both,
      wrap: async (key, context) => {
        if (++wraps > 7) throw new Error('stopped')
        return both.wrap(key, context)
      },
    }
    await expect((await Keyring.open(sql, stopping, nowMs)).rewrap(nowMs)).rejects.toThrow('stopped')
    const nodes = [await Keyring.open(sql, both, nowMs), await Keyring.open(sql, both, nowMs)]
    expect((await nodes[0]?.wrapping())?.dataKeys[otherKms.name]).toBe(7)
    const [one = 0, other = 0] = await Promise.all(nodes.map((node) => node.rewrap(nowMs)))
    expect(one + other).toBe(21 - 7)
  })

  test('still opens what one KMS wrapped while the other is unavailable', async () => {
    const sql = await withProjects()
    await mint(sql, await Keyring.open(sql, kms, nowMs), 'prj_1')
    await mint(sql, await Keyring.open(sql, both, nowMs), 'prj_2')
    const [near, far] = [new FarKms(otherKms), new FarKms(kms)]
    const opened = async (): Promise<Keyring> => {
      Object.assign(near, { isAway: false })
      Object.assign(far, { isAway: false })
      return Keyring.open(sql, eitherKms(near, far), nowMs)
    }
    for (const [away, readable, not] of [
      [near, 'prj_1', 'prj_2'],
      [far, 'prj_2', 'prj_1'],
    ] as const) {
      const keyring = await opened()
      away.isAway = true
      expect(await keyring.keysOf(readable)).toHaveLength(1)
      await expect(keyring.keysOf(not)).rejects.toThrow(KmsUnavailable)
    }
  })

  test('without the key that wrapped what is there is refused, and leaves it', async () => {
    const sql = await withProjects()
    await mint(sql, await Keyring.open(sql, kms, nowMs), 'prj_1')
    const third = localKmsOfSetting(randomBytes(32).toString('base64'))
    const keyring = await Keyring.open(sql, both, nowMs)
    await sql.tx((tx) =>
      tx.all("update data_keys set kms = 'local:gone', wrapped = $1 where project_id is not null", new Uint8Array(60)),
    )
    await expect(keyring.rewrap(nowMs)).rejects.toThrow(CannotUnwrap)
    await expect(Keyring.open(sql, eitherKms(third, third), nowMs)).rejects.toThrow('Nothing was changed.')
  })
})
