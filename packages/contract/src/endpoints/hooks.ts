/** Webhooks, which tell other programs what happened (docs/notifications.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { hookFilter } from '../hook-events.ts'
import { limits } from '../rules/limits.ts'
import { ok, type Endpoint } from './endpoint.ts'

/** The formats of a webhook. */
const hookFormats = ['standard', 'slack', 'mattermost', 'discord', 'teams'] as const

const format = z
  .enum(hookFormats)
  .describe('standard: signed JSON (Standard Webhooks); the others: a message for people in that chat')
const url = z
  .string()
  .max(limits.hookUrlCharacters)
  .refine((text) => URL.parse(text) !== null, 'must be an address such as https://ci.example.com/rollkey')
  .describe('Where to send: https, at a public address')
const filters = z.array(hookFilter).max(limits.hookFilters).refine(field.areDistinct, 'must name a type only once')
const within = z
  .object({
    projectSlug: field.projectSlug,
    stageSlug: field.stageSlug.optional().describe('Slug of the stage; absent: all stages of the project'),
  })
  .optional()
  .describe('The project or stage whose events it receives; absent: those of the whole organization')
  .meta({ id: 'HookPlace' })
const signingSecret = z.string().describe('Signing secret of Standard Webhooks: whsec_ and base64')

const hook = z
  .object({
    id: field.hookId,
    name: field.hookName,
    format,
    target: z.string().describe('Scheme, host and port of its URL, whose path may be a secret'),
    events: filters.describe('Types of events that it receives; empty: all'),
    within,
    createdBy: z.string().describe('Id of the user who created it at the identity provider'),
    createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
    waiting: z.number().int().describe('Number of entries of the audit log that it has yet to read'),
    failingSinceMs: field.timeMs
      .optional()
      .describe('Since when no delivery succeeded, Unix time in milliseconds; absent: the last one did'),
    failure: z.string().optional().describe('Why the last delivery failed; absent: it did not'),
    offSinceMs: field.timeMs
      .optional()
      .describe('Since when it is switched off, Unix time in milliseconds; absent: it is not'),
  })
  .meta({ id: 'Hook', description: 'A webhook' })

const delivery = z
  .object({
    eventId: z.string().describe('Id of the message, the same in each attempt'),
    type: z.string().describe('Type of the event'),
    atMs: field.timeMs.describe('When it was last sent, Unix time in milliseconds'),
    attempts: z.number().int().describe('How often it was sent'),
    status: z.number().int().optional().describe('Status of the answer; absent: there was none'),
    durationMs: z.number().int().describe('How long the answer took, in milliseconds'),
    failure: z.string().optional().describe('Why it failed; absent: it was accepted'),
  })
  .meta({ id: 'HookDelivery', description: 'A message that was sent to a webhook' })

const one = z.object({ orgSlug: field.orgSlug, id: field.hookId })

export const hooks = {
  /** Creates a webhook. Its signing secret is shown once. */
  hookCreate: {
    method: 'POST',
    path: '/v1/hooks/create',
    manage: 'hooks.create',
    summary: 'Create a webhook, which receives what happens from now on',
    auth: 'person',
    verb: 'manage',
    request: z.object({
      orgSlug: field.orgSlug,
      name: field.hookName,
      url,
      format: format.default('standard'),
      events: filters.default([]).describe('Types of events that it receives; absent or empty: all'),
      within,
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      hook.extend({ secret: signingSecret }).meta({ id: 'NewHook', description: 'A webhook and its secret' }),
    errors: ['NOT_FOUND'],
  },
  /** Lists the webhooks of the organization. */
  hookList: {
    method: 'POST',
    path: '/v1/hooks/list',
    manage: 'hooks.list',
    summary: 'List the webhooks of the organization',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ hooks: z.array(hook).describe('Oldest first') }),
    errors: [],
  },
  /** Changes a webhook. One that is switched on again receives what happens from then on. */
  hookUpdate: {
    method: 'POST',
    path: '/v1/hooks/update',
    manage: 'hooks.update',
    summary: 'Change a webhook, or switch it off or on',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: one.extend({
      name: field.hookName.optional().describe('New name; absent: unchanged'),
      url: url.optional().describe('New URL; absent: unchanged'),
      events: filters
        .optional()
        .describe('Types of events that it receives from now on; empty: all; absent: unchanged'),
      isOn: z.boolean().optional().describe('Whether it receives what happens; absent: unchanged'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => hook,
    errors: ['NOT_FOUND'],
  },
  /** Replaces the signing secret. For a day, messages have a signature of each. */
  hookRotate: {
    method: 'POST',
    path: '/v1/hooks/rotate',
    manage: 'hooks.rotate',
    summary: 'Replace the signing secret of a webhook; the former one signs for another day',
    auth: 'person',
    verb: 'manage',
    request: one,
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ secret: signingSecret }),
    errors: ['NOT_FOUND'],
  },
  /** Deletes a webhook with its deliveries. */
  hookDelete: {
    method: 'POST',
    path: '/v1/hooks/delete',
    manage: 'hooks.delete',
    summary: 'Delete a webhook',
    auth: 'person',
    verb: 'manage',
    request: one,
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Sends a test and waits for its outcome. */
  hookTest: {
    method: 'POST',
    path: '/v1/hooks/test',
    manage: 'hooks.test',
    summary: 'Send a test to a webhook, and return what it answered',
    auth: 'person',
    verb: 'manage',
    expensive: true,
    request: one,
    bodyBytes: limits.bodyBytes,
    response: () => delivery,
    errors: ['NOT_FOUND'],
  },
  /** Lists the last messages. */
  hookDeliveries: {
    method: 'POST',
    path: '/v1/hooks/deliveries',
    manage: 'hooks.deliveries',
    summary: 'List the last messages that were sent to a webhook',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: one,
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        deliveries: z.array(delivery).describe(`The last ${limits.hookDeliveries}, newest first`),
      }),
    errors: ['NOT_FOUND'],
  },
  /** Sends a message again under its id, and waits for the outcome. */
  hookRedeliver: {
    method: 'POST',
    path: '/v1/hooks/redeliver',
    manage: 'hooks.redeliver',
    summary: 'Send one of the last messages of a webhook again, and return what it answered',
    auth: 'person',
    verb: 'manage',
    expensive: true,
    request: one.extend({ eventId: z.string().max(200).describe('Id of the message') }),
    bodyBytes: limits.bodyBytes,
    response: () => delivery,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>

/** A webhook. */
export type Hook = z.output<typeof hook>
/** A message that was sent to a webhook. */
export type HookDelivery = z.output<typeof delivery>
