import type { HistoryChange } from '@rollkey/sdk/core'
import { describe, expect, it } from 'vitest'
import { newsSentence, seenOf } from './change-notices.ts'

const nowMs = Date.UTC(2026, 0, 1)

function change(name: string, more: Partial<HistoryChange> = {}): HistoryChange {
  return { revision: 1, name, change: 'updated', writtenAtMs: nowMs - 1_000, writtenBy: 'grace', ...more }
}

function sentence(...changes: readonly HistoryChange[]): string {
  const nameOf = ({ writtenBy, proposedBy = writtenBy }: Partial<HistoryChange>) =>
    proposedBy === 'grace' ? 'Grace' : 'Ada'
  return newsSentence(changes, { stageName: 'prod', nameOf, nowMs, userId: 'ada' })
}

describe('the sentence of news', () => {
  it('names who, what, where, when', () => {
    expect(sentence(change('A'))).toBe('Grace changed A in prod (now).')
    expect(sentence(change('A', { change: 'deleted', writtenAtMs: nowMs - 300_000 }))).toBe(
      'Grace deleted A in prod (5 minutes ago).',
    )
  })

  it('counts what is more than one', () => {
    expect(sentence(change('A'), change('B', { change: 'created' }))).toBe('Grace changed 2 variables in prod (now).')
    expect(sentence(change('A'), change('A', { change: 'created' }))).toBe('Grace changed A in prod (now).')
    expect(sentence(change('A', { writtenBy: 'ada' }), change('A'))).toBe('Ada and others changed A in prod (now).')
  })

  it('names who proposed a change, and tells that person who applied it', () => {
    const origin = { changeId: 'chg_1', reason: 'First  key' }
    const proposed = (proposedBy: string, more = {}) => change('A', { ...origin, proposedBy, ...more })
    expect(sentence(proposed('grace', { writtenBy: 'tess' }))).toBe('Grace changed A in prod (now).')
    expect(sentence(proposed('ada'), proposed('ada', { name: 'B' }))).toBe(
      'Grace applied your change “First key” to prod (now).',
    )
    expect(sentence(proposed('ada'), change('B'))).toBe('Ada and others changed 2 variables in prod (now).')
  })

  it('knows that no change is from the future, whatever the clocks say', () => {
    expect(sentence(change('A', { writtenAtMs: nowMs + 90_000 }))).toBe('Grace changed A in prod (now).')
  })
})

describe('the cursor of a list of stages', () => {
  function seen(count: number) {
    const stages = Array.from({ length: count }, (_, index) => ({ stageSlug: `preview-${index}`, revision: 7 }))
    return seenOf({ stages })
  }

  it('names the revision of each', () => expect(seen(2)).toBe('preview-0:7,preview-1:7'))

  it('is left out where a URL would become too long for proxies', () => {
    expect(encodeURIComponent(seen(280) ?? '').length).toBeLessThan(6_000)
    expect(seen(600)).toBeUndefined()
  })
})
