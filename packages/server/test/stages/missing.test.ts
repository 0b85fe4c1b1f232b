import { expect, test } from 'vitest'
import { singleWriter } from '../../src/consistency/read-validator.ts'
import { MissingVariables } from '../../src/stages/missing.ts'
import type { Reader } from '../../src/storage/sql.ts'

test('missing variables are compared again only after a revision of a stage of the project', async () => {
  const revisions = { 'shop dev': 1, 'shop prod': 1, 'api dev': 1, 'api prod': 1 }
  const compared: unknown[] = []
  const waiting = new Set<string>()
  const sql = {
    all: async (text: string, ...params: unknown[]) => {
      if (text.includes('declarations_version')) return []
      if (text.includes('select stage_id from picked')) return [...waiting].map((id) => ({ stage_id: id }))
      if (!text.includes('picked')) {
        return Object.entries(revisions).map(([id, revision]) => {
          const [project_slug, stage_slug] = id.split(' ')
          const is_production = Number(stage_slug === 'prod')
          return { stage_id: id, project_slug, stage_slug, revision, is_production, is_archived: 0 }
        })
      }
      if (text.includes('min(last)')) return [{ up_to: null }]
      compared.push(params.at(-3))
      return [{ name: `N${compared.length}`, total: 1 }]
    },
  } as Reader
  const missing = new MissingVariables({
    sql,
    logicalClock: singleWriter.logicalClock,
    declarations: { requiredAt: async () => [] },
  })
  const names = async (isVisible = () => true): Promise<string[]> =>
    (await missing.list('org_1', isVisible, [])).flatMap((each) => each.names)
  expect(await names()).toEqual(['N1', 'N2'])
  expect(await names()).toEqual(['N1', 'N2'])
  expect(compared).toEqual(['api prod', 'shop prod'])
  revisions['shop dev']++
  expect(await names()).toEqual(['N1', 'N3'])
  revisions['api prod']++
  expect(await names()).toEqual(['N4', 'N3'])
  expect(await names(() => false)).toEqual([])
  expect(await names()).toEqual(['N4', 'N3'])
  // Changes come and go without a revision.
  waiting.add('shop prod')
  expect(await names()).toEqual(['N4', 'N5'])
  waiting.clear()
  expect(await names()).toEqual(['N4', 'N3'])
})
