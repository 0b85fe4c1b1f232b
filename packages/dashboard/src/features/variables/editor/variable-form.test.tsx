import type { Digested } from '@rollkey/contract'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useQuery } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { ChangesContext, type Changes } from '../../../data/unsaved-changes/changes-context.ts'
import { digestsQuery } from '../../../data/variables/queries.ts'
import { useScope } from '../../../session/scope.ts'
import { newDraft, type FormStage } from './draft.ts'
import { labels } from './labels.ts'
import { VariableForm } from './variable-form.tsx'
import { labels as uiLabels } from '../../../ui/labels.ts'
import { labels as partLabels } from '../../../parts/variables/labels.ts'

const onDone = vi.fn<() => void>()
const add = vi.fn<Changes['add']>()
const changes: Changes = { pending: [], add, remove: () => {}, accept: () => {}, review: () => {} }
const written = { created: [], updated: ['A'], deleted: [], revision: 2 }
const stored: Digested = { name: 'A', kind: 'secret', digests: { value: 'x' } }

function stage(stageSlug: string, variable?: Digested): FormStage {
  const rest = { createdAtMs: 0, revision: 1, isProduction: stageSlug === 'prod', variables: 1, updatedAtMs: 0 }
  return { stage: { stageSlug, name: stageSlug, ...rest }, variable, revision: 1, takenNames: new Set() }
}

/** Reads a stage, as the table behind the form does. */
function ReadDev() {
  useQuery(digestsQuery(useScope(), { projectSlug: 'shop', stageSlug: 'dev' }))
  return null
}

async function show(
  stages: readonly FormStage[],
  chosen: readonly string[],
  isNew = false,
  reads = false,
): Promise<void> {
  onDone.mockReset()
  add.mockReset()
  const like = stages.find(({ variable }) => variable)?.variable
  await render(
    <ChangesContext value={changes}>
      {reads && <ReadDev />}
      <VariableForm
        projectSlug="shop"
        stages={stages}
        initial={newDraft(isNew ? '' : 'A', chosen, like)}
        isNew={isNew}
        onDone={onDone}
        onCancel={() => {}}
      />
    </ChangesContext>,
  )
}

function writes(requests: ReturnType<typeof answer>): readonly unknown[] {
  return requests.filter(({ path }) => path === '/v1/env/write').map(({ body }) => body)
}

function save(): HTMLElement {
  return screen.getByRole('button', { name: /^Save to / })
}

function choose(label: string, value: string): Promise<void> {
  return userEvent.click(within(screen.getByRole('radiogroup', { name: label })).getByText(value))
}

function refusal(): Response {
  const error = { code: 'INVALID_REQUEST', message: 'The stage is full: delete variables.', requestId: 'request-1' }
  return Response.json({ error }, { status: 400 })
}

describe('templates', () => {
  const template = { ...stored, name: 'URL', template: true, sources: ['A'] }
  const contents = { variables: [stored, template, { ...stored, name: 'HOST' }], revision: 1 }

  it('names the templates that another value changes', async () => {
    answer({ '/v1/env/digests': contents })
    await show([stage('dev', stored)], ['dev'], false, true)
    expect(await screen.findByText(labels.writesTemplates(['URL'], ['dev']))).not.toBeNull()
  })

  it('offers the names of secrets while one is typed', async () => {
    answer({ '/v1/env/digests': contents })
    await show([stage('dev')], ['dev'], true, true)
    await userEvent.click(screen.getByRole('switch', { name: new RegExp(labels.template) }))
    const value = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Value' })
    await userEvent.click(value)
    await userEvent.paste('$${x} ${UR} at ${h')
    const offered = within(await screen.findByRole('group', { name: labels.sources }))
    expect(offered.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['HOST'])
    await userEvent.click(offered.getByRole('button'))
    expect(value.value).toBe('$${x} ${UR} at ${HOST}')
    expect(screen.queryByRole('group', { name: labels.sources })).toBeNull()
  })
})

describe('what a project declares', () => {
  const declared = { name: 'PORT', constraint: { format: 'port' }, updatedAtMs: 0, updatedBy: 'user' }
  const expected = 'be a port from 1 to 65535 (format port)'

  it('is shown, checked while the value is entered, and not saved otherwise', async () => {
    const requests = answer({ '/v1/env/write': written, '/v1/declarations/list': { declarations: [declared] } })
    await show([stage('dev')], ['dev'], true)
    await userEvent.type(screen.getByLabelText(/^Name/), 'PORT')
    expect(await screen.findByText(`Declared: it must ${expected}.`)).toBeDefined()
    await userEvent.type(screen.getByLabelText('Value'), '80a')
    expect(screen.getByText(labels.asDeclared(`must ${expected}`))).toBeDefined()
    await userEvent.click(save())
    expect(writes(requests)).toEqual([])
    await userEvent.type(screen.getByLabelText('Value'), '{backspace}')
    expect(screen.getByText(`Declared: it must ${expected}.`)).toBeDefined()
    await userEvent.click(save())
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(writes(requests)).toMatchObject([{ entries: [{ name: 'PORT', value: '80' }] }])
  })
})

it('focuses the button of a boolean value that the arrow keys move', async () => {
  answer({})
  await show([stage('dev', { ...stored, declaredType: 'boolean' })], ['dev'])
  const group = screen.getByRole('radiogroup', { name: 'Value' })
  expect(document.activeElement).toBe(within(group).getAllByRole('radio')[0])
})

describe('several stages', () => {
  it('get one value with one save, production last', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('prod'), stage('dev')], ['prod', 'dev'], true)
    await userEvent.type(screen.getByLabelText(/^Name/), 'A')
    await userEvent.type(screen.getByLabelText('Value'), '1')
    await userEvent.click(save())
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(writes(requests)).toMatchObject([
      { stageSlug: 'dev', mode: 'create_only', entries: [{ name: 'A', value: '1' }] },
      { stageSlug: 'prod', mode: 'create_only', entries: [{ name: 'A', value: '1' }] },
    ])
  })

  it('get a value each', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('dev', stored), stage('prod', stored)], ['dev', 'prod'])
    await choose(labels.valueMode, labels.valuePerStage)
    await userEvent.type(screen.getByLabelText('Value in dev'), '1')
    await userEvent.type(screen.getByLabelText('Value in prod'), '2')
    await userEvent.click(save())
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(writes(requests)).toMatchObject([
      { stageSlug: 'dev', mode: 'upsert', entries: [{ value: '1' }], ifRevision: 1 },
      { stageSlug: 'prod', mode: 'upsert', entries: [{ value: '2' }], ifRevision: 1 },
    ])
  })

  it('are offered where values are per stage, also production, which is not chosen by itself', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('dev', stored), stage('staging', stored), stage('prod', stored)], ['dev', 'staging'])
    await choose(labels.valueMode, labels.valuePerStage)
    await userEvent.click(screen.getByRole('button', { name: labels.addValueFor('prod') }))
    expect(document.activeElement).toBe(screen.getByLabelText('Value in prod'))
    for (const at of ['dev', 'staging', 'prod']) await userEvent.type(screen.getByLabelText(`Value in ${at}`), at)
    await userEvent.click(save())
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(writes(requests)).toMatchObject([
      { stageSlug: 'dev', entries: [{ value: 'dev' }] },
      { stageSlug: 'staging', entries: [{ value: 'staging' }] },
      { stageSlug: 'prod', entries: [{ value: 'prod' }] },
    ])
  })

  it('are reported one by one where one fails, and the input stays for the next attempt', async () => {
    let isDown = true
    const requests = answer({
      '/v1/env/write': ({ stageSlug }: { stageSlug: string }) => (stageSlug === 'prod' && isDown ? refusal() : written),
    })
    await show([stage('dev', stored), stage('prod', stored)], ['dev', 'prod'])
    await userEvent.type(screen.getByLabelText('Value'), '1')
    await userEvent.click(save())
    await screen.findByText(labels.savedAlready(['dev']))
    expect(screen.queryByText(partLabels.notSavedIn(['prod']))).not.toBeNull()
    expect(onDone).not.toHaveBeenCalled()
    isDown = false
    await userEvent.click(screen.getByRole('button', { name: 'Save to prod' }))
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(writes(requests)).toMatchObject([
      { stageSlug: 'dev' },
      { stageSlug: 'prod' },
      { stageSlug: 'prod', entries: [{ value: '1' }] },
    ])
  })

  it('tell once why none of them is saved', async () => {
    answer({ '/v1/env/write': refusal })
    await show([stage('dev', stored), stage('prod', stored)], ['dev', 'prod'])
    await userEvent.type(screen.getByLabelText('Value'), '1')
    await userEvent.click(save())
    await screen.findByText(partLabels.notSavedIn(['dev', 'prod']))
    expect(screen.getAllByRole('alert')).toHaveLength(1)
  })
})

describe('a boolean', () => {
  const flag: Digested = { ...stored, declaredType: 'boolean' }

  it('keeps its hidden value until true or false is chosen', async () => {
    const requests = answer({ '/v1/env/write': written, '/v1/env/update': { revision: 2 } })
    await show([stage('dev', flag)], ['dev'])
    expect(screen.getByRole<HTMLInputElement>('radio', { name: labels.keep }).checked).toBe(true)
    expect(save()).toHaveProperty('disabled', true)
    await userEvent.type(screen.getByLabelText(labels.description), 'Turns it on')
    await userEvent.click(save())
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(requests.filter(({ path }) => path.startsWith('/v1/env/'))).toEqual([
      {
        path: '/v1/env/update',
        body: expect.objectContaining({ updates: [{ name: 'A', description: 'Turns it on' }] }),
      },
    ])
  })

  it('is not added to a stage without a choice', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('dev', flag), stage('prod')], ['prod'])
    await userEvent.click(save())
    expect(screen.queryByText(labels.advice.boolean)).not.toBeNull()
    expect(writes(requests)).toEqual([])
    await choose('Value', 'false')
    await userEvent.click(save())
    await expect.poll(() => onDone).toHaveBeenCalledOnce()
    expect(writes(requests)).toMatchObject([{ entries: [{ value: 'false' }] }])
  })
})

describe('a new roll', () => {
  const type = () => screen.getByLabelText<HTMLSelectElement>('Type').value
  const visibility = (name: string) =>
    within(screen.getByRole('radiogroup', { name: 'Visibility' })).getByLabelText(name)

  it('begins as a feature switch, plain, which serves false to all until someone raises its chance', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('dev')], ['dev'], true)
    await userEvent.type(screen.getByLabelText(/^Name/), 'B')
    await choose('Kind', 'A/B roll')
    await userEvent.click(save())
    const facts = { declaredType: 'boolean', exposure: 'plain' }
    const flagEntry = { kind: 'ab_roll', valueA: 'true', valueB: 'false', chance: 0, ...facts }
    await expect.poll(() => writes(requests)).toMatchObject([{ entries: [flagEntry] }])
  })

  it('becomes what a new variable of one value is, if nothing else was chosen', async () => {
    answer({})
    await show([stage('dev')], ['dev'], true)
    for (const [kind, declaredType, exposure] of [
      ['A/B roll', 'boolean', 'Plain'],
      ['One value', '', 'Secret'],
      ['A/B roll', 'boolean', 'Plain'],
    ] as const) {
      await choose('Kind', kind)
      expect(type()).toBe(declaredType)
      expect((visibility(exposure) as HTMLInputElement).checked).toBe(true)
    }
  })

  it('keeps a visibility and a type that a person chose', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('dev')], ['dev'], true)
    await userEvent.type(screen.getByLabelText(/^Name/), 'B')
    await choose('Visibility', 'Plain')
    await choose('Visibility', 'Secret')
    await choose('Kind', 'A/B roll')
    await userEvent.click(save())
    const flagEntry = { valueA: 'true', valueB: 'false', declaredType: 'boolean', exposure: 'secret' }
    await expect.poll(() => writes(requests)).toMatchObject([{ entries: [flagEntry] }])
  })

  it('leaves nothing of a switch where a person makes it untyped', async () => {
    answer({})
    await show([stage('dev')], ['dev'], true)
    await choose('Kind', 'A/B roll')
    await userEvent.selectOptions(screen.getByLabelText('Type'), '')
    const values = ['Value A', 'Value B'].map((label) => screen.getByLabelText<HTMLTextAreaElement>(label).value)
    expect(values).toEqual(['', ''])
    expect((visibility('Secret') as HTMLInputElement).checked).toBe(true)
  })

  it('stays untyped where a person chose that', async () => {
    answer({})
    await show([stage('dev')], ['dev'], true)
    await userEvent.selectOptions(screen.getByLabelText('Type'), 'boolean')
    await userEvent.selectOptions(screen.getByLabelText('Type'), '')
    await choose('Kind', 'A/B roll')
    await userEvent.type(screen.getByLabelText('Value A'), 'true')
    await userEvent.type(screen.getByLabelText('Value B'), 'false')
    expect(type()).toBe('')
    expect((visibility('Secret') as HTMLInputElement).checked).toBe(true)
    expect(screen.getByRole('button', { name: 'Make it boolean' })).not.toBeNull()
  })

  const flag: Digested = {
    name: 'A',
    kind: 'ab_roll',
    chance: 0.5,
    declaredType: 'boolean',
    digests: { a: 'x', b: 'y' },
  }

  it('takes the opposite of one side for the other', async () => {
    const requests = answer({ '/v1/env/write': written })
    await show([stage('dev', flag), stage('prod')], ['prod'], true)
    await userEvent.type(screen.getByLabelText(/^Name/), 'B')
    await choose('Value A', 'false')
    await choose('Value A', 'true')
    await userEvent.click(save())
    await expect.poll(() => writes(requests)).toMatchObject([{ entries: [{ valueA: 'true', valueB: 'false' }] }])
  })
})

it('has one button that saves, which names the chosen stages', async () => {
  answer({})
  await show([stage('dev'), stage('staging'), stage('prod')], ['dev', 'staging'], true)
  const names = () => screen.getAllByRole('button', { name: /^Save/ }).map(({ textContent }) => textContent)
  expect(names()).toEqual(['Save to dev and staging'])
  await userEvent.click(screen.getByRole('checkbox', { name: /^prod/ }))
  expect(names()).toEqual(['Save to prod and 2 other stages'])
})

it('asks for the name, the value and the stages of a new variable before what may stay as it is', async () => {
  answer({})
  await show([stage('dev'), stage('staging'), stage('prod')], ['dev', 'staging'], true)
  const fields = [
    screen.getByLabelText(/^Name/),
    screen.getByRole('radiogroup', { name: labels.kind }),
    screen.getByRole('radiogroup', { name: labels.valueMode }),
    screen.getByLabelText('Value'),
    screen.getByRole('button', { name: partLabels.generate.button }),
    screen.getByRole('checkbox', { name: /^prod/ }),
    screen.getByRole('radiogroup', { name: labels.exposure }),
    screen.getByLabelText(labels.type),
    screen.getByRole('switch', { name: new RegExp(labels.template) }),
    screen.getByLabelText(labels.description),
  ]
  const inOrder = fields.toSorted((one, other) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  )
  expect(inOrder).toEqual(fields)
})

it('says which type a number has in code', async () => {
  await show([stage('dev')], ['dev'], true)
  expect(screen.queryByRole('option', { name: 'whole number (bigint in code)' })).not.toBeNull()
  expect(screen.queryByRole('option', { name: 'number (number in code)' })).not.toBeNull()
})

it('folds the description of a new variable, and shows the one that is there', async () => {
  const descriptionFold = () => screen.getByLabelText(labels.description).closest('details')
  await show([stage('dev')], ['dev'], true)
  expect(descriptionFold()?.open).toBe(false)
  cleanup()
  await show([stage('dev', stored)], ['dev'])
  expect(descriptionFold()).toBeNull()
})

it('describes the visibility and the type each by its hint', async () => {
  await show([stage('dev')], ['dev'], true)
  const visibility = (description: string) => screen.queryByRole('radiogroup', { name: labels.exposure, description })
  expect(visibility(partLabels.exposureHints.secret)).not.toBeNull()
  expect(screen.queryByRole('combobox', { name: labels.type, description: labels.typeHint })).not.toBeNull()
  await choose(labels.exposure, labels.exposures.plain)
  expect(visibility(partLabels.exposureHints.plain)).not.toBeNull()
})

it('says which stages a shared value is for, and which do not get it', async () => {
  answer({})
  await show([stage('dev'), stage('staging'), stage('prod')], ['dev', 'staging'], true)
  screen.getByText('For dev and staging, not for prod.')
  screen.getByText('Same in chosen stages')
  await userEvent.click(screen.getByRole('checkbox', { name: /^prod/ }))
  expect(screen.queryByText(/not for prod/)).toBeNull()
})

it.each(['plain', 'client'] as const)('asks before it shows a stored value to more people: %s', async (exposure) => {
  const requests = answer({ '/v1/env/update': { revision: 2 } })
  await show([stage('dev', stored)], ['dev'])
  await choose(labels.exposure, labels.exposures[exposure])
  await userEvent.click(save())
  expect(requests.map(({ path }) => path)).not.toContain('/v1/env/update')
  await userEvent.click(await screen.findByRole('button', { name: labels.expose(exposure) }))
  await expect.poll(() => onDone).toHaveBeenCalledOnce()
  expect(requests.find(({ path }) => path === '/v1/env/update')?.body).toMatchObject({
    updates: [{ name: 'A', exposure }],
  })
})

it('offers no template of true and false', async () => {
  await show([stage('dev')], ['dev'], true)
  const template = () => screen.queryByRole('switch', { name: new RegExp(labels.template) })
  expect(template()).not.toBeNull()
  await userEvent.selectOptions(screen.getByLabelText(/^Type/), 'boolean')
  expect(template()).toBeNull()
})

it('leads to the variable that has the name of a new one', async () => {
  const onOpen = vi.fn<(stored: object) => void>()
  const dev = { ...stage('dev'), takenNames: new Set(['SIZE', 'DRAFTED']), storedNames: new Set(['SIZE']) }
  await render(
    <ChangesContext value={changes}>
      <VariableForm
        projectSlug="shop"
        stages={[dev]}
        initial={newDraft('', ['dev'])}
        isNew
        onDone={onDone}
        onCancel={() => {}}
        onOpen={onOpen}
      />
    </ChangesContext>,
  )
  await userEvent.type(screen.getByLabelText(/^Name/), 'SIZE')
  expect(screen.queryByText(labels.nameTaken(['dev']))).not.toBeNull()
  await userEvent.click(screen.getByRole('button', { name: labels.openTaken('SIZE') }))
  expect(onOpen).toHaveBeenCalledWith({ stageSlug: 'dev', name: 'SIZE' })
  await userEvent.clear(screen.getByLabelText(/^Name/))
  await userEvent.type(screen.getByLabelText(/^Name/), 'DRAFTED')
  expect(screen.queryByText(labels.nameTaken(['dev']))).not.toBeNull()
  expect(screen.queryByRole('button', { name: labels.openTaken('DRAFTED') })).toBeNull()
})

it('accepts a name that cannot be an environment variable only with the switch', async () => {
  const requests = answer({ '/v1/env/write': written })
  await show([stage('dev')], ['dev'], true)
  await userEvent.type(screen.getByLabelText(/^Name/), 'my.key')
  await userEvent.type(screen.getByLabelText('Value'), '1')
  await userEvent.click(save())
  expect(screen.queryByText(labels.unusualName)).not.toBeNull()
  expect(writes(requests)).toEqual([])
  await userEvent.click(screen.getByRole('switch', { name: new RegExp(labels.anyName) }))
  await userEvent.click(save())
  await expect.poll(() => onDone).toHaveBeenCalledOnce()
})

it('saves a value without the line break of an Enter at its end, and says that one of several lines has one', async () => {
  const requests = answer({ '/v1/env/write': written })
  await show([stage('dev')], ['dev'], true)
  await userEvent.type(screen.getByLabelText(/^Name/), 'KEY')
  const value = screen.getByLabelText('Value')
  await userEvent.type(value, 'a{Enter}b{Enter}')
  expect(screen.queryByText(uiLabels.endsWithBreak)).not.toBeNull()
  await userEvent.clear(value)
  await userEvent.type(value, 'k-prod-1{Enter}')
  expect(screen.queryByText(uiLabels.endsWithBreak)).toBeNull()
  await userEvent.click(save())
  await expect.poll(() => writes(requests)).toMatchObject([{ entries: [{ name: 'KEY', value: 'k-prod-1' }] }])
})

it('adds a change to those that wait for the review, but not one whose value is hidden', async () => {
  answer({})
  await show([stage('dev', stored), stage('prod', stored)], ['dev'])
  await userEvent.type(screen.getByLabelText(labels.description), 'What it is for')
  expect(screen.getByRole('button', { name: labels.addToDraft })).toHaveProperty('disabled', true)
  await userEvent.type(screen.getByLabelText('Value'), '1')
  await userEvent.click(screen.getByRole('checkbox', { name: /^prod/ }))
  await userEvent.click(screen.getByRole('button', { name: labels.addToDraft }))
  expect(add).toHaveBeenCalledExactlyOnceWith([
    expect.objectContaining({ stageSlug: 'dev', before: stored, seen: 1 }),
    expect.objectContaining({ stageSlug: 'prod', entry: expect.objectContaining({ value: '1' }) }),
  ])
  expect(onDone).toHaveBeenCalledOnce()
})
