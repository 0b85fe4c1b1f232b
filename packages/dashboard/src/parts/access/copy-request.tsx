import { Anchor, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import type { Place, Verb } from '@rollkey/contract/rules'
import { useScope } from '../../session/scope.ts'
import { labels } from './labels.ts'

interface GrantRequest {
  readonly verb: Verb
  /** Where it is needed. */
  readonly at: Place
  /** Id of the person who needs it. Undefined: the form asks for one. */
  readonly person?: string | undefined
}

/** Returns the parameters with which the access page opens the form that grants a role with the verb. */
export function grantSearch({ verb, at: { stageSlug }, person }: GrantRequest) {
  return {
    grant: verb,
    ...(person !== undefined && { person }),
    ...(stageSlug !== undefined && { stage: stageSlug }),
  }
}

interface CopyRequestProps extends GrantRequest {
  /** Returns the request with the link to the form. */
  readonly text: (link: string) => string
}

/** Copies a request for those who may grant what is missing. It is absent where browsers have no clipboard: outside secure contexts. */
export function CopyRequest({ text, ...request }: CopyRequestProps) {
  const { orgSlug } = useScope()
  const router = useRouter()
  const { copied, copy } = useClipboard()
  if (!globalThis.isSecureContext) return null
  const { projectSlug } = request.at
  const search = grantSearch(request)
  const { href } =
    projectSlug === undefined
      ? router.buildLocation({ to: '/o/$orgSlug/members/access', params: { orgSlug }, search })
      : router.buildLocation({ to: '/o/$orgSlug/p/$projectSlug/access', params: { orgSlug, projectSlug }, search })
  return (
    <>
      {' '}
      <Anchor component="button" type="button" inherit onClick={() => copy(text(new URL(href, location.origin).href))}>
        {copied ? labels.copied : labels.copyRequest}
      </Anchor>
      <VisuallyHidden role="status">{copied ? labels.copied : ''}</VisuallyHidden>
    </>
  )
}
