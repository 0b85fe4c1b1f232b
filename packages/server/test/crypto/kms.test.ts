import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { localKmsOfFile, localKmsOfSetting } from '../../src/crypto/kms/local.ts'
import { kmsSuite } from './kms.suite.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

const masterKeys = { one: randomBytes(32).toString('base64'), other: randomBytes(32).toString('base64') }

kmsSuite('the local KMS', async (master) => localKmsOfSetting(masterKeys[master]))

const keyFile = (): string => path.join(temporaryFolder(), 'master.key')

function keyFileOf(text: string, mode = 0o600): string {
  const file = keyFile()
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return `${String(error)} ${String((error as Error).cause)}`
  }
  throw new Error('nothing was thrown')
}

/** Returns whether a text contains eight consecutive characters of a secret, which are 48 bits of it. */
function tells(text: string, secret: string): boolean {
  return Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).some((part) =>
    text.includes(part),
  )
}

describe('the key file', () => {
  test('is made for the owner only, with a key of 32 bytes', () => {
    const file = keyFile()
    localKmsOfFile(file, true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')).toHaveLength(32)
  })

  test('is read the next time, and gives the same master key', async () => {
    const file = keyFile()
    const made = localKmsOfFile(file, true)
    const text = readFileSync(file, 'utf8')
    for (const create of [true, false]) expect(localKmsOfFile(file, create).name).toBe(made.name)
    expect(readFileSync(file, 'utf8')).toBe(text)
    const wrapped = await made.wrap(randomBytes(32), 'context')
    await expect(localKmsOfSetting(text).unwrap(wrapped, 'context')).resolves.toHaveLength(32)
  })

  test('has another key in each installation', () => {
    expect(localKmsOfFile(keyFile(), true).name).not.toBe(localKmsOfFile(keyFile(), true).name)
  })

  test.each(['640', '620', '610', '604', '602', '601', '644', '777'])('is refused with mode %s', (mode) => {
    const file = keyFileOf(masterKeys.one, Number.parseInt(mode, 8))
    expect(messageOf(() => localKmsOfFile(file, true))).toContain(
      `Others can read the master key file ${file}: run chmod 600 ${file}.`,
    )
  })

  test.each(['600', '400'])('is read with mode %s', (mode) => {
    const file = keyFileOf(masterKeys.one, Number.parseInt(mode, 8))
    expect(localKmsOfFile(file, false).name).toBe(localKmsOfSetting(masterKeys.one).name)
  })

  test('is not made again for a store with values, but reported as missing', () => {
    const file = keyFile()
    expect(messageOf(() => localKmsOfFile(file, false))).toContain(
      `The master key file ${file} is missing, and the database holds values sealed with it: restore the file`,
    )
    expect(existsSync(file)).toBe(false)
  })
})

describe('a master key', () => {
  const longer = randomBytes(33)
  const whole = longer.subarray(0, 32)
  const malformed: [string, string][] = [
    ['nothing', ''],
    ['only a line end', '\n'],
    ['31 bytes', longer.toString('base64', 0, 31)],
    ['33 bytes', longer.toString('base64')],
    ['hex', whole.toString('hex')],
    ['base64url of other letters', Buffer.alloc(32, 0xfb).toString('base64url')],
    ['base64 without its padding', whole.toString('base64').replace('=', '')],
    ['base64 with a space in it', whole.toString('base64').replace(/^.{9}/, '$& ')],
    ['base64 with a quote around it', `"${whole.toString('base64')}"`],
    ['two keys', `${whole.toString('base64')}\n${whole.toString('base64')}`],
    ['base64 with bits that stand for nothing', `${'A'.repeat(42)}B=`],
  ]

  test.each(malformed)('is refused if it is malformed, without being quoted: %s', (_, text) => {
    const file = keyFileOf(text)
    const messages = [messageOf(() => localKmsOfFile(file, false)), messageOf(() => localKmsOfSetting(text))]
    expect(messages[0]).toContain(`${file} is not a master key: it must be 32 bytes in base64`)
    expect(messages[1]).toContain('ROLLKEY_MASTER_KEY is not a master key: it must be 32 bytes in base64')
    for (const message of messages) expect(tells(message, text)).toBe(false)
  })

  test('may have white space around it, as editors and echo leave it', () => {
    const { name } = localKmsOfSetting(masterKeys.one)
    expect(localKmsOfSetting(` ${masterKeys.one}\r\n`).name).toBe(name)
    expect(localKmsOfFile(keyFileOf(`${masterKeys.one}\n`), false).name).toBe(name)
  })

  test('is revealed neither by the name of its KMS nor by a failure to unwrap', async () => {
    const kms = localKmsOfSetting(masterKeys.one)
    const key = randomBytes(32)
    const wrapped = await kms.wrap(key, 'context')
    const refused = await localKmsOfSetting(masterKeys.other)
      .unwrap(wrapped, 'context')
      .catch((error: unknown) => `${String(error)} ${JSON.stringify(error)}`)
    const texts = [kms.name, String(refused), JSON.stringify(kms)]
    for (const text of texts) {
      for (const secret of [...Object.values(masterKeys), key.toString('base64')]) {
        expect(tells(text, secret)).toBe(false)
        expect(tells(text, Buffer.from(secret, 'base64').toString('hex'))).toBe(false)
      }
    }
  })
})
