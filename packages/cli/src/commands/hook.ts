import { exit, CliError, usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { removal } from '../frame/removal.ts'
import { agoText, shownTime } from '../frame/time.ts'
import { valueOf } from '../frame/value-input.ts'

const formats = ['standard', 'slack', 'mattermost', 'discord', 'teams'] as const

interface CreateOptions {
  readonly format?: string
  readonly event?: readonly string[]
  readonly in?: string
}

type Hooks = Awaited<ReturnType<Context['service']>>['manage']['hooks']
type NewHook = Parameters<Hooks['create']>[0]
type Hook = Awaited<ReturnType<Hooks['list']>>['hooks'][number]
type Delivery = Awaited<ReturnType<Hooks['test']>>

async function hooksOf(context: Context): Promise<Hooks> {
  return (await context.service()).manage.hooks
}

const hookCreate = command<CreateOptions>({
  name: 'hook create',
  args: '<NAME> [URL]',
  summary: 'Create a webhook, which receives what happens from now on; without URL, it is asked for or read',
  target: 'organization',
  options: [
    ['--format <format>', `${formats.join(', ')} (default: standard, signed JSON; the others are messages in a chat)`],
    ['--event <event...>', 'only these events, such as variables.changed or change.* (default: all)'],
    ['--in <place>', 'only events of a project or a stage, such as shop or shop/prod'],
  ],
  examples: [
    [
      'hook create Deploys https://ci.example.com/rollkey --event variables.changed --in shop/prod',
      'prints its secret',
    ],
    ['hook create Team --format slack', 'asks for the URL, which is a secret of the chat'],
  ],
  async run(context, [name = '', argument], options) {
    const { out } = context
    const format = formats.find((each) => each === (options.format ?? 'standard'))
    if (!format) throw usage(`Unknown format ${JSON.stringify(options.format)} (expected ${formats.join(', ')})`)
    if (argument !== undefined && format !== 'standard')
      throw usage('Other programs could read the secret URL of a chat here: leave it out, or pass it by stdin')
    const [projectSlug, stageSlug] = options.in?.split('/') ?? []
    const request = {
      name,
      url: await valueOf(context, 'the URL', argument, {}),
      format,
      ...(options.event && { events: options.event as NonNullable<NewHook['events']> }),
      ...(projectSlug !== undefined && { within: { projectSlug, ...(stageSlug !== undefined && { stageSlug }) } }),
    }
    const { requestId: _, ...hook } = await (await hooksOf(context)).create(request)
    if (out.isJson) return out.json(hook)
    if (format === 'standard') out.line(hook.secret)
    out.note(
      format === 'standard'
        ? `Receivers verify messages with this secret, which is not shown again. The id is ${hook.id}.`
        : `The id is ${hook.id}.`,
    )
    out.note(`Send a test: rollkey hook test ${hook.id}`)
  },
})

function stateOf({ offSinceMs, failure, waiting }: Hook): string {
  if (offSinceMs !== undefined) return `off since ${agoText(offSinceMs)}${failure === undefined ? '' : `: ${failure}`}`
  if (failure !== undefined) return `failing: ${failure}`
  return waiting === 0 ? 'ok' : `${waiting} waiting`
}

const hookList = command({
  name: 'hook list',
  summary: 'List the webhooks of the organization, and how they are',
  target: 'organization',
  examples: [
    ['hook list', 'where they send, what they receive, and whether it arrives'],
    ['hook list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { hooks } = await (await hooksOf(context)).list()
    if (out.isJson) return out.json({ hooks })
    const rows = hooks.map((each) => [
      each.id,
      each.name,
      each.format,
      each.target,
      [
        each.within?.projectSlug ?? '(all)',
        ...(each.within?.stageSlug === undefined ? [] : [each.within.stageSlug]),
      ].join('/'),
      each.events.join(' ') || '(all)',
      stateOf(each),
    ])
    out.table(['id', 'name', 'format', 'target', 'place', 'events', 'state'], rows)
    if (rows.length === 0) out.note('There are no webhooks. Create one with rollkey hook create.')
  },
})

/** Prints what a receiver answered. Fails unless it accepted the message. */
function print({ out }: Context, answer: Delivery): void {
  const { requestId: _, ...delivery } = answer
  const { eventId, failure, status, durationMs } = delivery
  if (out.isJson) out.json(delivery)
  if (failure !== undefined)
    throw new CliError('NOT_DELIVERED', `The receiver did not accept ${eventId}: ${failure}`, {
      status: exit.error,
      command: 'rollkey hook deliveries ID',
    })
  if (!out.isJson) out.note(`The receiver accepted ${eventId} with ${status} in ${durationMs} ms.`)
}

const hookTest = command({
  name: 'hook test',
  args: '<ID>',
  summary: 'Send a test to a webhook, and print what it answered',
  target: 'organization',
  examples: [['hook test hok_1a2b', 'rollkey hook list shows the ids']],
  run: async (context, [id = '']) => print(context, await (await hooksOf(context)).test({ id })),
})

const hookRedeliver = command({
  name: 'hook redeliver',
  args: '<ID> <EVENT>',
  summary: 'Send one of the last messages of a webhook again, under its id',
  target: 'organization',
  examples: [['hook redeliver hok_1a2b evt_org_1a2b_7', 'rollkey hook deliveries shows the messages']],
  run: async (context, [id = '', eventId = '']) =>
    print(context, await (await hooksOf(context)).redeliver({ id, eventId })),
})

const hookDeliveries = command({
  name: 'hook deliveries',
  args: '<ID>',
  summary: 'List the last messages that were sent to a webhook, newest first',
  target: 'organization',
  examples: [['hook deliveries hok_1a2b', 'what was answered, how fast, and why a message failed']],
  async run(context, [id = '']) {
    const { out } = context
    const { deliveries } = await (await hooksOf(context)).deliveries({ id })
    if (out.isJson) return out.json({ deliveries })
    const rows = deliveries.map((each) => [
      shownTime(out, each.atMs),
      each.type,
      each.failure ?? String(each.status),
      `${each.durationMs} ms`,
      String(each.attempts),
      each.eventId,
    ])
    out.table(['sent', 'event', 'answer', 'took', 'attempts', 'id'], rows)
    if (rows.length === 0) out.note('Nothing was sent yet.')
  },
})

/** Declares the command that switches a webhook on or off. */
const switching = (word: 'on' | 'off', summary: string, about: string) =>
  command({
    name: `hook ${word}`,
    args: '<ID>',
    summary,
    target: 'organization',
    examples: [[`hook ${word} hok_1a2b`, about]],
    async run(context, [id = '']) {
      const { out } = context
      const { requestId: _, ...hook } = await (await hooksOf(context)).update({ id, isOn: word === 'on' })
      if (out.isJson) return out.json(hook)
      out.note(`${hook.name} is ${word}.`)
    },
  })

const hookRotate = command({
  name: 'hook rotate',
  args: '<ID>',
  summary: 'Replace the signing secret of a webhook; the former one signs too for another day',
  target: 'organization',
  examples: [['hook rotate hok_1a2b', 'prints the new secret']],
  async run(context, [id = '']) {
    const { out } = context
    const { secret } = await (await hooksOf(context)).rotate({ id })
    if (out.isJson) return out.json({ id, secret })
    out.line(secret)
    out.note('For a day, messages are signed with this secret and with the former one.')
  },
})

const hookDelete = removal({
  name: 'hook delete',
  args: '<ID>',
  summary: 'Delete a webhook',
  target: 'organization',
  examples: [['hook delete hok_1a2b --yes', 'rollkey hook list shows the ids']],
  async find(context, [id = '']) {
    const hooks = await hooksOf(context)
    return { what: id, effect: 'Its receiver gets nothing more.', key: { id }, remove: () => hooks.delete({ id }) }
  },
})

export const hookCommands = [
  hookCreate,
  hookList,
  hookTest,
  hookDeliveries,
  hookRedeliver,
  switching('on', 'Switch a webhook on, from now on', 'after three days of failures it is off'),
  switching('off', 'Switch a webhook off', 'what happens until it is on again is not sent'),
  hookRotate,
  hookDelete,
]
