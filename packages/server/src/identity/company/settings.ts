/** The settings of company sign-in: ROLLKEY_SIGN_IN names the providers, and each has settings with its name. */
import { role } from '@rollkey/contract'
import { z } from 'zod'
import { isTrustworthyUrl } from '../../upstream/trustworthy-url.ts'
import { organizationSlug } from '../rules.ts'

/** Which people of a provider join an organization by themselves. */
interface Join {
  readonly organization: string
  readonly role: 'member' | 'admin'
}

export interface CompanyProvider {
  /** The name in settings and addresses. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The name that people see. */
  readonly label: string
  readonly scopes: string
  readonly join: Join | undefined
  /** Domains whose accounts may join. Empty: any, if `tenants` names some. */
  readonly domains: readonly string[]
  /** Tenants of Microsoft Entra whose accounts may join. Empty: any, if `domains` names some. */
  readonly tenants: readonly string[]
  /** The claim with the names or ids of a person's groups, as a dotted path. */
  readonly groupsClaim: string | undefined
}

interface Preset {
  readonly issuer: string
  readonly label: string
}

const presets: Readonly<Record<string, Preset>> = {
  google: { issuer: 'https://accounts.google.com', label: 'Google' },
  microsoft: { issuer: 'https://login.microsoftonline.com/organizations/v2.0', label: 'Microsoft' },
  gitlab: { issuer: 'https://gitlab.com', label: 'GitLab' },
}

/** The pattern of a provider's name. */
export const companyName = /^[a-z][a-z0-9]{0,31}$/

const text = z.string().trim().min(1, 'must not be empty')
const list = z
  .string()
  .prefault('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== ''),
  )

const fields = z
  .strictObject({
    ISSUER: text.refine(isTrustworthyUrl, 'must be an https URL (http only for this machine: localhost, 127.0.0.1)'),
    CLIENT_ID: text,
    CLIENT_SECRET: text.optional(),
    LABEL: text.max(40, 'must have at most 40 characters'),
    SCOPES: text
      .default('openid profile email')
      .refine((scopes) => scopes.split(' ').includes('openid'), 'must contain the scope openid'),
    JOIN: text
      .transform((value) => {
        const [organization = '', joinRole = 'member', ...more] = value.split(':')
        return { organization, role: joinRole, more }
      })
      .refine(
        ({ organization, role: joinRole, more }) =>
          organizationSlug.test(organization) && ['member', 'admin'].includes(joinRole) && more.length === 0,
        'must be an organization and the role member or admin, like acme:member',
      )
      .transform(({ organization, role: joinRole }): Join => ({
        organization,
        role: role.exclude(['owner']).parse(joinRole),
      }))
      .optional(),
    DOMAINS: list,
    TENANTS: list,
    GROUPS_CLAIM: text.optional(),
  })
  .refine(({ JOIN, DOMAINS, TENANTS }) => JOIN === undefined || DOMAINS.length + TENANTS.length > 0, {
    path: ['JOIN'],
    message:
      'needs _DOMAINS or _TENANTS, which say whose accounts join: otherwise everyone with an account there would',
  })

type Fail = (message: string) => Error

/** What each provider has settings for. */
const companyKeys = Object.keys(fields.shape)

/**
 * Returns the providers that `names` lists. `values`: settings by their keys, such as GOOGLE_CLIENT_ID. Throws what `fail` makes of
 * a message, which never quotes a value.
 */
export function companyProviders(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
  fail: Fail,
): CompanyProvider[] {
  const known = new Set(names.flatMap((name) => companyKeys.map((key) => `${name.toUpperCase()}_${key}`)))
  const unknown = Object.keys(values).find((key) => !known.has(key))
  if (unknown !== undefined)
    throw fail(
      `ROLLKEY_SIGN_IN_${unknown} is not a setting of a provider in ROLLKEY_SIGN_IN: list the provider there, and see docs/sign-in/README.md for the settings.`,
    )
  return names.map((name) => companyProvider(name, values, fail))
}

function companyProvider(name: string, values: Readonly<Record<string, string>>, fail: Fail): CompanyProvider {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined
  const own = companyKeys.flatMap((key) => {
    const value = values[`${name.toUpperCase()}_${key}`]
    return value === undefined ? [] : [[key, value] as const]
  })
  const byDefault = { ...(preset && { ISSUER: preset.issuer }), LABEL: preset?.label ?? name }
  const parsed = fields.safeParse({ ...byDefault, ...Object.fromEntries(own) })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const setting = `ROLLKEY_SIGN_IN_${name.toUpperCase()}_${String(issue?.path[0])}`
    const isMissing = issue?.code === 'invalid_type'
    throw fail(`${setting} ${isMissing ? `is not set, but ROLLKEY_SIGN_IN lists ${name}: set it` : issue?.message}.`)
  }
  const { ISSUER, CLIENT_ID, CLIENT_SECRET, LABEL, SCOPES, JOIN, DOMAINS, TENANTS, GROUPS_CLAIM } = parsed.data
  return {
    name,
    issuer: ISSUER,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    label: LABEL,
    scopes: SCOPES,
    join: JOIN,
    domains: DOMAINS,
    tenants: TENANTS,
    groupsClaim: GROUPS_CLAIM,
  }
}
