import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { labels } from './labels.ts'
import { NewTrust } from './new-trust.tsx'

const words = labels.create

/** The label of a required field ends with a sign. */
function input(label: string): HTMLElement {
  return screen.getByLabelText(new RegExp(`^${label}`))
}

async function open(): Promise<void> {
  answer({ '/v1/whoami': {}, '/v1/projects/list': { projects: [] } })
  await render(<NewTrust opened onClose={() => {}} onCreated={() => {}} />)
}

function foldOf(label: string): HTMLDetailsElement | null {
  return input(label).closest('details')
}

it('begins with the name, and folds what a platform does not need', async () => {
  await open()
  expect(screen.getAllByRole('textbox')[0]).toBe(input(labels.name))
  expect(foldOf('Id of the repository')).toBeNull()
  expect(['Environment', words.audience, words.lifetime].map((label) => foldOf(label)?.open)).toEqual([
    false,
    false,
    false,
  ])
  await userEvent.selectOptions(input(words.platform), 'Kubernetes')
  expect(foldOf(words.keys)).toBeNull()
  await userEvent.selectOptions(input(words.platform), words.other)
  expect(foldOf(words.keys)?.open).toBe(false)
})

it('unfolds a field that is wrong', async () => {
  await open()
  await userEvent.type(input('Id of the repository'), '424242')
  await userEvent.type(input('Id of the owner'), 'acme')
  await userEvent.selectOptions(input('Scope'), 'One project')
  await userEvent.click(screen.getByRole('button', { name: words.submit }))
  expect(screen.queryByText(words.notNumber)).not.toBeNull()
  expect(foldOf('Id of the owner')?.open).toBe(true)
})

it('says where the ids of a repository are', async () => {
  await open()
  expect(screen.queryByText(words.githubIds)).toBeNull()
  await userEvent.type(input(words.repository), 'acme/shop')
  expect(screen.queryByText('gh api repos/acme/shop --jq ".id, .owner.id"')).not.toBeNull()
  expect(screen.getByRole('link').getAttribute('href')).toBe('https://api.github.com/repos/acme/shop')
})
