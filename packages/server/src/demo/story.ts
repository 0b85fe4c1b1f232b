/** What happens in the organization of the demo: a month of changes by three people, and of traffic. */
import type { EndpointName } from '@rollkey/contract'
import type { DemoPerson } from './person.ts'

/** How long the story takes, in days. It starts that long ago. */
export const days = 30

export interface Cast {
  readonly ada: DemoPerson
  readonly grace: DemoPerson
  readonly alan: DemoPerson
}

interface Step {
  readonly day: number
  readonly by: keyof Cast
  readonly endpoint: EndpointName
  readonly body: object
}

const shop = { projectSlug: 'shop' }
const mobile = { projectSlug: 'mobile' }
const dev = { ...shop, stageSlug: 'dev' }
const staging = { ...shop, stageSlug: 'staging' }
const prod = { ...shop, stageSlug: 'prod' }

interface More {
  readonly declaredType?: string
  readonly exposure?: string
  readonly description?: string
}

function secret(name: string, value: string, more: More = {}): object {
  return { name, kind: 'secret', value, ...more }
}

function roll(name: string, valueA: string, valueB: string, chance: number, more: More = {}): object {
  return { name, kind: 'ab_roll', valueA, valueB, chance, ...more }
}

function write(day: number, by: keyof Cast, stage: object, entries: readonly object[], deletes: string[] = []): Step {
  return { day, by, endpoint: 'write', body: { ...stage, mode: 'upsert', entries, deletes } }
}

function setChance(day: number, by: keyof Cast, name: string, value: number): Step {
  return { day, by, endpoint: 'update', body: { ...prod, updates: [{ name, chance: value }] } }
}

const common = [
  secret('PAGE_SIZE', '20', {
    declaredType: 'int64',
    exposure: 'plain',
    description: 'Products on one page of a list.',
  }),
  secret('SHOW_REVIEWS', 'true', {
    declaredType: 'boolean',
    exposure: 'plain',
    description: 'Reviews below a product.',
  }),
  secret('SMTP_PASSWORD', 'mail-1', { description: 'Of the account that sends receipts.' }),
  secret('PRICES', '{"standard":19,"premium":49}', { declaredType: 'json', exposure: 'client' }),
  roll('NEW_CHECKOUT', 'true', 'false', 0, {
    declaredType: 'boolean',
    exposure: 'plain',
    description: 'The checkout on one page.\nGrace decides in May whether it stays.',
  }),
]

function perStage(name: string): object[] {
  return [
    secret('DATABASE_URL', `postgres://shop@${name}.internal/shop`),
    secret('STRIPE_KEY', `stripe-${name}-1`, { description: 'Rotated by Ada.' }),
  ]
}

const steps: readonly Step[] = [
  ...[dev, staging, prod].map((stage) => write(0, 'ada', stage, [...common, ...perStage(stage.stageSlug)])),
  write(1, 'alan', dev, [secret('LOG_LEVEL', 'debug', { exposure: 'plain' })]),
  write(2, 'grace', { ...mobile, stageSlug: 'dev' }, [secret('API_URL', 'https://dev.example.com')]),
  write(2, 'grace', { ...mobile, stageSlug: 'prod' }, [secret('API_URL', 'https://example.com')]),
  setChance(3, 'grace', 'NEW_CHECKOUT', 0.05),
  write(5, 'alan', { projectSlug: 'reports', stageSlug: 'prod' }, [secret('SMTP_PASSWORD', 'mail-1')]),
  setChance(7, 'grace', 'NEW_CHECKOUT', 0.2),
  write(9, 'ada', prod, [secret('STRIPE_KEY', 'stripe-prod-2')]),
  setChance(11, 'alan', 'NEW_CHECKOUT', 0.5),
  setChance(12, 'grace', 'NEW_CHECKOUT', 0.2),
  write(14, 'grace', prod, [roll('BUTTON_COLOR', 'green', 'blue', 0.5)]),
  write(15, 'alan', dev, [], ['SMTP_PASSWORD']),
  write(18, 'ada', staging, [secret('PRICES', '{"standard":21,"premium":49}', { declaredType: 'json' })]),
  setChance(20, 'grace', 'NEW_CHECKOUT', 0.5),
  {
    day: 22,
    by: 'ada',
    endpoint: 'copy',
    body: {
      from: { projectSlug: 'shop', stageSlug: 'staging' },
      to: { projectSlug: 'shop', stageSlug: 'prod' },
      names: ['PRICES'],
    },
  },
  { day: 24, by: 'ada', endpoint: 'projectUpdate', body: { projectSlug: 'reports', archived: true } },
  write(26, 'alan', { ...mobile, stageSlug: 'dev' }, [roll('ONBOARDING', 'tour', 'video', 0.3)]),
]

/** Evaluates for users of one part of a day. The number of users grows each day, and every seventh day has half as many. */
async function serve(program: DemoPerson, orgSlug: string, token: string, dayNumber: number): Promise<void> {
  const users = (40 + 4 * dayNumber) * (dayNumber % 7 === 6 ? 0.5 : 1)
  const names = dayNumber > 14 ? ['NEW_CHECKOUT', 'BUTTON_COLOR'] : ['NEW_CHECKOUT']
  const entries = names.flatMap((name) =>
    Array.from({ length: users }, (_, user) => ({ name, seed: `user-${dayNumber}-${user}`, key: 'shop' })),
  )
  await program.call('evaluateBatch', { orgSlug, ...prod, entries }, token)
  await program.call('pull', { orgSlug, ...prod }, token)
  await program.call('evaluate', { orgSlug, ...prod, name: 'PAGE_SIZE' }, token)
}

/** Plays the story. `goTo` sets the time to an hour of a day. */
export async function live(
  cast: Cast,
  orgSlug: string,
  goTo: (dayNumber: number, hour: number) => void,
): Promise<void> {
  let web = ''
  for (let dayNumber = 0; dayNumber < days; dayNumber++) {
    goTo(dayNumber, 9)
    for (const { by, endpoint, body } of steps.filter((step) => step.day === dayNumber)) {
      await cast[by].call(endpoint, { orgSlug, ...body })
    }
    if (dayNumber === 0) {
      const body = { orgSlug, name: 'web', ...prod, readOnly: true }
      web = String((await cast.ada.call('tokenCreate', body))['token'])
    }
    for (const hour of [10, 14, 18, 22]) {
      goTo(dayNumber, hour)
      await serve(cast.ada, orgSlug, web, dayNumber)
    }
  }
  await cast.grace.logIn('rollkey on grace-laptop')
}
