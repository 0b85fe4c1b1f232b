import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the picture of the README shows the program as it is', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/make-screenshots.ts', '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
