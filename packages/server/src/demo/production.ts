/** The last week of the demo: production is protected, and its changes are proposed and approved. */
import type { Cast, Scene } from './scene.ts'

const prod = { projectSlug: 'shop', stageSlug: 'prod' }
const dayMs = 24 * 3_600_000

/** Plays what happens in production on a day. */
export async function playProduction(scene: Scene, day: number): Promise<void> {
  if (day === 23) await protect(scene)
  if (day === 25) await raisePrices(scene)
  if (day === 30) await leaveOpen(scene)
}

async function protect({ call, goTo, idOf }: Scene): Promise<void> {
  goTo(23, 14)
  const { id } = await call('ada', 'groupCreate', { name: 'On call' })
  const add = [
    { kind: 'user', id: idOf('grace') },
    { kind: 'user', id: idOf('katherine') },
  ]
  await call('ada', 'groupMembers', { id, add })
  const roles = [
    [{ kind: 'group', id }, 'releaser'],
    [{ kind: 'user', id: idOf('ada') }, 'releaser'],
    [{ kind: 'user', id: idOf('alan') }, 'developer'],
  ] as const
  for (const [principal, role] of roles) await call('ada', 'accessGrant', { principal, ...prod, role })
  await call('ada', 'stageProtect', { ...prod, isProtected: true, approvals: 1 })
}

/** Proposes a change and has it approved, and returns its id. */
async function approved(scene: Scene, by: keyof Cast, reviewer: keyof Cast, proposal: object): Promise<unknown> {
  const { id, digest } = await scene.call(by, 'changePropose', { ...prod, ...proposal })
  await scene.call(reviewer, 'changeReview', { ...prod, id, digest, verdict: 'approve' })
  return id
}

async function raisePrices(scene: Scene): Promise<void> {
  scene.goTo(25, 10)
  const entry = { name: 'PRICES', kind: 'secret', value: '{"standard":22,"premium":49}' }
  const id = await approved(scene, 'alan', 'ada', {
    reason: 'New price of the standard plan, from marketing',
    entries: [entry],
  })
  scene.goTo(25, 11)
  await scene.call('alan', 'changeApply', { ...prod, id })
}

/** Leaves a rollout at its first step, and two changes that wait for an approval. */
async function leaveOpen(scene: Scene): Promise<void> {
  scene.goTo(30, 9)
  // The first step is due once the demo serves.
  const steps = [0.25, 0.5, 1].map((chance, index) => ({ atMs: scene.endMs() + index * 2 * dayMs, chance }))
  await approved(scene, 'grace', 'ada', {
    reason: 'Reviews with photos, step by step',
    ramp: { name: 'PHOTO_REVIEWS', steps },
  })
  scene.goTo(30, 10)
  const updates = [{ name: 'BUTTON_COLOR', chance: 1 }]
  await scene.call('katherine', 'changePropose', { ...prod, reason: 'Green sells more: green for everyone', updates })
  scene.goTo(30, 11)
  const rotated = { name: 'SMTP_PASSWORD', kind: 'secret', value: 'mail-2' }
  await scene.call('alan', 'changePropose', { ...prod, reason: 'New password of the mail account', entries: [rotated] })
}
