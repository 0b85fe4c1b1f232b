import type { HistoryChange } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { explain } from '../../service/errors.ts'
import { type Outcome, useStageWrite } from './use-stage-write.ts'
import type { StageWrite } from './write.ts'

const dev = { projectSlug: 'shop', stageSlug: 'dev' }
const write: StageWrite = { place: dev, content: { updates: [{ name: 'A', exposure: 'plain' }] }, seen: 5 }
/** What others did since, and what the person saw. */
const change: HistoryChange = { revision: 6, name: 'A', change: 'deleted', writtenAtMs: 0, writtenBy: 'grace' }
const seen: HistoryChange = { ...change, revision: 5 }

/** Answers that the stage is at the revision, until the request depends on that. */
function unlessAt<Result extends object>(revision: number, result: Result) {
  return ({ ifRevision = revision }: { ifRevision?: number }): Result | Response => {
    const error = { code: 'REVISION_CONFLICT', message: `The stage is at revision ${revision}.`, requestId: 'r' }
    return ifRevision === revision ? result : Response.json({ error }, { status: 409 })
  }
}

async function outcomeOf(...writes: readonly StageWrite[]): Promise<Outcome> {
  const done = Promise.withResolvers<Outcome>()
  function WriteButton() {
    const { write: send } = useStageWrite()
    return (
      <button type="button" onClick={() => void send(...writes).then(done.resolve, done.reject)}>
        Write
      </button>
    )
  }
  await render(<WriteButton />)
  await userEvent.click(screen.getByRole('button', { name: 'Write' }))
  return done.promise
}

function problemsOf({ failures }: Outcome): readonly string[] {
  return failures.map(({ error }) => explain(error))
}

describe.each([
  ['a save', undefined, '/v1/env/update', { revision: 7 }],
  ['a proposal', 'Because', '/v1/changes/propose', { id: 'chg_1' }],
] as const)('%s', (_, reason, path, result) => {
  it('is sent again where only other variables changed since the person saw it', async () => {
    const requests = answer({
      [path]: unlessAt(6, result),
      '/v1/env/history': { changes: [{ ...change, name: 'B' }, seen] },
    })
    const { saved, proposed, failures } = await outcomeOf({ ...write, reason })
    expect(failures).toEqual([])
    expect([...saved, ...proposed]).toMatchObject([{ place: dev, names: ['A'] }])
    const sent = requests.filter((each) => each.path === path).map(({ body }) => body)
    expect(sent).toMatchObject([{ ifRevision: 5 }, { ifRevision: 6 }])
  })

  it('is a conflict where the variable changed, and says which', async () => {
    answer({ [path]: unlessAt(6, result), '/v1/env/history': { changes: [change, seen] } })
    expect(problemsOf(await outcomeOf({ ...write, reason }))).toEqual([
      'Someone changed A in the meantime, so nothing was saved there. Look at it, then try again.',
    ])
  })

  it('of what a preview showed fails where the stage changed at all', async () => {
    const requests = answer({ [path]: unlessAt(6, result) })
    expect(problemsOf(await outcomeOf({ place: dev, content: write.content, previewed: 5, reason }))).toEqual([
      'Nothing was saved, because someone changed a stage in the meantime. Check the list again.',
    ])
    expect(requests.map((each) => each.path)).not.toContain('/v1/env/history')
  })

  it('that depends on nothing is sent without a revision', async () => {
    const requests = answer({ [path]: result })
    expect(problemsOf(await outcomeOf({ place: dev, content: write.content, reason }))).toEqual([])
    expect(requests.find((each) => each.path === path)?.body).not.toHaveProperty('ifRevision')
  })
})

it('goes on in the other stages where one fails', async () => {
  answer({
    '/v1/env/update': ({ stageSlug }: { stageSlug: string }) =>
      stageSlug === 'dev' ? Response.json({ error: { code: 'FORBIDDEN' } }, { status: 403 }) : { revision: 9 },
  })
  const prod = { ...dev, stageSlug: 'prod' }
  const outcome = await outcomeOf(write, { ...write, place: prod })
  expect(outcome.failures.map(({ place }) => place)).toEqual([dev])
  expect(outcome.saved).toEqual([{ place: prod, before: 8, revision: 9, names: ['A'], isNew: false }])
})
