import type { Group, Principal } from '@rollkey/sdk/core'
import { Stack, Text, Title } from '@mantine/core'
import type { Place, Verb } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useScope } from '../../session/scope.ts'
import { QueryPart } from '../../ui/loading.tsx'
import { IconProtected } from '../../ui/icons.ts'
import classes from './access.module.css'
import { labels } from './labels.ts'
import { explainQuery } from '../../data/access/queries.ts'
import { sourceText } from './source-text.ts'
import { mayText } from '../../data/access/labels.ts'

const words = labels.grant

interface ExplanationProps {
  readonly principal: Principal
  readonly place: Place
  readonly groups: readonly Group[]
  /** Stages of the place where they may do something else. @default none */
  readonly exceptions?: readonly { readonly name: string; readonly verbs: readonly Verb[] }[]
}

/** Shows which grant gives which verb, as the service decides it. */
export function Explanation({ principal, place, groups, exceptions = [] }: ExplanationProps) {
  const id = useId()
  const explanation = useQuery(explainQuery(useScope(), principal, place))
  const groupOf = (from: Principal | undefined) =>
    from?.kind === 'group' && principal.kind !== 'group' ? { group: groups.find((each) => each.id === from.id) } : {}
  return (
    <Stack component="section" gap="xs" aria-labelledby={id}>
      <Title id={id} order={3} size="h4">
        {words.explanation}
      </Title>
      <QueryPart query={explanation} rows={3}>
        {({ verbs, isProtected, sources }) => (
          <>
            <Text>{verbs.length === 0 ? words.appliesNothing : words.effective(mayText(verbs))}</Text>
            {exceptions.map(({ name, verbs: there }) => (
              <Text key={name}>{words.effectiveIn(name, there.length === 0 ? undefined : mayText(there))}</Text>
            ))}
            {isProtected && (
              <Text size="sm" className={classes['protected'] ?? ''}>
                <IconProtected size={14} />
                {words.isProtected}
              </Text>
            )}
            <ul className={`plain-list ${classes['sources']}`}>
              {sources.map(({ principal: from, verbs: given, ...source }, at) => (
                <li key={at}>
                  <span>{sourceText({ ...source, ...groupOf(from) })}</span>{' '}
                  <Text component="span" size="sm" c="dimmed">
                    {given.length === 0 ? labels.source.givesNothing : labels.source.gives(mayText(given))}
                  </Text>
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryPart>
    </Stack>
  )
}
