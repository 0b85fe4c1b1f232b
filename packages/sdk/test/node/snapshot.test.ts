import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fileSnapshot } from '../../src/node/index.ts'
import { useFolder } from '../../../server/testkit/folder.ts'

const folder = useFolder()

const secret = 'svc_st_good'
const text = '{"API_KEY":"a value that must not be on disk — ключ"}'

async function saved(name: string): Promise<string> {
  const file = path.join(folder, name, 'rollkey.snapshot')
  await fileSnapshot({ file, secret }).save(text)
  return file
}

test('returns the saved text, from a file that only its owner can read', async () => {
  const file = await saved('good')
  expect(await fileSnapshot({ file, secret }).load()).toBe(text)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
  expect(readdirSync(path.dirname(file))).toEqual(['rollkey.snapshot'])
})

test('contains no plaintext and no secret, and differs each time', async () => {
  const bytes = readFileSync(await saved('sealed'))
  for (const word of ['API_KEY', 'must not be', secret]) expect(bytes.includes(word), word).toBe(false)
  expect(readFileSync(await saved('sealed')).equals(bytes)).toBe(false)
})

test('counts as absent without a file and with another secret', async () => {
  expect(await fileSnapshot({ file: path.join(folder, 'none'), secret }).load()).toBeUndefined()
  expect(await fileSnapshot({ file: await saved('other'), secret: 'svc_st_other' }).load()).toBeUndefined()
})

test('counts as absent if any bit is changed or its end is missing', async () => {
  const file = await saved('damaged')
  const bytes = readFileSync(file)
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
    for (const damaged of [flipped, bytes.subarray(0, at)]) {
      writeFileSync(file, damaged)
      // oxlint-disable-next-line no-await-in-loop -- all cases use one file
      expect(await fileSnapshot({ file, secret }).load(), `byte ${at}`).toBeUndefined()
    }
  }
})

test('needs a secret', () => {
  expect(() => fileSnapshot({ file: 'any', secret: '' })).toThrow('The secret of the snapshot any is empty.')
})
