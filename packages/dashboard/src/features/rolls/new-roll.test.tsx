import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { newRollCommand } from '../../data/projects/commands.ts'
import { useCommands } from '../../ui/commands.ts'
import { labels } from './labels.ts'
import { NewRoll } from './new-roll.tsx'

const { rolls: words } = labels
const opened = vi.fn<(projectSlug: string) => void>()

interface PageProps {
  readonly projectSlug?: string
}

/** The button, beside what the pages of two projects offer. */
function Page({ projectSlug }: PageProps) {
  const slugs = ['shop', 'mobile']
  useCommands(slugs.map((slug) => ({ id: newRollCommand(slug), label: slug, run: () => opened(slug) })))
  return <NewRoll projectSlug={projectSlug} otherwise="Nothing to write" />
}

function answerWith(...slugs: readonly string[]): void {
  const stages = [{ stageSlug: 'dev', name: 'dev', variables: 0, revision: 1, createdAtMs: 0 }]
  answer({
    '/v1/whoami': {},
    '/v1/projects/list': {
      projects: slugs.map((projectSlug) => ({ projectSlug, name: projectSlug, createdAtMs: 0, stages })),
    },
  })
}

beforeEach(() => {
  opened.mockClear()
})

it.each([
  ['of the only project', ['shop'], undefined],
  ['of the project that the page shows', ['mobile', 'shop'], 'shop'],
])('opens the form %s at once', async (_, slugs, projectSlug) => {
  answerWith(...slugs)
  await render(<Page {...(projectSlug !== undefined && { projectSlug })} />)
  await userEvent.click(await screen.findByRole('button', { name: words.create }))
  await expect.poll(() => opened.mock.calls).toEqual([['shop']])
})

it('asks for one of several projects', async () => {
  answerWith('shop', 'mobile')
  await render(<Page />)
  await userEvent.click(await screen.findByRole('button', { name: words.create }))
  expect(opened).not.toHaveBeenCalled()
  await userEvent.click(await screen.findByRole('menuitem', { name: 'mobile' }))
  await expect.poll(() => opened.mock.calls).toEqual([['mobile']])
})

it('offers nothing where there is no stage to write', async () => {
  answerWith()
  await render(<Page />)
  await screen.findByText('Nothing to write')
  expect(screen.queryByRole('button', { name: words.create })).toBeNull()
})
