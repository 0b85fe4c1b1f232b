import { runWithTransaction } from '@better-auth/core/context'
import { createAuthEndpoint } from 'better-auth/api'
import { z } from 'zod'
import { createAccount, spendSetupToken } from '../accounts.ts'
import type { Directory } from '../directory.ts'
import { refusedSlug } from '../refused-slug.ts'
import { organizationSlug } from '../rules.ts'
import { gone, password, trimmedName, signIn } from './fields.ts'

export function setupUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/setup#token=${token}`
}

/** The first account and its organization; exactly one caller gets them. */
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
    const asked = ctx.body
    // Nothing that can be corrected spends the link.
    if (!organizationSlug.test(asked.organizationSlug)) throw refusedSlug()
    if ((await directory.hasAccounts()) || !(await spendSetupToken(ctx.context, asked.token))) {
      throw gone('This set-up link was used already, or it has expired.')
    }
    const { user, organizationId } = await runWithTransaction(ctx.context.adapter, async () => {
      const account = await createAccount(ctx.context, asked)
      const { id } = await directory.createOrganization(asked.organizationSlug, asked.organizationName)
      await directory.addMember(id, account.id, 'owner')
      return { user: account, organizationId: id }
    })
    await signIn(ctx, user)
    return ctx.json({ organizationId })
  })
}
