import { expect, test } from 'vitest'
import { Search } from '../../src/stages/search.ts'
import { turnsDuring } from '../../testkit/turns.ts'
import { live, newNode, newStore, secret } from './node.ts'

test('a search lets other requests run between two stages', async () => {
  const { sql, clock } = await newStore()
  const { write } = await newNode(sql, clock)
  for (let stage = 0; stage < 20; stage++) {
    await write({ entries: [secret('NAME')] }, { ...live, stageSlug: `stage-${stage}` })
  }
  const search = new Search(sql)
  const find = () => search.find(live.orgId, { query: 'NAM', limit: 200 }, () => true)
  expect((await find()).variables).toHaveLength(20)
  expect(await turnsDuring(find)).toBeGreaterThan(19)
})
