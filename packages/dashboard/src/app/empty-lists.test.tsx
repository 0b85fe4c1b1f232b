import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { answer } from '../../testkit/answers.ts'
import { render } from '../../testkit/render.tsx'
import { offeredCommands } from '../ui/commands.ts'
import { KeysPage } from '../features/keys/keys-page.tsx'
import { labels as keys } from '../features/keys/labels.ts'
import { labels as tokens } from '../features/tokens/labels.ts'
import { TokensPage } from '../features/tokens/tokens-page.tsx'
import { labels as trusts } from '../features/trusts/labels.ts'
import { TrustsPage } from '../features/trusts/trusts-page.tsx'

const pages = [
  { Page: TokensPage, labels: tokens, answers: { '/v1/tokens/list': { tokens: [] } } },
  { Page: KeysPage, labels: keys, answers: { '/v1/keys/list': { keys: [] } } },
  { Page: TrustsPage, labels: trusts, answers: { '/v1/trusts/list': { trusts: [] } } },
]

it.each(pages)(
  'an empty list has the next step as its only button: $labels.title',
  async ({ Page, labels, answers }) => {
    answer({
      '/v1/whoami': {},
      '/v1/web/settings': { publicUrl: 'https://rollkey.example.com' },
      '/v1/projects/list': { projects: [] },
      ...answers,
    })
    await render(<Page />)
    await screen.findByText(labels.none)
    expect(document.querySelector('pre, code')?.textContent).toBe(
      labels.noneCommandText({ projectSlug: 'shop', stageSlug: 'prod' }),
    )
    expect(
      offeredCommands().flatMap(({ commands }) => commands.filter(({ label }) => label === labels.create.button)),
    ).toHaveLength(1)
    await userEvent.click(screen.getByRole('button', { name: labels.create.button }))
    await screen.findByRole('dialog')
  },
)
