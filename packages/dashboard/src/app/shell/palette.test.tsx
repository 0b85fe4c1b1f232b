// cspell:ignore chekout
import { useWindowEvent } from '@mantine/hooks'
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { useCommands } from '../../ui/commands.ts'
import { labels as accountLabels } from '../../features/account/labels.ts'
import { labels as copyLabels } from '../../features/variables/copy/labels.ts'
import { labels as tableLabels } from '../../features/variables/table/labels.ts'
import { labels } from '../labels.ts'
import { documentationPages } from './documentation-pages.ts'
import { collectTyping } from './early-typing.ts'
import { Palette } from './palette.tsx'
import { useGlobalCommands } from './use-global-commands.ts'

const { palette: words } = labels

function stage(stageSlug: string) {
  return { stageSlug, name: stageSlug, variables: 2, isProduction: false, revision: 1, createdAtMs: 0, updatedAtMs: 1 }
}

const shop = { projectSlug: 'shop', name: 'Shop', createdAtMs: 0 }

const checkout = {
  projectSlug: 'shop',
  stageSlug: 'prod',
  name: 'CHECKOUT',
  createdAtMs: 0,
  updatedAtMs: 1,
  chanceSinceMs: 1,
  chance: 0.5,
  served: { a: 1, b: 1 },
  sinceChance: { a: 1, b: 1 },
}

const grace = { id: 'm1', userId: 'grace', role: 'member', user: { name: 'Grace Hopper', email: 'grace@example.com' } }

const closed = vi.fn<() => void>()
const ran = vi.fn<() => void>()

function Opened() {
  useCommands([{ label: 'Reveal everything', run: ran }], { isGlobal: true })
  const [isOpen, setOpen] = useState(false)
  return isOpen ? <Palette opened onClose={closed} /> : <button onClick={() => setOpen(true)}>Open</button>
}

async function open(): Promise<HTMLElement> {
  await render(<Opened />)
  await userEvent.click(screen.getByRole('button', { name: 'Open' }))
  return screen.findByRole('combobox', { name: words.title })
}

function options(): readonly (string | null)[] {
  return screen.getAllByRole('option').map(({ textContent }) => textContent)
}

beforeEach(() => {
  closed.mockClear()
  ran.mockClear()
  answer({
    '/v1/projects/list': {
      projects: [{ ...shop, stages: [stage('dev'), stage('prod')] }],
    },
    '/v1/rolls/list': { rolls: [checkout, { ...checkout, name: 'DONE', chance: 0 }], more: false },
    '/v1/env/search': { variables: [] },
    '/identity/organization/list-members': { members: [grace] },
  })
})

const noop = (): void => undefined

/** What each page of an organization offers, as in the shell. */
function Everywhere() {
  useGlobalCommands({ openPalette: noop, openShortcuts: noop })
  return <Palette opened onClose={closed} />
}

/** Each word of another product with what it leads to first, among what a manager may do. */
const foreignWords = {
  [labels.pages.rolls]: [
    'percentage rollout',
    'rollout',
    'experiment',
    'flag',
    'toggle',
    'kill switch',
    'segment',
    'targeting',
    'canary',
    'a/b test',
  ],
  [labels.pages.changes]: ['schedule', 'pull request'],
  [labels.pages.usage]: ['billing', 'plan', 'quota', 'limits', 'analytics'],
  [labels.pages.audit]: ['logs', 'activity', 'siem'],
  [labels.pages.members]: ['team', 'users', 'people', 'seats'],
  [labels.pages.tokens]: ['service account', 'api key', 'token', 'machine user', 'rotate token', 'token rotate'],
  [labels.pages.keys]: ['client key', 'frontend'],
  [labels.pages.trusts]: ['workload identity', 'github actions', 'oidc'],
  [labels.pages.webhooks]: ['webhook', 'integrations', 'notifications', 'sync', 'slack'],
  [labels.pages.signIn]: ['sso', 'single sign-on', 'saml', 'okta', 'identity provider'],
  [labels.pages.groups]: ['scim'],
  [labels.commands.organizationAccess]: ['rbac', 'permissions', 'acl'],
  [labels.commands.invite]: ['invite', 'add user'],
  [labels.commands.newVariable('Shop')]: ['add secret', 'environment variable'],
  [labels.commands.newRoll('Shop')]: ['new roll', 'create flag', 'new flag', 'new switch'],
  [labels.commands.paste('Shop')]: ['import', 'env file', 'dotenv', '.env', 'bulk'],
  [labels.commands.theme(labels.themes.dark)]: ['dark mode', 'night'],
  [labels.commands.theme(labels.themes.light)]: ['light mode'],
  [labels.signOut]: ['logout'],
  [labels.documentation]: ['docs', 'help', 'manual', 'documentation'],
  [words.newStage('Shop')]: ['new environment'],
  [words.compare('Shop')]: ['clone', 'promote', 'diff', 'drift'],
  [words.rotateAny]: ['dynamic secret', 'regenerate', 'leaked'],
  [accountLabels.secondFactor.title]: ['2fa', 'mfa', 'two-factor', 'totp'],
  [accountLabels.passkeys.title]: ['webauthn'],
  [words.rename('Shop')]: ['rename', 'rename project'],
  [words.archive('Shop')]: ['archive', 'archive project'],
  [words.delete('Shop')]: ['delete project'],
  [words.mark('dev')]: ['mark dev'],
  [words.moveRight('dev')]: ['move dev'],
  [words.comparePair('dev', 'prod')]: ['dev prod'],
  'Command line': ['CLI', 'command line', 'terminal'],
  SDK: ['SDK', 'library', 'javascript', 'typescript'],
  'Flags in every language': ['python'],
  prodHistory: ['rollback', 'undo'],
  Export: ['export'],
  dev: ['environment'],
}

it('leads from the words of other products to what they mean', async () => {
  answer({
    '/v1/web/settings': { provider: 'embedded', companies: [] },
    '/v1/whoami': {},
    '/v1/projects/list': { projects: [{ ...shop, stages: [stage('dev'), { ...stage('prod'), isProduction: true }] }] },
    '/v1/rolls/list': { rolls: [], more: false },
    '/v1/env/search': { variables: [] },
    '/identity/organization/list-members': { members: [] },
  })
  await render(<Everywhere />)
  const input = await screen.findByRole('combobox', { name: words.title })
  await screen.findByRole('option', { name: labels.pages.roles })
  for (const [label, queries] of Object.entries(foreignWords)) {
    for (const query of queries) {
      fireEvent.change(input, { target: { value: query } })
      const first = () => screen.queryAllByRole('option')[0]?.textContent ?? ''
      await expect.poll(first, { message: `${query}: ${label}` }).toSatisfy((text: string) => text.startsWith(label))
    }
  }
})

it('knows other names only of what exists', () => {
  const known = [
    ...Object.values(labels.pages),
    ...Object.values(labels.commands).map((label) => (typeof label === 'string' ? label : label(''))),
    ...Object.values(labels.themes).map(labels.commands.theme),
    ...Object.values(words).filter((label) => typeof label === 'string'),
    ...Object.values(accountLabels).flatMap((part) =>
      typeof part === 'object' && typeof part.title === 'string' ? part.title : [],
    ),
    ...documentationPages.map(({ title }) => title),
    labels.createOrganization,
    labels.signOut,
    labels.documentation,
    tableLabels.newVariable,
    tableLabels.newRoll,
    tableLabels.newStage,
    tableLabels.paste,
    tableLabels.compareStages,
    tableLabels.showDeclared,
    tableLabels.access,
    copyLabels.promote('dev', 'prod'),
  ]
  const starts = Object.keys(words.otherNames)
  expect(starts.filter((start) => !known.some((label) => label.startsWith(start)))).toEqual([])
  expect(Object.keys(words.guides).filter((title) => !known.includes(title))).toEqual([])
})

it('closes by Escape', async () => {
  const input = await open()
  await userEvent.type(input, 'rev{Escape}')
  expect(closed).toHaveBeenCalledOnce()
})

it('has what was typed before it was there, of which nothing reached the page', async () => {
  const pressed = vi.fn<() => void>()
  collectTyping()
  await render(<input aria-label="Behind" onKeyDown={pressed} />)
  await userEvent.type(screen.getByRole('textbox', { name: 'Behind' }), 'rex{Backspace}v{Enter}')
  expect(pressed).not.toHaveBeenCalled()
  cleanup()
  const input = await open()
  await expect.poll(() => (input as HTMLInputElement).value).toBe('rev')
})

it('narrows "Stop a roll" to the rolls that serve A', async () => {
  const input = await open()
  await userEvent.type(input, 'stop{Enter}')
  expect((input as HTMLInputElement).value).toBe(words.stopRoll(''))
  await screen.findByRole('option', { name: /^Stop CHECKOUT/ })
  expect(screen.queryByRole('option', { name: /^Stop DONE/ })).toBeNull()
  expect(closed).not.toHaveBeenCalled()
})

it.each([
  ['grace', 'Grace Hopper', words.people],
  ['backup', 'Backups', words.documentation],
  ['passkey', 'Passkeys', 'Account'],
  ['password', 'Password', 'Account'],
])('finds by %s: %s', async (query, label, group) => {
  const input = await open()
  await userEvent.type(input, query)
  await screen.findByText(label)
  const found = within(screen.getByText(group).parentElement as HTMLElement)
  expect(found.queryByText(label)).not.toBeNull()
})

it('finds a service token by its name, with one request for all keys', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/tokens/list': { tokens: [{ id: 'token-1', name: 'Nightly deploy' }] },
    '/v1/env/search': { variables: [] },
  })
  await userEvent.type(await open(), 'nightly')
  await expect.poll(options).toEqual(['Nightly deploy'])
  expect(requests.filter(({ path }) => path === '/v1/tokens/list')).toHaveLength(1)
})

it('asks for no service tokens on behalf of people who manage nothing', async () => {
  const requests = answer({ '/v1/whoami': { role: 'member' }, '/v1/env/search': { variables: [] } })
  await userEvent.type(await open(), 'nightly')
  await screen.findByText(words.nothing('nightly'))
  expect(requests.map(({ path }) => path)).not.toContain('/v1/tokens/list')
})

it.each([
  ['undo', 'prodHistory in Shop'],
  ['revert', 'prodHistory in Shop'],
  ['rollback', 'prodHistory in Shop'],
  ['freeze', `${words.rules('prod')}Shop`],
  ['approvals', `${words.rules('prod')}Shop`],
  ['freeze', `${words.protect('dev')}Shop`],
])('finds by %s: %s', async (query, option) => {
  answer({
    '/v1/whoami': { verbs: [{ verbs: ['list', 'manage'] }] },
    '/v1/projects/list': {
      projects: [{ ...shop, stages: [stage('dev'), { ...stage('prod'), isProtected: true }] }],
    },
    '/v1/env/search': { variables: [] },
  })
  const input = await open()
  await userEvent.type(input, query)
  await expect.poll(options).toContain(option)
  expect(options().findIndex((each) => each === `${words.rules('prod')}Shop`)).toBeLessThanOrEqual(0)
})

it('lists the protection of production before that of other stages', async () => {
  answer({
    '/v1/whoami': {},
    '/v1/projects/list': { projects: [{ ...shop, stages: [stage('dev'), { ...stage('prod'), isProduction: true }] }] },
    '/v1/env/search': { variables: [] },
  })
  await userEvent.type(await open(), 'protect')
  const found = () => options().filter((each) => each?.startsWith('Protect '))
  await expect.poll(found).toEqual([`${words.protect('prod')}Shop`, `${words.protect('dev')}Shop`])
})

it.each([
  // A kind: its page, what begins with it, what is of the kind, and what names it; not by hidden words before these.
  ['roll', [labels.pages.rolls, 'ROLL_NAME', 'Open roll CHECKOUT', 'Open roll DONE', labels.commands.newRoll('Shop')]],
  ['token', [labels.pages.tokens, 'TOKEN_SECRET', labels.commands.newToken]],
  ['project', [labels.pages.projects, 'Shop', labels.commands.newProject]],
  // A whole name, and others that contain it.
  ['port', ['PORT', 'SUPPORT_EMAIL']],
  ['api', ['API_KEY', 'OLD_API']],
  ['prod', ['prod', 'prod', 'PROD_URL', words.protect('prod')]],
])('lists by %s first what names it: %s', async (query, expected) => {
  answer({
    '/v1/web/settings': { provider: 'embedded', companies: [] },
    '/v1/whoami': {},
    '/v1/projects/list': { projects: [{ ...shop, stages: [stage('dev'), stage('prod')] }] },
    '/v1/rolls/list': { rolls: [checkout, { ...checkout, name: 'DONE' }], more: false },
    '/identity/organization/list-members': { members: [] },
    '/v1/env/search': ({ query: part }: { query: string }) => ({
      variables: ['API_KEY', 'OLD_API', 'PORT', 'PROD_URL', 'ROLL_NAME', 'SUPPORT_EMAIL', 'TOKEN_SECRET']
        .filter((name) => name.toLowerCase().includes(part))
        .map((name) => ({ projectSlug: 'shop', stageSlug: 'dev', name, kind: 'secret' })),
    }),
  })
  await render(<Everywhere />)
  const input = await screen.findByRole('combobox', { name: words.title })
  await screen.findByText(labels.pages.roles)
  fireEvent.change(input, { target: { value: query } })
  const first = () => options().slice(0, expected.length)
  await expect
    .poll(first)
    .toSatisfy((found: readonly string[]) => expected.every((label, at) => found[at]?.startsWith(label)))
})

it('leads to a stage by its name, and to the history of it after that', async () => {
  const input = await open()
  await userEvent.type(input, 'prod')
  await expect.poll(() => options().slice(0, 2)).toEqual(['prodShop', 'prodHistory in Shop'])
})

it('narrows "Rotate a secret" to the secrets that the person may write, in each of their stages', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/projects/list': {
      projects: [{ ...shop, stages: [stage('dev'), stage('prod')] }],
    },
    '/v1/env/search': {
      variables: ['dev', 'prod'].flatMap((stageSlug) => [
        { projectSlug: 'shop', stageSlug, name: 'API_KEY', kind: 'secret' },
        { projectSlug: 'shop', stageSlug, name: 'API_ROLL', kind: 'ab_roll' },
      ]),
    },
  })
  const input = await open()
  await userEvent.type(input, 'rotate{Enter}')
  expect((input as HTMLInputElement).value).toBe(words.rotate(''))
  await userEvent.type(input, 'api')
  await expect.poll(options).toEqual(['Rotate API_KEYshop · dev', 'Rotate API_KEYshop · prod'])
  expect(requests.findLast(({ path }) => path === '/v1/env/search')?.body).toMatchObject({ query: 'api' })
})

it('lists pages to read after variables, and not before these are found', async () => {
  answer({
    '/v1/whoami': {},
    '/v1/env/search': { variables: [{ projectSlug: 'shop', stageSlug: 'dev', name: 'BACKUP_KEY', kind: 'secret' }] },
  })
  const input = await open()
  fireEvent.change(input, { target: { value: 'backup' } })
  expect(screen.queryByText('Backups')).toBeNull()
  await screen.findByText('Backups')
  expect(options()[0]).toMatch(/^BACKUP_KEY/)
})

/** Opens the palette with what all pages know, where a search finds these variables. Returns its input. */
async function openEverywhere(...names: readonly string[]): Promise<HTMLElement> {
  answer({
    '/v1/web/settings': { provider: 'embedded', companies: [] },
    '/v1/whoami': {},
    '/v1/projects/list': { projects: [{ ...shop, stages: [stage('dev')] }] },
    '/v1/rolls/list': { rolls: [], more: false },
    '/identity/organization/list-members': { members: [] },
    '/v1/env/search': {
      variables: names.map((name) => ({ projectSlug: 'shop', stageSlug: 'dev', name, kind: 'secret' })),
    },
  })
  await render(<Everywhere />)
  const input = await screen.findByRole('combobox', { name: words.title })
  await screen.findByText(labels.pages.roles)
  return input
}

it('lists a variable whose name begins with the query before what matches by another word', async () => {
  const input = await openEverywhere('API_KEY', 'OLD_API')
  fireEvent.change(input, { target: { value: 'api' } })
  await expect.poll(() => options()[0]).toBe('API_KEYshop · dev')
  expect(options()).toContain(labels.pages.tokens)
})

it('lists only what begins with the query before such a variable, also in the group of a page that begins with it', async () => {
  const input = await openEverywhere('ROLE_NAME')
  fireEvent.change(input, { target: { value: 'role' } })
  await screen.findByText('ROLE_NAME')
  const at = options().indexOf('ROLE_NAMEshop · dev')
  const before = options().slice(0, at)
  expect(before).toContain(labels.pages.roles)
  expect(before.filter((text) => text?.toLowerCase().startsWith('role') === false)).toEqual([])
  // What matches by another word, in the group of that page.
  expect(options().slice(at)).toContain(labels.pages.tokens)
})

it('finds a variable whose name is mistyped by one letter, after what matches', async () => {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/env/search': ({ query }: { query: string }) => ({
      variables: ['NEW_CHECKOUT', 'NEW_CHECKLIST']
        .filter((name) => name.toLowerCase().includes(query))
        .map((name) => ({ projectSlug: 'shop', stageSlug: 'dev', name, kind: 'secret' })),
    }),
  })
  const input = await open()
  fireEvent.change(input, { target: { value: 'NEW_CHEKOUT' } })
  await expect
    .poll(() => screen.queryAllByRole('option').map(({ textContent }) => textContent))
    .toEqual(['NEW_CHECKOUTshop · dev'])
  expect(
    requests.filter(({ path }) => path === '/v1/env/search').map(({ body }) => (body as { query: string }).query),
  ).toEqual(['new_chekout', 'che', 'out'])
})

it('names its list from the beginning, and none while nothing matches', async () => {
  const input = await open()
  const list = screen.getByRole('listbox', { name: words.title })
  expect([input.getAttribute('aria-controls'), input.ariaExpanded]).toEqual([list.id, 'true'])
  await userEvent.type(input, 'zzz')
  await screen.findByText(words.nothing('zzz'))
  expect(screen.queryByRole('listbox')).toBeNull()
  expect([input.getAttribute('aria-controls'), input.ariaExpanded]).toEqual([screen.getByRole('status').id, 'false'])
  await userEvent.clear(input)
  await expect.poll(() => screen.queryByRole('listbox')?.id).toBe(input.getAttribute('aria-controls'))
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(closed).toHaveBeenCalledOnce()
})

it('says what it searches when nothing matches', async () => {
  const input = await open()
  await userEvent.type(input, 'zzz')
  await screen.findByText(words.nothing('zzz'))
  expect(screen.queryByText(words.nothingHint)).not.toBeNull()
})

it('follows the commands of a page that loads while it is open, and lists them first', async () => {
  function Page() {
    const [isLoaded, setLoaded] = useState(false)
    useWindowEvent('online', () => setLoaded(true))
    useCommands(isLoaded ? [{ label: 'New variable', run: ran }] : [])
    return <Palette opened onClose={closed} />
  }
  await render(<Page />)
  await screen.findAllByRole('option')
  expect(screen.queryByRole('option', { name: 'New variable' })).toBeNull()
  act(() => void globalThis.dispatchEvent(new Event('online')))
  await screen.findByRole('option', { name: 'New variable' })
  expect(options()[0]).toContain('New variable')
})

it('lists recent choices first', async () => {
  const input = await open()
  expect(options()[0]).not.toContain('Reveal everything')
  await userEvent.type(input, 'reveal{Enter}')
  await expect.poll(() => ran).toHaveBeenCalledOnce()
  cleanup()
  await open()
  expect(screen.queryByText(words.recent)).not.toBeNull()
  expect(options()[0]).toContain('Reveal everything')
})
