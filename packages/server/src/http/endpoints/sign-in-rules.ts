import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const signInRules =
  ({ companySignInRules }: Services): Handler<'signInRules'> =>
  async ({ permissions: { policy }, caller: { orgSlug } }) =>
    companySignInRules.show(policy, orgSlug)

export const signInRulesSet =
  ({ access, companySignInRules }: Services): Handler<'signInRulesSet'> =>
  async ({ actor, caller: { orgId, idpOrgId }, body, reads }) => {
    await companySignInRules.set({ actor, idpOrgId }, await access.policyOf(orgId, reads), body)
    return { ok: true }
  }
