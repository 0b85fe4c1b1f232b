import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { contextOf, contextOption, onRoll } from '../frame/roll.ts'

interface Options {
  readonly seed?: string
  readonly key?: string
  readonly context?: string
}

export const rollExplain = command<Options>({
  name: 'roll explain',
  args: '<NAME>',
  summary: 'Explain which step of an A/B roll decides for a user',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--seed <seed>', 'user, such as a user id'], ['--key <key>', 'experiment'], contextOption],
  examples: [
    ['roll explain NEW_CHECKOUT --seed user-1', 'such as: B, because chance: 0.31 ≥ 0.2'],
    [`roll explain NEW_CHECKOUT --seed user-1 --context '{"plan": "pro"}'`, 'such as: A, because rule 1'],
  ],
  async run(context, [name = ''], { seed, key, context: json }) {
    const { out } = context
    const client = await context.stage()
    const roll = { seed, key, context: contextOf(json) }
    const explain = () => onRoll(client, name, () => client.explain(name, roll))
    const { requestId: _, ...explained } = await withConfirmation(context, client, explain)
    if (out.isJson) return out.json(explained)
    const { decision, text } = explained
    out.line(decision ? `${decision.toUpperCase()}, because ${text}` : text)
  },
})
