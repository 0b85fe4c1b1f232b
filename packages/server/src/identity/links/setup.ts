import { runWithTransaction } from '@better-auth/core/context'
import { createAuthEndpoint } from 'better-auth/api'
import { z } from 'zod'
import { createAccount, consumeSetupToken } from '../accounts.ts'
import type { Directory } from '../directory.ts'
import { refusedSlug } from '../refused-slug.ts'
import { organizationSlug } from '../rules.ts'
import { linkGone, password, trimmedName, signIn } from './fields.ts'

export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/setup#token=${token}`
}

/** Returns the endpoint that creates the first account and its organization. Exactly one caller succeeds. */
export function setup(directory: Directory) {
  const body = z.object({
    token: z.string(),
    name: trimmedName,
    email: z.email(),
    password,
    organizationName: trimmedName,
    organizationSlug: z.string(),
  })
  return createAuthEndpoint('/links/setup', { method: 'POST', body }, async (ctx) => {
    const form = ctx.body
    // An input error must not use up the link.
    if (!organizationSlug.test(form.organizationSlug)) throw refusedSlug()
    if ((await directory.hasAccounts()) || !(await consumeSetupToken(ctx.context, form.token))) {
      throw linkGone('This setup link was already used or has expired: ask the operator for a new one.')
    }
    const { user, organizationId } = await runWithTransaction(ctx.context.adapter, async () => {
      const account = await createAccount(ctx.context, form)
      const { id } = await directory.createOrganization(form.organizationSlug, form.organizationName)
      await directory.addMember(id, account.id, 'owner')
      return { user: account, organizationId: id }
    })
    await signIn(ctx, user)
    return ctx.json({ organizationId })
  })
}
