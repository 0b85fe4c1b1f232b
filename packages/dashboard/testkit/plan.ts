/** The stage of the plan. */
export const place = { projectSlug: 'shop', stageSlug: 'prod' }

/** A plan that sets the chance of one roll in half a day, as the service lists it. */
export const plan = {
  ...place,
  id: 'chg_1',
  state: 'open',
  reason: 'Roll out CHECKOUT',
  names: ['CHECKOUT'],
  nameCount: 1,
  needsYou: false,
  approvals: { required: 0, approvers: [], rejectors: [], isApproved: true },
  steps: [{ atMs: 0, chance: 0.75 }],
  stepsDone: 0,
  dueAtMs: Date.now() + 12 * 3_600_000,
}
