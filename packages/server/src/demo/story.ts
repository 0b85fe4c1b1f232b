/** What happens in the organization of the demo: a month of changes by five people, approvals at its end, and traffic. */
import type { EndpointName } from '@rollkey/contract'
import type { Progress } from '../base/progress.ts'
import { days } from './clock.ts'
import { playProduction } from './production.ts'
import type { Cast, Scene } from './scene.ts'
import { Traffic } from './traffic.ts'

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
    description: 'The checkout on one page.\nGrace decides at the end of the quarter whether it stays.',
  }),
]

function perStage(name: string): object[] {
  return [
    secret('DATABASE_URL', `postgres://shop@${name}.internal/shop`),
    secret('STRIPE_KEY', `stripe-${name}-1`, { description: 'Rotated by Ada.' }),
  ]
}

/** What the shop expects of its variables. Production lacks the last one. */
const declarations = [
  { name: 'DATABASE_URL', constraint: { format: 'uri', pattern: '^postgres://' }, required: 'all', owner: 'On call' },
  { name: 'STRIPE_KEY', required: 'all', owner: 'Ada Lovelace', rotateEveryDays: 90 },
  { name: 'LOG_LEVEL', constraint: { enum: ['debug', 'info', 'warn'] }, example: 'debug' },
  {
    name: 'SENTRY_DSN',
    description: 'Where errors go.',
    constraint: { format: 'uri' },
    required: 'production',
    example: 'https://key@sentry.example.com/1',
  },
]

const steps: readonly Step[] = [
  ...[dev, staging, prod].map((stage) => write(0, 'ada', stage, [...common, ...perStage(stage.stageSlug)])),
  write(0, 'grace', prod, [secret('LEGACY_SHIPPING_KEY', 'ship-1', { description: 'Key of a former carrier.' })]),
  ...[dev, staging, prod].map((stage) =>
    write(1, 'alan', stage, [secret('LOG_LEVEL', stage === dev ? 'debug' : 'info', { exposure: 'plain' })]),
  ),
  write(2, 'margaret', { ...mobile, stageSlug: 'dev' }, [secret('API_URL', 'https://dev.example.com')]),
  write(2, 'margaret', { ...mobile, stageSlug: 'prod' }, [secret('API_URL', 'https://example.com')]),
  setChance(3, 'grace', 'NEW_CHECKOUT', 0.05),
  write(5, 'alan', { projectSlug: 'reports', stageSlug: 'prod' }, [secret('SMTP_PASSWORD', 'mail-1')]),
  setChance(7, 'grace', 'NEW_CHECKOUT', 0.2),
  write(9, 'ada', prod, [secret('STRIPE_KEY', 'stripe-prod-2')]),
  setChance(11, 'alan', 'NEW_CHECKOUT', 0.5),
  setChance(12, 'grace', 'NEW_CHECKOUT', 0.2),
  write(14, 'katherine', prod, [roll('BUTTON_COLOR', 'green', 'blue', 0.5, { exposure: 'plain' })]),
  write(15, 'alan', dev, [], ['SMTP_PASSWORD']),
  write(16, 'grace', prod, [
    roll('PHOTO_REVIEWS', 'true', 'false', 0, {
      declaredType: 'boolean',
      exposure: 'plain',
      description: 'Photos in reviews.',
    }),
  ]),
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
  { day: 23, by: 'alan', endpoint: 'declarationSet', body: { ...shop, declarations } },
  { day: 24, by: 'ada', endpoint: 'projectUpdate', body: { projectSlug: 'reports', archived: true } },
  ...[dev, staging].map((stage) =>
    write(25, 'alan', stage, [
      secret('SENTRY_DSN', 'https://key@sentry.example.com/1', { description: 'Where errors go.' }),
    ]),
  ),
  ...['dev', 'prod'].map((stageSlug) =>
    write(26, 'margaret', { ...mobile, stageSlug }, [roll('ONBOARDING', 'tour', 'video', 0.5, { exposure: 'plain' })]),
  ),
]

/** Plays the story. `progress` receives its days. */
export async function live(scene: Scene, progress: Progress): Promise<void> {
  const traffic = new Traffic(scene)
  for (let day = 0; day <= days; day++) {
    const today = steps.filter((step) => step.day === day)
    const people = [...new Set(today.map(({ by }) => by))]
    for (const { by, endpoint, body } of today) {
      // What a person does in several stages is one save.
      scene.goTo(day, hourOf(day, people.indexOf(by)))
      await scene.call(by, endpoint, body)
    }
    await playProduction(scene, day)
    if (day === 24) await leaveHook(scene)
    await traffic.serve(day)
    progress(day, days)
  }
}

/** Leaves a webhook that is switched off, because a demo sends nothing to anyone. */
async function leaveHook({ call, goTo }: Scene): Promise<void> {
  goTo(24, 15)
  const { id } = await call('ada', 'hookCreate', {
    name: 'Deploys',
    url: 'https://ci.example.com/rollkey',
    events: ['variables.changed'],
    within: prod,
  })
  await call('ada', 'hookUpdate', { id, isOn: false })
}

/** Returns when people work (UTC): between 6 and 16 o'clock, later in the day for later steps. */
function hourOf(day: number, index: number): number {
  return 6 + ((day * 2.7) % 7) + index * 0.3
}
