/** Changes of a stage that are proposed, reviewed and applied later (docs/change.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { changeStates, verdicts } from '../rules/changes.ts'
import { limits } from '../rules/limits.ts'
import { weekdays } from '../rules/time-zones.ts'
import { revealedEntry, state, updates, valueTexts, writeEntry } from '../variables.ts'
import { ok, stage, stageOfOrg, written, writeErrors, type Endpoint } from './endpoint.ts'

const change = { ...stage, id: field.changeId }
const changeRef = z.object(change).describe('A change of a stage').meta({ id: 'ChangeRef' })
const digest = z
  .string()
  .max(64)
  .describe('Digest of everything that is proposed: values, attributes, reason, time and the revision it is based on')
const applyAtMs = field.timeMs.describe('When it is applied by itself, Unix time in milliseconds')
const steps = z
  .array(
    z
      .object({
        atMs: field.timeMs.describe('Unix time in milliseconds'),
        chance: field.chance.describe('Probability of value A from then on, from 0 to 1'),
      })
      .describe('A step of a ramp')
      .meta({ id: 'RampStep' }),
  )
  .min(1)
  .max(limits.rampSteps)
  .refine(
    (all) => all.every(({ atMs }, index) => index === 0 || atMs > (all[index - 1]?.atMs ?? 0)),
    'must be in the order of their times',
  )
const guard = z
  .object({
    onMisfit: z.enum(['hold', 'abort']).describe('hold: the ramp is paused; abort: it ends at abortTo'),
    abortTo: field.chance.optional().describe('Probability of value A after an abort, from 0 to 1; absent: 0'),
  })
  .describe(
    'What happens before a step if chance alone does not explain which values were served since the last one; absent: the step is written',
  )
  .meta({ id: 'RampGuard' })
const notOn = z
  .array(z.enum(weekdays))
  .max(weekdays.length - 1)
  .describe('Days of the week on which no step falls after a pause; absent: none')
const zone = z.string().max(64).describe('Named time zone in which people planned the times, such as Europe/Berlin')

/** What a change writes. Each variable is named once. */
const content = {
  entries: z.array(writeEntry).max(limits.entries).optional().describe('Variables to create or update; absent: none'),
  deletes: z.array(field.name).max(limits.entries).optional().describe('Names of variables to delete; absent: none'),
  updates: updates.optional().describe('Variables that change without their values; absent: none'),
  copy: z
    .object({
      from: stageOfOrg.describe('Stage to copy from'),
      names: field.names(limits.entries),
      fromRevision: field.revision
        .optional()
        .describe('Copy only if the stage of `from` is at this revision; absent: at any'),
    })
    .optional()
    .describe('Variables to copy, with the values that they have now; absent: none'),
  restore: z
    .object({
      revision: z.number().int().min(1).describe('Revision to go back to'),
      names: field.names(limits.entries).optional().describe('Only these variables; absent: the whole stage'),
    })
    .optional()
    .describe('Variables to set to their state at an earlier revision; absent: none'),
  ramp: z
    .object({
      name: field.name,
      steps: steps.describe('Its steps, in the order of their times'),
      value: field.value
        .optional()
        .describe(
          'New value of a secret, which the steps rotate: first a roll of the new value (A) and the old one (B), after the last step, of chance 1, a secret with the new value; absent: the variable is a roll',
        ),
      guard: guard.optional(),
      notOn: notOn.optional(),
    })
    .meta({ id: 'Ramp', description: 'A roll whose chance changes step by step, or a secret that is rotated' })
    .optional()
    .describe(
      'A roll whose chance changes step by step, or a secret that is rotated, without other content; absent: none',
    ),
}

type Content = { readonly [Field in keyof typeof content]?: unknown }

const isPresent = ({ entries, deletes, updates: ofSome, copy, restore, ramp }: Content): boolean =>
  [entries, deletes, ofSome, copy, restore, ramp].some((each) => each !== undefined)

interface CopyTarget {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly copy?: { readonly from: z.output<typeof stageOfOrg> } | undefined
}

const copiesFromElsewhere = ({ projectSlug, stageSlug, copy }: CopyTarget): boolean =>
  copy?.from.projectSlug !== projectSlug || copy.from.stageSlug !== stageSlug
const copiesFromItself = { message: 'must be another stage', path: ['copy', 'from'] }

const changeState = z.enum(changeStates).meta({ id: 'ChangeState' })
const item = z
  .object({
    name: field.name,
    action: z
      .enum(['create', 'update', 'delete', 'chance'])
      .describe('What it does to the variable; chance: only its chance changes'),
    after: state
      .optional()
      .describe('State after the change, with digests in place of values; absent for delete and chance'),
    chance: field.chance.optional().describe('Chance after the change; absent except for the action chance'),
    before: state
      .optional()
      .describe('State now, with digests in place of values; absent if there is none, or if the change has settled'),
    plain: valueTexts
      .optional()
      .describe(
        'Proposed values, if they are not secret, for people who may read the stage; absent if they are or were secret, exceed 256 KiB in total, or have settled, before a confirmation that env/plain requires, and in other answers than that of changes/show',
      ),
    changedAt: field.revision
      .optional()
      .describe(
        'Revision that changed the variable after the one that the change is based on; absent: none, so it does not conflict',
      ),
  })
  .describe('What a change does to a variable')
  .meta({ id: 'ChangeItem' })

const review = z
  .object({
    reviewer: z.string().describe('Id of the person at the identity provider'),
    verdict: z.enum(verdicts).describe('What they said'),
    comment: z.string().optional().describe('Why; absent: no comment'),
    reviewedAtMs: field.timeMs.describe('When, Unix time in milliseconds'),
    isCurrent: z.boolean().describe('Whether it is about what the change proposes now: an edit voids it'),
    counts: z.boolean().describe('Whether it counts now: it is current, and the person may approve'),
  })
  .describe('A review of a change')
  .meta({ id: 'Review' })

const listedChange = z
  .object({
    id: field.changeId,
    projectSlug: field.projectSlug,
    stageSlug: field.stageSlug,
    state: changeState.describe('State of the change'),
    reason: z.string().describe('Why it is proposed'),
    proposedBy: field.author.describe('Id of the user, the service token or the trust that proposed it'),
    proposedWith: z.string().describe('Client as a text for people, such as: cli session laptop'),
    proposedAtMs: field.timeMs.describe('When it was proposed, Unix time in milliseconds'),
    updatedAtMs: field.timeMs.describe('When it was last moved, edited or reviewed, Unix time in milliseconds'),
    names: z.array(field.name).describe('Variables that it touches, at most 100, ordered by name'),
    nameCount: z.number().int().describe('Number of all variables that it touches'),
    applyAtMs: applyAtMs
      .optional()
      .describe('When it is applied by itself, Unix time in milliseconds; absent: when someone applies it'),
    steps: steps
      .optional()
      .describe('Steps of its ramp; those that a pause has missed are moved by whole days; absent: it is not a ramp'),
    stepsDone: z
      .number()
      .int()
      .optional()
      .describe('Number of its steps that are written or skipped; absent: it is not a ramp'),
    guard: guard.optional(),
    notOn: notOn.optional(),
    dueAtMs: field.timeMs
      .optional()
      .describe(
        'When the service applies it or its next step, at the end of a freeze if there is one, Unix time in milliseconds; absent: not by itself',
      ),
    zone: zone.optional().describe(`${zone.description}; absent: none`),
    approvals: z
      .object({
        required: z.number().int().describe('Number of approvals that the stage requires'),
        approvers: z.array(z.string()).describe('Ids of the people whose approvals count now'),
        rejectors: z.array(z.string()).describe('Ids of the people whose rejections count now'),
        isApproved: z.boolean().describe('Whether the approvals suffice and no one has rejected it'),
      })
      .describe('Approvals and rejections of a change')
      .meta({ id: 'Approvals' }),
    needsYou: z.boolean().describe('Whether it still needs a review that the caller can give'),
    conflictAt: field.revision
      .optional()
      .describe(
        'Latest revision that changed one of its variables after the one that the change is based on, so that it cannot be applied; absent: none',
      ),
    settledAtMs: field.timeMs.optional().describe('When it was settled, Unix time in milliseconds; absent: not yet'),
    settledBy: field.author
      .optional()
      .describe('Id of the user or machine that settled it; absent: not settled, or the service'),
    appliedRevision: field.revision.optional().describe('Revision that it made; absent: none'),
    problem: z.string().optional().describe('Why it could not be applied at its time; absent: it could'),
    bypass: z
      .string()
      .optional()
      .describe('Why someone applied it without the required approvals or in a freeze; absent: no one did'),
  })
  .meta({ id: 'ListedChange', description: 'A change of a stage in a list' })

const shownChange = listedChange
  .extend({
    digest,
    baseRevision: field.revision.describe('Revision of the stage on which it is based'),
    revision: field.revision.describe('Revision of the stage now'),
    source: z
      .object({
        copy: stageOfOrg.optional().describe('Stage from which variables were copied; absent: none'),
        restore: field.revision.optional().describe('Revision whose state is restored; absent: none'),
      })
      .describe('Where proposed states come from'),
    items: z.array(item).describe('What it does, ordered by name'),
    frozenUntilMs: field.timeMs
      .optional()
      .describe('End of the freeze of its stage, Unix time in milliseconds; absent: it is not frozen'),
    lacksApprovers: z
      .literal(true)
      .optional()
      .describe(
        'Too few people may approve it; absent: enough, or unknown because of a group whose members the identity provider reports, or it needs no review',
      ),
    reviews: z.array(review).describe('Reviews, also those that an edit voided, oldest first'),
  })
  .meta({ id: 'Change', description: 'A change of a stage with what it does and its reviews' })

const bypass = field.reason
  .optional()
  .describe(
    'Why the change is applied without the approvals, or in a freeze: only who may bypass the protection; absent: it is not',
  )

export const changes = {
  /** Proposes a change. What it copies or restores is what is there now. Nothing is written until it is applied. */
  changePropose: {
    method: 'POST',
    path: '/v1/changes/propose',
    manage: 'changes.propose',
    summary: 'Propose a change of a stage, to be reviewed and applied later',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z
      .object({
        ...stage,
        reason: field.reason,
        ...content,
        applyAtMs: applyAtMs
          .optional()
          .describe('When it is applied by itself, Unix time in milliseconds; absent: when someone applies it'),
        zone: zone.optional().describe(`${zone.description}; absent: none`),
        ifRevision: field.revision.optional().describe('Propose only if the stage is at this revision; absent: at any'),
      })
      .refine(isPresent, {
        message: 'must be stated, or deletes, updates, copy, restore or ramp',
        path: ['entries'],
      })
      .refine(copiesFromElsewhere, copiesFromItself),
    bodyBytes: limits.writeBodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'VARIABLE_NOT_FOUND', 'EVALUATION_FAILED', 'REVISION_CONFLICT', 'CONFIRMATION_REQUIRED'],
  },
  /** Lists the changes of all stages that the caller may list, newest first. */
  changeList: {
    method: 'POST',
    path: '/v1/changes/list',
    manage: 'changes.list',
    summary: 'List the proposed changes of the organization, newest first',
    auth: 'caller',
    verb: 'list',
    at: 'any',
    request: z.object({
      orgSlug: field.orgSlug,
      projectSlug: field.projectSlug.optional().describe('Only changes of this project; absent: of all'),
      stageSlug: field.stageSlug.optional().describe('Only changes of stages with this slug; absent: of all'),
      states: z.array(changeState).min(1).optional().describe('Only changes in these states; absent: in all'),
      before: field.changeId.optional().describe('Only changes proposed before this one; absent: from the newest'),
      limit: z
        .number()
        .int()
        .min(1)
        .max(limits.listedChanges)
        .default(limits.listedChanges)
        .describe('Maximum number of changes'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        changes: z.array(listedChange).describe('Newest first'),
        more: z.boolean().describe('Whether there are more results'),
      }),
    errors: [],
  },
  /** Shows a change with its reviews, and what it would change now. A person with `read` also sees values that are not secret. */
  changeShow: {
    method: 'POST',
    path: '/v1/changes/show',
    manage: 'changes.show',
    summary: 'Show a proposed change, with digests in place of values that are secret, and its reviews',
    auth: 'caller',
    verb: 'list',
    expensive: true,
    request: changeRef,
    bodyBytes: limits.bodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND'],
  },
  /** Reveals up to 100 proposed values to a person. The audit log has an entry for each call. */
  changeReveal: {
    method: 'POST',
    path: '/v1/changes/reveal',
    manage: 'changes.reveal',
    summary: 'Reveal proposed values to a person, both sides of a roll; each call is in the audit log',
    auth: 'person',
    verb: 'read',
    request: z.object({
      ...change,
      names: z.array(field.name).min(1).max(limits.revealedVariables).describe('Names of variables'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ variables: z.array(revealedEntry).describe('Proposed variables with their values') }),
    errors: ['NOT_FOUND', 'VARIABLE_NOT_FOUND', 'EVALUATION_FAILED'],
  },
  /** Replaces what a change proposes or a part of it, or bases it on the current revision. Only its proposer can. Voids its reviews. */
  changeEdit: {
    method: 'POST',
    path: '/v1/changes/edit',
    manage: 'changes.edit',
    summary: 'Edit a proposed change, or rebase it on the current revision; this voids its approvals',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z
      .object({
        ...change,
        digest: digest.optional().describe('Edit only if this is its digest; absent: in any case'),
        reason: field.reason.optional().describe('New reason; absent: as is'),
        ...content,
        without: field
          .names(limits.entries)
          .optional()
          .describe(
            'Variables whose proposed state is left out, or replaced by the new content; what it proposes for others stays; absent: new content replaces all of it',
          ),
        rebase: z
          .literal(true)
          .optional()
          .describe('Bases it on the current revision of the stage; absent: only new content in place of all does'),
      })
      .refine(
        (input) => isPresent(input) || [input.reason, input.without, input.rebase].some((each) => each !== undefined),
        {
          message: 'must be stated, or new content, without or rebase must be',
          path: ['reason'],
        },
      )
      .refine(copiesFromElsewhere, copiesFromItself),
    bodyBytes: limits.writeBodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'VARIABLE_NOT_FOUND', 'EVALUATION_FAILED', 'CHANGE_CONFLICT', 'CONFIRMATION_REQUIRED'],
  },
  /** Approves or rejects exactly what the change proposes. A later review by the same person replaces the earlier one. */
  changeReview: {
    method: 'POST',
    path: '/v1/changes/review',
    manage: 'changes.review',
    summary: 'Approve or reject a proposed change',
    auth: 'person',
    verb: 'approve',
    repeatable: true,
    request: z.object({
      ...change,
      digest,
      verdict: z.enum(verdicts).describe('approve; reject: it is not applied unless it is edited, or you approve it'),
      comment: field.reason.optional().describe('Why, at most 1,000 characters; absent: no comment'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'CHANGE_CONFLICT'],
  },
  /** Writes a change to its stage. Fails with `REVISION_CONFLICT` if a variable that it touches has changed since. */
  changeApply: {
    method: 'POST',
    path: '/v1/changes/apply',
    manage: 'changes.apply',
    summary: 'Apply a proposed change, all or nothing',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z.object({
      ...change,
      digest: digest.optional().describe('Apply only if this is its digest; absent: in any case'),
      bypass,
    }),
    bodyBytes: limits.bodyBytes,
    response: () => written,
    errors: [
      'NOT_FOUND',
      'CHANGE_CONFLICT',
      'STAGE_FROZEN',
      'APPROVAL_REQUIRED',
      'VARIABLE_NOT_FOUND',
      'EVALUATION_FAILED',
      ...writeErrors,
    ],
  },
  /** Withdraws a change and deletes its proposed values. */
  changeWithdraw: {
    method: 'POST',
    path: '/v1/changes/withdraw',
    manage: 'changes.withdraw',
    summary: 'Withdraw a proposed change and delete its proposed values',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: changeRef,
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND', 'CHANGE_CONFLICT'],
  },
  /** Changes when a change is applied. Only its proposer can. The time is part of what is approved, so this voids its reviews. */
  changeReschedule: {
    method: 'POST',
    path: '/v1/changes/reschedule',
    manage: 'changes.reschedule',
    summary: 'Change when a proposed change is applied; this voids its approvals',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z
      .object({
        ...change,
        digest: digest.optional().describe('Reschedule only if this is its digest; absent: in any case'),
        applyAtMs: applyAtMs
          .nullable()
          .optional()
          .describe(
            'When it is applied by itself, Unix time in milliseconds; null: when someone applies it; absent: as is',
          ),
        steps: steps.optional().describe('Steps of its ramp; absent: as they are'),
        zone: zone.nullable().optional().describe(`${zone.description}; null: none; absent: as is`),
      })
      .refine(({ applyAtMs: time, steps: ofRamp }) => time !== undefined || ofRamp !== undefined, {
        message: 'must be stated, or steps must be',
        path: ['applyAtMs'],
      }),
    bodyBytes: limits.bodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'CHANGE_CONFLICT'],
  },
  /** Pauses a ramp. The chance stays as it is. */
  changePause: {
    method: 'POST',
    path: '/v1/changes/pause',
    manage: 'changes.pause',
    summary: 'Pause a ramp: no further step is written until it is resumed',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: changeRef,
    bodyBytes: limits.bodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'CHANGE_CONFLICT'],
  },
  /** Resumes a paused ramp with its next step. Steps that the pause has missed move by whole days. */
  changeResume: {
    method: 'POST',
    path: '/v1/changes/resume',
    manage: 'changes.resume',
    summary: 'Resume a paused ramp; if it has missed a step, all further ones move by whole days',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: changeRef,
    bodyBytes: limits.bodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'CHANGE_CONFLICT'],
  },
  /** Leaves the next step of a ramp out. The further ones keep their times. */
  changeSkip: {
    method: 'POST',
    path: '/v1/changes/skip',
    manage: 'changes.skip',
    summary: 'Leave out the next step of a ramp; the further ones keep their times',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z.object({
      ...change,
      stepsDone: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe('Skip only if this many steps are written or skipped; absent: in any case'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => shownChange,
    errors: ['NOT_FOUND', 'CHANGE_CONFLICT'],
  },
  /** Ends a ramp and sets the chance, in one revision. */
  changeAbort: {
    method: 'POST',
    path: '/v1/changes/abort',
    manage: 'changes.abort',
    summary: 'End a ramp and set the chance of its roll',
    auth: 'caller',
    verb: 'write',
    changes: true,
    request: z.object({
      ...change,
      chance: field.chance.describe(
        'Probability of value A from then on, from 0 to 1; in a freeze, or where changes need approval, at most what it is now',
      ),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ revision: field.revision }),
    errors: ['NOT_FOUND', 'VARIABLE_NOT_FOUND', 'CHANGE_CONFLICT', 'STAGE_FROZEN', 'APPROVAL_REQUIRED', ...writeErrors],
  },
} as const satisfies Record<string, Endpoint>
